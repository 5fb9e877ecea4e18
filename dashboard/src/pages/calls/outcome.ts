import type { CallOutcome } from '../../../../src/core/model.ts';
import type { Tone } from '../../ui/tone.ts';

/** How calls end, in words for people. */
export const OUTCOME_WORDS: Record<CallOutcome, { tone: Tone; label: string }> = {
  ok: { tone: 'good', label: 'ok' },
  'tool-error': { tone: 'bad', label: 'tool failed' },
  error: { tone: 'bad', label: 'error' },
  cancelled: { tone: 'idle', label: 'cancelled' },
  timeout: { tone: 'bad', label: 'timed out' },
  lost: { tone: 'bad', label: 'outcome unknown' },
};
