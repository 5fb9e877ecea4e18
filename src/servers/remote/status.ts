import { STATUS_CODES } from 'node:http';
import { join } from '../../protocol/bytes.ts';
import type { Frame } from '../../protocol/frame.ts';
import { METHOD_NOT_FOUND } from '../../protocol/jsonrpc.ts';
import { errorCodeOf } from '../../protocol/results.ts';
import { RemoteFault } from './fault.ts';
import { FrameFeed } from './frame-feed.ts';
import type { OutgoingRequest } from './outgoing.ts';

/** What the status of an answer means that brings no result. Pure. */

/** The JSON-RPC error that is the body; null when it is none. */
export function jsonRpcErrorIn(body: Uint8Array): Frame | null {
  let found: Frame | null = null;
  const feed = new FrameFeed(body.length, {
    onFrame: (frame) => {
      if (frame.envelope.kind === 'error') found = frame;
    },
    onNoise: () => undefined, // then it is a body like any other
  });
  feed.push(body);
  feed.end();
  return found;
}

/** Has it the id of a request? */
export function answersSomething(error: Frame | null): boolean {
  return error?.envelope.kind === 'error' && error.envelope.id !== null;
}

/** The server does not know the session of this request any more, and so has not begun it. */
export function isSessionLost(
  status: number,
  error: Frame | null,
  body: Uint8Array,
  out: OutgoingRequest,
  sessionId: string | null,
): boolean {
  if (sessionId === null || out.revision !== null || out.method === 'initialize') return false;
  if (status === 404) return error === null || codeOf(error) !== METHOD_NOT_FOUND;
  // Not what the specification says, and what many servers do after a restart.
  return status === 400 && /session/i.test(Buffer.from(body).toString('latin1'));
}

/** A modern server misses headers of a call that only its list of tools names. */
export function isHeaderMismatch(error: Frame, out: OutgoingRequest): boolean {
  return out.revision !== null && out.method === 'tools/call' && codeOf(error) === HEADER_MISMATCH;
}

/** `body`: what it says of it, if anything. */
export function statusFault(status: number, place: string, body: string): RemoteFault {
  const text = body.trim().slice(0, QUOTED_CHARS_MAX);
  const why = text === '' || text.startsWith('<') ? null : text.replace(/\s+/g, ' ');
  const fix = status === 404 || status === 405 ? 'check the address: it often ends in /mcp or /sse' : null;
  const name = STATUS_CODES[status];
  return new RemoteFault('http_status', `${place} answered ${status}${name === undefined ? '' : ` ${name}`}`, {
    status,
    ...(why === null ? {} : { why }),
    ...(fix === null ? {} : { fix }),
  });
}

// — internal —

const HEADER_MISMATCH = -32_020;
/** Of a body, in an error. */
const QUOTED_CHARS_MAX = 200;

function codeOf({ bytes, envelope }: Frame): number | null {
  return envelope.kind === 'error' ? errorCodeOf(join(bytes), envelope.error) : null;
}
