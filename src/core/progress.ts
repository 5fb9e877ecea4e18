import { PROGRESS_PER_SECOND_MAX } from '../limits.ts';
import { join } from '../protocol/bytes.ts';
import type { Frame, Span } from '../protocol/frame.ts';
import { member, text } from '../protocol/members.ts';
import type { Call } from './call.ts';
import { passNotice } from './emit.ts';
import { ownIdOf } from './own-ids.ts';
import type { Core, ServerLink } from './state.ts';

/** Passes a progress notice on, under the host's own token. One that belongs to no open call goes nowhere. */
export function deliverProgress(core: Core, link: ServerLink, frame: Frame): void {
  const { envelope } = frame;
  if (envelope.kind !== 'notification' || envelope.params === null) return;
  const bytes = join(frame.bytes);
  const token = member(bytes, envelope.params, 'progressToken');
  const call = token === null ? undefined : link.calls.get(ownIdOf(text(bytes, token)));
  if (token === null || call === undefined || call.progressToken === null) return;
  call.aliveAt = core.now;
  // Nobody listens while the host has the call's questions.
  if (call.parked?.stage === 'with-host') return;
  if (!passes(core, call, bytes, envelope.params)) return;
  const edits = [{ start: token.start, end: token.end, with: call.progressToken }];
  const session = core.sessions.get(call.session);
  if (session !== undefined) passNotice(core, session, frame, edits, call.id);
}

// — internal —

/** At most so many notices a second, and only such as go forward: both ends of a bridge may repeat themselves. */
function passes(core: Core, call: Call, bytes: Uint8Array, params: Span): boolean {
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
