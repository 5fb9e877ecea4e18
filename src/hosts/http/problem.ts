import type { NoiseReason, RawId } from '../../protocol/frame.ts';
import { INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND, PARSE_ERROR } from '../../protocol/jsonrpc.ts';
import { SERVED_REVISIONS } from '../../protocol/revisions.ts';

/** Why a request goes no further: a status for HTTP, and a JSON-RPC error for who reads the body. */
export interface Problem {
  status: number;
  code: number;
  message: string;
  data?: Record<string, unknown>;
  /** Further headers of the answer. */
  headers?: readonly string[];
}

export function forbidden(message: string): Problem {
  return { status: 403, code: INVALID_REQUEST, message };
}

export function unauthorized(message: string): Problem {
  return {
    status: 401,
    code: INVALID_REQUEST,
    message: `${message}; a token is made with: mcpd token add NAME`,
    headers: ['www-authenticate', 'Bearer'],
  };
}

export function badRequest(message: string): Problem {
  return { status: 400, code: INVALID_REQUEST, message };
}

export function notFound(message: string): Problem {
  return { status: 404, code: INVALID_REQUEST, message };
}

export function notAllowed(method: string, allowed: string): Problem {
  return {
    status: 405,
    code: INVALID_REQUEST,
    message: `${method} is not answered here, only ${allowed}`,
    headers: ['allow', allowed],
  };
}

export function notAcceptable(types: string): Problem {
  return { status: 406, code: INVALID_REQUEST, message: `the Accept header must allow ${types}` };
}

export function unsupportedType(message: string): Problem {
  return { status: 415, code: INVALID_REQUEST, message };
}

export function tooLong(bytesMax: number): Problem {
  const message = `the message is longer than ${bytesMax / 1024 / 1024} MiB`;
  return { status: 413, code: INVALID_REQUEST, message, data: { reason: 'too-long', limitBytes: bytesMax } };
}

/** A body that is no message. */
export function noMessage(reason: NoiseReason): Problem {
  const code = reason === 'not-json' || reason === 'invalid-utf8' ? PARSE_ERROR : INVALID_REQUEST;
  return { status: 400, code, message: FAULTS[reason], data: { reason } };
}

export function missingKeys(keys: readonly string[]): Problem {
  const message = `params._meta lacks ${keys.join(' and ')}`;
  return { status: 400, code: INVALID_PARAMS, message, data: { reason: 'invalid-params', missing: keys } };
}

export function methodNotFound(method: string): Problem {
  return { status: 404, code: METHOD_NOT_FOUND, message: `method not found: ${method.slice(0, 200)}` };
}

export function unservedRevision(requested: string): Problem {
  return {
    status: 400,
    code: UNSERVED_REVISION,
    message: `protocol revision ${requested.slice(0, 100)} is not served`,
    data: { supported: SERVED_REVISIONS, requested },
  };
}

export function headerMismatch(message: string): Problem {
  return { status: 400, code: HEADER_MISMATCH, message: `Header mismatch: ${message.slice(0, 500)}` };
}

export function unavailable(message: string): Problem {
  return { status: 503, code: INVALID_REQUEST, message };
}

/** An error about one id of a session, which an open request still has. */
export function idInUse(id: RawId): Problem {
  return {
    status: 400,
    code: INVALID_REQUEST,
    message: `id ${id.slice(0, 200)} is still in use by an unanswered request`,
    data: { reason: 'id-in-use' },
  };
}

// — internal —

/** The specification's own codes. */
const HEADER_MISMATCH = -32_020;
const UNSERVED_REVISION = -32_022;

const FAULTS: Record<NoiseReason, string> = {
  'not-json': 'the body is not JSON',
  'not-jsonrpc': 'the body is JSON, but no JSON-RPC 2.0 message',
  'invalid-utf8': 'the body is not valid UTF-8',
  'too-deep': 'the message is nested too deeply',
  'too-long': 'the message is too long',
  'ambiguous-envelope': 'the message has a member of its envelope twice, or one that differs from it in case only',
  batch: 'batches are not accepted here',
};
