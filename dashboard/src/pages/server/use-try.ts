import { useEffect, useRef, useState } from 'preact/hooks';
import type { TryAnswer, TryEvent, TryRequest } from '../../../../src/api/contract/tries.ts';
import { linesOf, post, wasAborted } from '../../api.ts';
import { after, IDLE, type Trial, without } from './trial.ts';

/** One try after another, with what comes of each while it goes on. Leaving the page cancels it. */
export function useTry(server: string) {
  const [trial, setTrial] = useState<Trial>(IDLE);
  const running = useRef<{ stop: AbortController; id: string } | null>(null);
  useEffect(() => () => running.current?.stop.abort(), []);

  const run = async (request: TryRequest): Promise<void> => {
    const mine = { stop: new AbortController(), id: '' };
    running.current?.stop.abort();
    running.current = mine;
    setTrial({ ...IDLE, state: 'running' });
    const change = (next: (before: Trial) => Trial) => {
      if (running.current === mine) setTrial(next);
    };
    try {
      const path = `/api/servers/${server}/tries`;
      const events = linesOf<TryEvent>(path, { method: 'POST', body: request, signal: mine.stop.signal });
      for await (const event of events) {
        if (event.type === 'started') mine.id = event.id;
        change((before) => after(before, event));
      }
    } catch (thrown) {
      const isCancelled = wasAborted(thrown) || mine.stop.signal.aborted;
      change((before) => ({ ...before, isCancelled, thrown: isCancelled ? null : thrown }));
    }
    change((before) => ({ ...before, state: 'done', questions: [] }));
  };

  const answer = async (question: string, given: TryAnswer): Promise<void> => {
    await post(`/api/tries/${running.current?.id}/answers/${question}`, given);
    setTrial((before) => without(before, question));
  };

  return { trial, run, answer, cancel: () => running.current?.stop.abort() };
}
