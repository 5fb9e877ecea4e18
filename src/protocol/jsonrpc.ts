import type { RawId } from './frame.ts';

/** JSON-RPC error codes that mcpd makes itself. Codes of servers pass; none is minted in -32000…-32099. */
export const PARSE_ERROR = -32700;
export const INVALID_REQUEST = -32600;
export const METHOD_NOT_FOUND = -32601;
export const INVALID_PARAMS = -32602;
export const INTERNAL_ERROR = -32603;
/** Of 2026-07-28, for what needs an extension that the request does not name. */
export const MISSING_CAPABILITY = -32021;

/** Texts of messages that mcpd writes itself. `id` is raw JSON, `resultJson` and `paramsJson` are JSON texts. No newline. */
export function resultText(id: RawId, resultJson: string): string {
  return `{"jsonrpc":"2.0","id":${id},"result":${resultJson}}`;
}

export function errorText(id: RawId | null, code: number, message: string, data?: Record<string, unknown>): string {
  const error = JSON.stringify(data === undefined ? { code, message } : { code, message, data });
  return `{"jsonrpc":"2.0","id":${id ?? 'null'},"error":${error}}`;
}

export function requestText(id: number, method: string, paramsJson: string | null): string {
  const params = paramsJson === null ? '' : `,"params":${paramsJson}`;
  return `{"jsonrpc":"2.0","id":${id},"method":${JSON.stringify(method)}${params}}`;
}

export function notificationText(method: string, paramsJson: string | null): string {
  const params = paramsJson === null ? '' : `,"params":${paramsJson}`;
  return `{"jsonrpc":"2.0","method":${JSON.stringify(method)}${params}}`;
}
