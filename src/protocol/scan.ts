/** Finds the envelope of one line. */
import { asBuffer } from './bytes.ts';
import type { Envelope, NoiseReason, RawId } from './frame.ts';
import { duplicateKey, jsonString, type Member, members, text } from './members.ts';

export interface Scanned {
  found: Envelope | NoiseReason;
  /** The id as written, when the line names one without doubt. */
  id: RawId | null;
}

const ENVELOPE_KEYS = ['jsonrpc', 'id', 'method', 'params', 'result', 'error'];

export function scan(bytes: Uint8Array, depthMax: number): Scanned {
  const whole = asBuffer(bytes).toString('utf8');
  let value: unknown;
  try {
    value = JSON.parse(whole);
  } catch {
    // Not JSON is one of the answers.
    return { found: 'not-json', id: null };
  }
  if (Array.isArray(value)) return { found: 'batch', id: null };
  if (typeof value !== 'object' || value === null) return { found: 'not-jsonrpc', id: null };
  const list = members(bytes, { start: 0, end: bytes.length });
  const envelope = list.filter(({ key }) => ENVELOPE_KEYS.includes(key.toUpperCase().toLowerCase()));
  const ids = envelope.filter(({ key }) => key === 'id');
  const idMember = ids.length === 1 ? ids[0] : undefined;
  const rawId = idMember === undefined ? null : text(bytes, idMember);
  const id = rawId !== null && /^["\-0-9]/.test(rawId) ? rawId : null;
  if (depthOf(whole) > depthMax) return { found: 'too-deep', id };
  if (duplicateKey(envelope) !== null || envelope.some(({ key }) => !ENVELOPE_KEYS.includes(key))) {
    return { found: 'ambiguous-envelope', id };
  }
  return { found: judged(bytes, new Map(envelope.map((one) => [one.key, one])), rawId, id), id };
}

function judged(
  bytes: Uint8Array,
  by: Map<string, Member>,
  rawId: string | null,
  id: RawId | null,
): Envelope | NoiseReason {
  const [jsonrpc, idMember, method] = [by.get('jsonrpc'), by.get('id'), by.get('method')];
  const [params, result, error] = [by.get('params'), by.get('result'), by.get('error')];
  const span = (one: Member) => ({ start: one.start, end: one.end });
  if (jsonrpc === undefined || jsonString(bytes, jsonrpc) !== '2.0') return 'not-jsonrpc';
  if (params !== undefined && !/[[{]/.test(text(bytes, { start: params.start, end: params.start + 1 })))
    return 'not-jsonrpc';
  if (rawId !== null && id === null && !(rawId === 'null' && error !== undefined)) return 'not-jsonrpc';
  if (method !== undefined) {
    const name = jsonString(bytes, method);
    if (name === null || result !== undefined || error !== undefined) return 'not-jsonrpc';
    const common = { method: name, methodSpan: span(method), params: params === undefined ? null : span(params) };
    if (idMember === undefined || id === null) return { kind: 'notification', ...common };
    return { kind: 'request', id, idSpan: span(idMember), ...common };
  }
  if (result !== undefined) {
    if (error !== undefined || idMember === undefined || id === null) return 'not-jsonrpc';
    return { kind: 'result', id, idSpan: span(idMember), result: span(result) };
  }
  if (error === undefined || bytes[error.start] !== 0x7b) return 'not-jsonrpc';
  return { kind: 'error', id, idSpan: idMember === undefined ? null : span(idMember), error: span(error) };
}

function depthOf(json: string): number {
  let depth = 0;
  let deepest = 0;
  for (const mark of json.replace(/"(?:[^"\\]|\\.)*"/g, '').replace(/[^[\]{}]/g, '')) {
    depth += mark === '[' || mark === '{' ? 1 : -1;
    deepest = Math.max(deepest, depth);
  }
  return deepest;
}
