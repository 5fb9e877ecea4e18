import type { DaemonControl, LogLine } from './contract.ts';

/**
 * Past lines first, then each new one: nothing between the two is lost or comes twice. Resolves with the way to stop.
 * @throws {McpdError} SERVER_UNKNOWN, before anything was written
 */
export async function followLog(
  control: DaemonControl,
  name: string,
  past: { lines: number; since: number | null },
  write: (line: LogLine) => void,
): Promise<() => void> {
  let fresh: LogLine[] | null = [];
  const stop = control.followLogs(name, (line) => {
    if (fresh === null) write(line);
    else fresh.push(line);
  });
  try {
    const before = await control.logs(name, past);
    for (const line of before) write(line);
    for (const line of withoutOverlap(before, fresh)) write(line);
    fresh = null;
    return stop;
  } catch (thrown) {
    stop();
    throw thrown;
  }
}

/** `fresh` without the lines at its start that are already the end of `past`. */
export function withoutOverlap(past: readonly LogLine[], fresh: readonly LogLine[]): LogLine[] {
  for (let count = Math.min(past.length, fresh.length); count > 0; count--) {
    const tail = past.slice(past.length - count);
    if (tail.every((line, i) => sameLine(line, fresh[i]))) return fresh.slice(count);
  }
  return [...fresh];
}

// — internal —

function sameLine(a: LogLine, b: LogLine | undefined): boolean {
  return a.at === b?.at && a.source === b.source && a.level === b.level && a.text === b.text;
}
