import { RpcError, record } from '../base.mjs';

/** Oldest first. As text they compare like dates. */
export const REVISIONS = ['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25', '2026-07-28'];
export const MODERN = '2026-07-28';
export const PREFIX = 'io.modelcontextprotocol/';

export const INVALID_REQUEST = -32600;
export const RESOURCE_NOT_FOUND = -32002;
export const URL_NEEDED = -32042;
export const HEADER_MISMATCH = -32020;
export const MISSING_CAPABILITY = -32021;
export const UNSUPPORTED_VERSION = -32022;

/** What the other side must never do: kept for the test, whatever becomes of the message. */
export function violation(what, details = {}) {
  record('violation', { violation: what, ...details });
}

/** As `violation`, for a request that is then refused. */
export function refuse(code, what, data) {
  violation(what, { code });
  return new RpcError(code, what, data);
}

/** Is this resource subscribed to, or one that it is a part of? */
export function covers(subscribed, uri) {
  return [...subscribed].some((whole) => uri === whole || uri.startsWith(`${whole}/`));
}
