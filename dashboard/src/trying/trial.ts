import type { TryEvent, TryQuestion, TryResult } from '../../../src/api/contract/tries.ts';

/** The course of one try, as its events tell it. Pure. */

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

export const IDLE: Trial = {
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

/** What an event makes of a try. */
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
    case 'roots-told':
      return noted(before, 'asked for folders, and was told that there are none');
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

/** The question needs no answer any more. */
export function without(before: Trial, id: string): Trial {
  return { ...before, questions: before.questions.filter((one) => one.id !== id) };
}

// — internal —

function noted(before: Trial, note: string): Trial {
  return { ...before, notes: [...before.notes, note].slice(-NOTES_MAX) };
}
