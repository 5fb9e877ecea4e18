import { useEffect, useState } from 'preact/hooks';
import { get, wasAborted } from './api.ts';

interface Answer<T> {
  /** The last one; null before the first. */
  answer: T | null;
  thrown: unknown;
}

/** What the daemon answers to a path, asked again whenever `version` is another one: something that says that it may have changed. */
export function useAnswer<T>(path: string, version: unknown): Answer<T> {
  const [answer, setAnswer] = useState<T | null>(null);
  const [thrown, setThrown] = useState<unknown>(null);
  useEffect(() => {
    const stop = new AbortController();
    get<T>(path, { signal: stop.signal }).then(
      (next) => {
        setAnswer(next);
        setThrown(null);
      },
      (error: unknown) => {
        if (!wasAborted(error)) setThrown(error);
      },
    );
    return () => stop.abort();
  }, [path, version]);
  return { answer, thrown };
}
