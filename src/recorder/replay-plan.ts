import type { RecordedFrame } from '../api/contract/recordings.ts';
import { type Identity, initializeParams } from '../protocol/handshake.ts';
import { isLegacyRevision, MODERN_REVISION } from '../protocol/revisions.ts';

/** What a replay will ask, read from a recording. Pure. */

export interface ReplayPlan {
  /** JSON of the params of `initialize`; null: a modern server, which needs none. */
  initialize: string | null;
  requests: PlannedRequest[];
  /** What hosts said when the server asked, by method and in their order: JSON texts of whole answers. */
  answers: Map<string, string[]>;
}

export interface PlannedRequest {
  request: RecordedFrame;
  /** Null where none was recorded. */
  answer: RecordedFrame | null;
  /** Why it cannot be asked. */
  obstacle: string | null;
}

/** @param call the number of the one request that is wanted; null: all */
export function planReplay(
  frames: readonly RecordedFrame[],
  call: number | null,
  { protocolVersion, identity }: { protocolVersion: string | null; identity: Identity },
): ReplayPlan {
  const answerTo = new Map<number, RecordedFrame>();
  for (const frame of frames) if (frame.answers !== null) answerTo.set(frame.answers, frame);
  const asked = frames.filter(({ kind, direction }) => kind === 'request' && direction === 'to-server');
  const requests = asked
    .filter(({ method, seq }) => (call === null ? !HANDSHAKE.has(method ?? '') : seq === call))
    .map((request): PlannedRequest => {
      const answer = answerTo.get(request.seq) ?? null;
      return { request, answer, obstacle: obstacleOf(request, answer) };
    });
  return {
    initialize: isModern(protocolVersion, asked) ? null : initializeOf(asked, identity),
    requests,
    answers: hostAnswers(frames, answerTo),
  };
}

// — internal —

/** mcpd's own business with each process, and a stream that never ends. */
const HANDSHAKE: ReadonlySet<string> = new Set(['initialize', 'server/discover', 'ping', 'subscriptions/listen']);

function obstacleOf(request: RecordedFrame, answer: RecordedFrame | null): string | null {
  if (request.cut > 0) return 'the recorded request is too long and was not kept whole';
  if (request.masked) return 'the recorded request had a secret in it, which was not kept';
  if (answer === null) return 'it had no answer when it was recorded';
  // A file may have been edited since.
  const isWhole = parsed(request.text) !== null && (answer.cut > 0 || parsed(answer.text) !== null);
  return isWhole ? null : 'the recorded messages are not JSON any more';
}

function isModern(protocolVersion: string | null, asked: readonly RecordedFrame[]): boolean {
  if (protocolVersion !== null) return !isLegacyRevision(protocolVersion);
  return asked.some(({ method, text }) => method !== 'server/discover' && text.includes(`"${MODERN_REVISION}"`));
}

/** As it was, so that the server sees the same client. */
function initializeOf(asked: readonly RecordedFrame[], identity: Identity): string {
  const recorded = asked.find(({ method, cut, masked }) => method === 'initialize' && cut === 0 && !masked);
  const params = parsed(recorded?.text ?? '')?.['params'];
  return params === undefined ? initializeParams(identity, '{}') : JSON.stringify(params);
}

function hostAnswers(
  frames: readonly RecordedFrame[],
  answerTo: ReadonlyMap<number, RecordedFrame>,
): Map<string, string[]> {
  const answers = new Map<string, string[]>();
  for (const { seq, kind, direction, method } of frames) {
    if (kind !== 'request' || direction !== 'from-server' || method === null) continue;
    const answer = answerTo.get(seq);
    if (answer === undefined || answer.cut > 0 || answer.masked || parsed(answer.text) === null) continue;
    const known = answers.get(method);
    if (known === undefined) answers.set(method, [answer.text]);
    else known.push(answer.text);
  }
  return answers;
}

/** The message, or null when it is none. */
function parsed(text: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : null;
  } catch {
    return null; // what is not JSON is no message, and who asks says so
  }
}
