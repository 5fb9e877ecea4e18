import type { Edit } from './bytes.ts';
import type { Span } from './frame.ts';
import { INTERNAL_ERROR, INVALID_PARAMS } from './jsonrpc.ts';
import { jsonString, member, members, text } from './members.ts';

/** Answers on their way from a server of one era to a host of the other. Between equal eras nothing is touched. */

const CACHEABLE = { 'resources/read': '"ttlMs":0,"cacheScope":"private"' } as const;

/** What a modern host must find in every result and a legacy server does not write. */
export function completeForModern(bytes: Uint8Array, result: Span, method: string): Edit | null {
  const list = members(bytes, result);
  if (bytes[result.start] !== 0x7b) return null;
  const has = (key: string) => list.some((entry) => entry.key === key);
  const parts: string[] = [];
  if (!has('resultType')) parts.push('"resultType":"complete"');
  if (method === 'resources/read' && !has('ttlMs')) parts.push(CACHEABLE['resources/read']);
  if (parts.length === 0) return null;
  const at = result.start + 1;
  return { start: at, end: at, with: parts.join(',') + (list.length === 0 ? '' : ',') };
}

/** The `resultType` of a modern server's result; `complete` where it is not written. */
export function resultTypeOf(bytes: Uint8Array, result: Span): string {
  const type = member(bytes, result, 'resultType');
  return (type === null ? null : jsonString(bytes, type)) ?? 'complete';
}

/**
 * The edit of an error's code where the host's era does not have it (protocol tables, "error code translation"): "resource not found" has
 * another code since 2026-07-28, and the modern negotiation errors are between mcpd and the server.
 */
export function errorCodeEdit(bytes: Uint8Array, error: Span, hostEra: 'legacy' | 'modern'): Edit | null {
  const code = member(bytes, error, 'code');
  if (code === null) return null;
  const translated = TRANSLATED[hostEra].get(text(bytes, code));
  return translated === undefined ? null : { start: code.start, end: code.end, with: String(translated) };
}

/** The numeric code of an error object; null when there is none. */
export function errorCodeOf(bytes: Uint8Array, error: Span): number | null {
  const code = member(bytes, error, 'code');
  const value = code === null ? Number.NaN : Number(text(bytes, code));
  return Number.isSafeInteger(value) ? value : null;
}

// — internal —

const TRANSLATED = {
  modern: new Map([
    ['-32002', INVALID_PARAMS],
    ['-32042', INTERNAL_ERROR],
    ['-32020', INTERNAL_ERROR],
    ['-32022', INTERNAL_ERROR],
  ]),
  legacy: new Map([
    ['-32020', INTERNAL_ERROR],
    ['-32021', INTERNAL_ERROR],
    ['-32022', INTERNAL_ERROR],
  ]),
};
