const LOOK_EVERY_MS = 20;
/** A limit against hanging, not a proof of speed. */
const GIVE_UP_MS = 45_000;

/**
 * Waits until `look` gives something truthy, and resolves with it. A thrown error counts as "not yet" and is shown at the end.
 * @throws {Error} it did not come in time; the message says what was waited for.
 */
export async function until<T>(
  what: string,
  look: () => T | Promise<T>,
  timeoutMs = GIVE_UP_MS,
): Promise<Exclude<T, undefined | null | false | 0 | ''>> {
  const end = Date.now() + timeoutMs;
  let last: unknown;
  for (;;) {
    try {
      const seen = await look();
      if (seen) return seen as Exclude<T, undefined | null | false | 0 | ''>;
      last = seen;
    } catch (error) {
      last = error;
    }
    if (Date.now() >= end) throw new Error(`waited ${timeoutMs} ms for ${what}; last seen: ${String(last)}`);
    await pause(LOOK_EVERY_MS);
  }
}

/**
 * Resolves with what `promise` gives.
 * @throws {Error} it gave nothing in time; the message says what was waited for.
 */
export async function within<T>(what: string, promise: Promise<T>, timeoutMs = GIVE_UP_MS): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`waited ${timeoutMs} ms for ${what}`)), timeoutMs);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
}

// — internal —

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
