import { PROGRESS_PER_SECOND_MAX } from '../limits.ts';
import { join } from '../protocol/bytes.ts';
import type { Frame, Span } from '../protocol/frame.ts';
import { type Member, member, text } from '../protocol/members.ts';
import { exposeEdit, relatedTaskId } from '../protocol/tasks.ts';
import type { Call } from './call.ts';
import { passNotice } from './emit.ts';
import { markProgress } from './marks.ts';
import { ownIdOf } from './own-ids.ts';
import type { Core, ServerLink } from './state.ts';
import { knowsTasks, type Task } from './tasks.ts';

/** Passes a progress notice on, under the host's own token. One that belongs to no open call goes nowhere. */
export function deliverProgress(core: Core, link: ServerLink, frame: Frame): void {
  const { envelope } = frame;
  if (envelope.kind !== 'notification' || envelope.params === null) return;
  const bytes = join(frame.bytes);
  const token = member(bytes, envelope.params, 'progressToken');
  const id = token === null ? Number.NaN : ownIdOf(text(bytes, token));
  const call = link.calls.get(id);
  if (token !== null && call === undefined) return deliverTaskProgress(core, link.tasks.get(id), frame, bytes, token);
  if (token === null || call === undefined || call.progressToken === null) return;
  call.aliveAt = core.now;
  markProgress(call, core.now);
  // Nobody listens while the host has the call's questions.
  if (call.parked?.stage === 'with-host') return;
  if (!passes(core, call, bytes, envelope.params)) return;
  const edits = [{ start: token.start, end: token.end, with: call.progressToken }];
  const session = core.sessions.get(call.session);
  if (session !== undefined) passNotice(core, session, frame, edits, call.id);
}

// — internal —

/** A token stays good for as long as the task that its request has made. */
function deliverTaskProgress(core: Core, task: Task | undefined, frame: Frame, bytes: Uint8Array, token: Member): void {
  const { envelope } = frame;
  if (task === undefined || envelope.kind !== 'notification' || envelope.params === null) return;
  const { run } = task;
  if (run !== null) {
    run.aliveAt = core.now;
    markProgress(run, core.now);
  }
  const session = core.sessions.get((run ?? task).session);
  const { progressToken } = run ?? task;
  if (session === undefined || progressToken === null || run?.parked?.stage === 'with-host') return;
  if (!passes(core, run ?? task, bytes, envelope.params)) return;
  const known = knowsTasks(session) && task.prefixed ? relatedTaskId(bytes, envelope.params) : null;
  const edits = [
    { start: token.start, end: token.end, with: progressToken },
    ...(known === null ? [] : [exposeEdit(known.id, task.server)]),
  ];
  passNotice(core, session, frame, edits, run?.id ?? null);
}

/** At most so many notices a second, and only such as go forward: both ends of a bridge may repeat themselves. */
function passes(core: Core, call: Pick<Call, 'progress'>, bytes: Uint8Array, params: Span): boolean {
  const field = member(bytes, params, 'progress');
  const value = field === null ? Number.NaN : Number(text(bytes, field));
  if (!Number.isFinite(value)) return false;
  const last = call.progress;
  if (last !== null && value <= last.value) return false;
  const fresh = last === null || core.now - last.windowStart >= 1000;
  const inWindow = fresh ? 1 : last.inWindow + 1;
  if (inWindow > PROGRESS_PER_SECOND_MAX) return false;
  call.progress = { value, windowStart: fresh ? core.now : last.windowStart, inWindow };
  return true;
}
