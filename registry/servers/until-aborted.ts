/**
 * Resolves with what `work` gives, or rejects with the reason of the signal, also when `work` never ends: in Node 20 an answer to `fetch`
 * that is aborted between its last byte and its end may neither end nor fail.
 */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const left = () => reject(signal.reason);
    signal.addEventListener('abort', left, { once: true });
    if (signal.aborted) left();
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', left));
  });
}
