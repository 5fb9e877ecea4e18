/** Resolves with what `work` gives, or rejects with the reason of the signal, also when nobody who works listens to it. */
export function untilAborted<T>(work: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const left = () => reject(signal.reason);
    signal.addEventListener('abort', left, { once: true });
    if (signal.aborted) left();
    work.then(resolve, reject).finally(() => signal.removeEventListener('abort', left));
  });
}
