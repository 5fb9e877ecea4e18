import type { RecordedFrame, ReplayEvent, ReplayOutcome, ReplayStep } from '../api/contract/recordings.ts';
import { asMcpdError, McpdError } from '../errors.ts';
import { REPLAY_ANSWER_MS, REPLAY_START_MS } from '../recorder-limits.ts';
import { compareAnswers } from './compare.ts';
import type { FreshProcess } from './fresh-process.ts';
import type { Kept } from './keeping.ts';
import type { PlannedRequest, ReplayPlan } from './replay-plan.ts';

/** Asks a fresh process what was recorded, one request after another, and tells how its answers differ. */
export async function replay(
  plan: ReplayPlan,
  process: FreshProcess,
  report: (event: ReplayEvent) => void,
  now: () => number,
): Promise<void> {
  const startedAt = now();
  const counts: Record<ReplayOutcome, number> = { equal: 0, different: 0, unanswered: 0, uncompared: 0, skipped: 0 };
  await process.up(REPLAY_START_MS);
  if (plan.initialize !== null) {
    const refusal = refusalIn(await process.ask('initialize', plan.initialize, REPLAY_START_MS));
    if (refusal !== null)
      throw new McpdError('SERVER_START_FAILED', { what: 'the fresh process refused initialize', why: refusal });
    process.tell('notifications/initialized');
  }
  for (const planned of plan.requests) {
    const step = await oneStep(planned, process, now);
    counts[step.outcome]++;
    report({ type: 'step', ...step });
  }
  report({ type: 'done', durationMs: Math.round(now() - startedAt), ...counts });
}

// — internal —

/** Why a server refused. An answer that was not kept whole is a long greeting: refusals are short. */
function refusalIn({ text, cut }: Kept): string | null {
  if (cut > 0) return null;
  const { error } = JSON.parse(text) as { error?: { message?: unknown } };
  if (error === undefined) return null;
  return typeof error.message === 'string' ? error.message : 'it does not say why';
}

async function oneStep(
  { request, answer, obstacle }: PlannedRequest,
  process: FreshProcess,
  now: () => number,
): Promise<ReplayStep> {
  const step = stepOf(request, answer);
  if (obstacle !== null || answer === null) return { ...step, outcome: 'skipped', why: obstacle };
  const askedAt = now();
  let replayed: { text: string; cut: number };
  try {
    replayed = await process.askAs(request.text, REPLAY_ANSWER_MS);
  } catch (thrown) {
    const error = asMcpdError(thrown, 'INTERNAL', 'it could not be asked');
    // Without its process, and with nobody who waits, nothing more comes of it.
    if (error.code !== 'CALL_TIMEOUT' && error.code !== 'SERVER_EXITED') throw error;
    return { ...step, outcome: 'unanswered', why: error.message };
  }
  const replayedMs = Math.round((now() - askedAt) * 100) / 100;
  if (answer.cut > 0 || replayed.cut > 0) {
    const same = answer.text === replayed.text;
    const why = 'the answer is too long and was not kept whole';
    return { ...step, replayedMs, outcome: same ? 'equal' : 'uncompared', why: same ? null : why };
  }
  const { differences, more } = compareAnswers(answer.text, replayed.text);
  const outcome = differences.length === 0 ? 'equal' : 'different';
  return { ...step, replayedMs, outcome, differences, moreDifferences: more };
}

function stepOf(request: RecordedFrame, answer: RecordedFrame | null): Omit<ReplayStep, 'outcome'> {
  const { seq, method, target } = request;
  if (method === null) throw new McpdError('INTERNAL', { what: `recorded request ${seq} has no method` });
  const nothing = { why: null, replayedMs: null, differences: [], moreDifferences: 0 };
  return { seq, method, target, recordedMs: answer?.tookMs ?? null, ...nothing };
}
