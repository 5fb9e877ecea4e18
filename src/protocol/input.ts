import { asBuffer, type Edit, join } from './bytes.ts';
import type { Frame, Span } from './frame.ts';
import { duplicateKey, jsonString, member, members, text, withoutMembers } from './members.ts';
import type { RequestView } from './request-view.ts';
import { RELATED_TASK_KEY } from './tasks.ts';

/** Multi round-trip requests of 2026-07-28: a result that asks for input, and the retry that brings it. */

export interface InputRequired {
  /** What is asked, by the server's own keys; `params` is raw JSON. */
  requests: readonly { key: string; method: string; params: string }[];
  /** Raw JSON of a string, to be given back as it is; null when there is none. */
  requestState: string | null;
}

/** A longer result asks for no form. */
const LABELLED_BYTES_MAX = 64 * 1024;
/** `task` is what a legacy host would have asked for. */
const INPUT_MEMBERS: readonly string[] = ['inputResponses', 'requestState', 'task'];
/** Of a legacy question: the id of a page, and the wish that the client makes a task of it. */
const LEGACY_MEMBERS: readonly string[] = ['elicitationId', 'task'];
/** In 2026-07-28 progress goes from servers to clients only, so a token would wait for what no host may send. */
const LEGACY_META: readonly string[] = ['progressToken', RELATED_TASK_KEY];
const KEY_IN_META = 'mcpd/input-key';
const USABLE_KEY = /^[A-Za-z][\w.-]{0,63}$/;
const INPUT_REQUIRED = Buffer.from('"input_required"');

/** What a result asks for, the reason why that cannot be read, or null when it asks for nothing. */
export function readInputRequired(frame: Frame, result: Span, bytesMax: number): InputRequired | string | null {
  if (frame.length > bytesMax) return null;
  const bytes = join(frame.bytes);
  if (!asBuffer(bytes).includes(INPUT_REQUIRED)) return null;
  const type = member(bytes, result, 'resultType');
  if (type === null || jsonString(bytes, type) !== 'input_required') return null;
  const asked = member(bytes, result, 'inputRequests');
  const state = member(bytes, result, 'requestState');
  if (asked === null && state === null) return 'neither inputRequests nor requestState is there';
  const requests = asked === null ? [] : readInputRequests(bytes, asked);
  return typeof requests === 'string'
    ? requests
    : { requests, requestState: state === null ? null : text(bytes, state) };
}

/** The requests in an object of `inputRequests`, or the reason why they cannot be read. */
export function readInputRequests(bytes: Uint8Array, asked: Span): InputRequired['requests'] | string {
  const requests: { key: string; method: string; params: string }[] = [];
  const entries = members(bytes, asked);
  const twice = duplicateKey(entries);
  if (twice !== null) return `inputRequests[${JSON.stringify(twice)}] is there twice`;
  for (const entry of entries) {
    const method = member(bytes, entry, 'method');
    const params = member(bytes, entry, 'params');
    const name = method === null ? null : jsonString(bytes, method);
    if (name === null) return `inputRequests[${JSON.stringify(entry.key)}] has no method`;
    requests.push({ key: entry.key, method: name, params: params === null ? '{}' : text(bytes, params) });
  }
  return requests;
}

/** JSON of a result that asks a modern host for input. */
export function inputRequiredResult(
  requests: readonly { key: string; method: string; params: string }[],
  state: string,
): string {
  const asked = requests.map(
    ({ key, method, params }) => `${JSON.stringify(key)}:{"method":"${method}","params":${params}}`,
  );
  return `{"resultType":"input_required","inputRequests":{${asked.join(',')}},"requestState":${JSON.stringify(state)}}`;
}

/**
 * The name that a legacy server gave its question for hosts that are asked by names, null when there is none that can be used. The protocol
 * has no place for one where a server asks by itself, so mcpd reads it from `_meta`.
 */
export function wantedKey(bytes: Uint8Array, params: Span | null): string | null {
  const meta = params === null ? null : member(bytes, params, '_meta');
  const given = meta === null ? null : member(bytes, meta, KEY_IN_META);
  const key = given === null ? null : jsonString(bytes, given);
  return key !== null && USABLE_KEY.test(key) ? key : null;
}

/** The members that a retry has besides those of the request itself. */
export function retryMembers(responses: ReadonlyMap<string, string>, requestState: string | null): string {
  const answers = Array.from(responses, ([key, json]) => `${JSON.stringify(key)}:${json}`);
  const parts = [
    ...(answers.length === 0 ? [] : [`"inputResponses":{${answers.join(',')}}`]),
    ...(requestState === null ? [] : [`"requestState":${requestState}`]),
  ];
  return parts.join(',');
}

/**
 * What a host reads must say who asks: it knows mcpd only. Nothing else of a server's request is changed; the tools in a sampling request
 * are private to it.
 */
export function labelEdit(bytes: Uint8Array, params: Span | null, method: string, label: string | null): Edit[] {
  const message =
    params === null || label === null || method !== 'elicitation/create' ? null : member(bytes, params, 'message');
  const said = message === null ? null : jsonString(bytes, message);
  if (message === null || said === null) return [];
  return [{ start: message.start, end: message.end, with: JSON.stringify(`${label}: ${said}`) }];
}

/** The same in a result that asks for input, where it passes from a modern server to a modern host. */
export function inputLabels(frame: Frame, result: Span, label: string): Edit[] {
  if (frame.length > LABELLED_BYTES_MAX) return [];
  const bytes = join(frame.bytes);
  if (!asBuffer(bytes).includes(INPUT_REQUIRED)) return [];
  const asked = member(bytes, result, 'inputRequests');
  return (asked === null ? [] : members(bytes, asked)).flatMap((entry) => {
    const method = member(bytes, entry, 'method');
    const name = method === null ? null : jsonString(bytes, method);
    return name === null ? [] : labelEdit(bytes, member(bytes, entry, 'params'), name, label);
  });
}

/** What a legacy server's question has and 2026-07-28 has not, taken out: for a host that is asked by a result. */
export function withoutLegacyParts(bytes: Uint8Array, params: Span): Edit[] {
  const meta = member(bytes, params, '_meta');
  return [
    ...withoutMembers(members(bytes, params), LEGACY_MEMBERS),
    ...(meta === null ? [] : withoutMembers(members(bytes, meta), LEGACY_META)),
  ];
}

/** The JSON at `span` with edits made in it, in their order. */
export function edited(bytes: Uint8Array, span: Span, edits: readonly Edit[]): string {
  let out = '';
  let from = span.start;
  for (const edit of edits) {
    out += text(bytes, { start: from, end: edit.start }) + String(edit.with);
    from = edit.end;
  }
  return out + text(bytes, { start: from, end: span.end });
}

/** A request without what a modern host adds to it when it comes again: no legacy server knows that. */
export function withoutInput({ params }: RequestView): Edit[] {
  if (!params.some(({ key }) => INPUT_MEMBERS.includes(key))) return [];
  return withoutMembers(params, INPUT_MEMBERS);
}
