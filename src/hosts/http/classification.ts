import { asBuffer } from '../../protocol/bytes.ts';
import type { Frame } from '../../protocol/frame.ts';
import { readModernEnvelope, VERSION_KEY } from '../../protocol/meta.ts';
import { type RequestView, viewOf } from '../../protocol/request-view.ts';
import { isLegacyRevision, MODERN_REVISION } from '../../protocol/revisions.ts';
import type { Head } from './head.ts';
import { modernFault } from './modern-request.ts';
import { badRequest, type Problem, unservedRevision } from './problem.ts';

/** What a POST is, by its head and its message. One URL serves both eras. */
export type Kind =
  /** A stateless request that stands alone. */
  | { kind: 'modern'; view: RequestView }
  /** `initialize`: a session begins. */
  | { kind: 'opening' }
  /** A message of the session that the head names. */
  | { kind: 'in-session'; session: string }
  /** A legacy request without session or revision, as guides show it with curl: answered as it stands. */
  | { kind: 'alone' }
  /** Nothing comes of it: a notification without a session. */
  | { kind: 'nothing' }
  | { kind: 'refused'; problem: Problem };

/**
 * In this order: what the body says of itself decides, then the session, then the revision in the head. A revision is asked of nobody who
 * has a session, because hosts of the first revision with sessions never name theirs.
 */
export function kindOf(head: Head, frame: Frame): Kind {
  const { envelope } = frame;
  if (envelope.kind === 'request' && !isPlainlyLegacy(head, frame)) {
    const view = viewOf(frame, envelope);
    frame.view = view;
    const own = readModernEnvelope(view);
    const isOpening = envelope.method === 'initialize' && own === null;
    const claims = own !== null && own.protocolVersion !== null;
    if (claims || (head.version === MODERN_REVISION && !isOpening) || isBareModern(envelope.method, head)) {
      const problem = modernFault(head, view, own);
      return problem === null ? { kind: 'modern', view } : { kind: 'refused', problem };
    }
    if (isOpening) return opening(head);
  } else if (envelope.kind === 'notification' && head.version === MODERN_REVISION) {
    // Stateless hosts have nothing to notify of: an answer that is not read any more is cancelled by hanging up.
    return { kind: 'nothing' };
  }
  return ofLegacyHost(head, envelope.kind);
}

// — internal —

/** Most messages of a session name no stateless revision anywhere, and need not be looked into. */
function isPlainlyLegacy({ session, version }: Head, { bytes, envelope }: Frame): boolean {
  if (session === null || version === MODERN_REVISION) return false;
  if (envelope.kind === 'request' && envelope.method === 'initialize') return false;
  return bytes.length === 1 && !bytes.some((chunk) => asBuffer(chunk).includes(VERSION_KEY));
}

/** No legacy revision has them, so somebody who asks without an envelope has forgotten it. */
function isBareModern(method: string, head: Head): boolean {
  return head.session === null && (method === 'server/discover' || method === 'subscriptions/listen');
}

/** A first `initialize` may name any revision in its head: what is agreed stands in its answer. */
function opening({ session }: Head): Kind {
  if (session === null) return { kind: 'opening' };
  return refused(badRequest('this session has begun already; a new one begins without the header Mcp-Session-Id'));
}

function ofLegacyHost(head: Head, message: Frame['envelope']['kind']): Kind {
  if (head.version !== null && !isLegacyRevision(head.version)) return refused(unservedRevision(head.version));
  if (head.session !== null) return { kind: 'in-session', session: head.session };
  if (head.version !== null) {
    return refused(badRequest('the header Mcp-Session-Id is missing: a session begins with initialize'));
  }
  if (message === 'request') return { kind: 'alone' };
  if (message === 'notification') return { kind: 'nothing' };
  return refused(badRequest('nobody asked: an answer needs the session of its question'));
}

function refused(problem: Problem): Kind {
  return { kind: 'refused', problem };
}
