import { useEffect, useState } from 'preact/hooks';
import { get, wasAborted } from './api.ts';

interface Answer<T> {
  /** The last one; null before the first. */
  answer: T | null;
  thrown: unknown;
  /** The path that was answered or refused last. */
  to: string | null;
}

/** What the daemon answers to a path, asked again whenever `version` is another one: something that says that it may have changed. */
export function useAnswer<T>(path: string, version: unknown): Answer<T> {
  const [last, setLast] = useState<Answer<T>>({ answer: null, thrown: null, to: null });
  useEffect(() => {
    const stop = new AbortController();
    get<T>(path, { signal: stop.signal }).then(
      (answer) => setLast({ answer, thrown: null, to: path }),
      (thrown: unknown) => {
        if (!wasAborted(thrown)) setLast(({ answer }) => ({ answer, thrown, to: path }));
      },
    );
    return () => stop.abort();
  }, [path, version]);
  return last;
}
