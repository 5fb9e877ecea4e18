import { useEffect, useRef, useState } from 'preact/hooks';
import type { TryAnswer, TryEvent, TryQuestion, TryRequest, TryResult } from '../../../../src/api/contract/tries.ts';
import { linesOf, post, wasAborted } from '../../api.ts';

type Failed = Extract<TryEvent, { type: 'failed' }>;

export interface Trial {
  state: 'idle' | 'running' | 'done';
  /** Steps and log messages in words, the last ones. */
  notes: readonly string[];
  /** 0 to 1; null when the server does not say how much there is. */
  share: number | null;
  questions: readonly { id: string; params: TryQuestion }[];
  result: TryResult | null;
  failed: Failed | null;
  /** The request itself could not be made, or was cut off. */
  thrown: unknown;
  isCancelled: boolean;
}

const IDLE: Trial = {
  state: 'idle',
  notes: [],
  share: null,
  questions: [],
  result: null,
  failed: null,
  thrown: null,
  isCancelled: false,
};
const NOTES_MAX = 200;

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

/** What an event makes of a try. Pure. */
export function after(before: Trial, event: TryEvent): Trial {
  switch (event.type) {
    case 'started':
      return before;
    case 'progress': {
      const { progress, total, message } = event;
      const share = total === null || total <= 0 ? null : Math.min(1, Math.max(0, progress / total));
      return noted({ ...before, share }, message ?? `${progress}${total === null ? '' : ` of ${total}`}`);
    }
    case 'log':
      return noted(before, `${event.level}: ${event.data}`);
    case 'question':
      return { ...before, questions: [...before.questions, { id: event.id, params: event.params }] };
    case 'question-withdrawn':
      return without(before, event.id);
    case 'question-refused':
      return noted(before, `refused: ${event.why}`);
    case 'dropped':
      return noted(before, `${event.count} more came too fast to be shown`);
    case 'result':
      return { ...before, result: event };
    case 'failed':
      return { ...before, failed: event };
  }
}

// — internal —

function noted(before: Trial, note: string): Trial {
  return { ...before, notes: [...before.notes, note].slice(-NOTES_MAX) };
}

function without(before: Trial, id: string): Trial {
  return { ...before, questions: before.questions.filter((one) => one.id !== id) };
}
