import { asBuffer, type Edit } from './bytes.ts';
import type { Span } from './frame.ts';
import { modernMeta } from './handshake.ts';
import { jsonString, type Member, member, members, text } from './members.ts';
import { param, type RequestView } from './request-view.ts';
import { RELATED_TASK_KEY, relatedForServer, TASKS_EXTENSION } from './tasks.ts';
import { usualText } from './usual-text.ts';

/** The `_meta` of requests: what a modern host says with each of them, and how it changes on the way to a server of either era. */

export const VERSION_KEY = 'io.modelcontextprotocol/protocolVersion';
const CLIENT_INFO_KEY = 'io.modelcontextprotocol/clientInfo';
const CAPABILITIES_KEY = 'io.modelcontextprotocol/clientCapabilities';
const LOG_LEVEL_KEY = 'io.modelcontextprotocol/logLevel';
export const SUBSCRIPTION_ID_KEY = 'io.modelcontextprotocol/subscriptionId';
const TRACEPARENT_LENGTH = 55;
const TRACEPARENT = /^00-(?!0{32})[0-9a-f]{32}-(?!0{16})[0-9a-f]{16}-[0-9a-f]{2}$/;
const MODERN_KEYS: readonly string[] = [VERSION_KEY, CLIENT_INFO_KEY, CAPABILITIES_KEY, LOG_LEVEL_KEY];

export interface ModernEnvelope {
  /** null when the key is missing or not a string. */
  protocolVersion: string | null;
  /** Raw JSON; null when missing. */
  clientInfo: string | null;
  capabilities: string | null;
  logLevel: string | null;
}

/** The `_meta` of one request. */
export interface RequestMeta {
  members: readonly Member[];
  envelope: ModernEnvelope | null;
}

export const NO_ENVELOPE: ModernEnvelope = {
  protocolVersion: null,
  clientInfo: null,
  capabilities: null,
  logLevel: null,
};

/** The modern envelope of a request, or null when nothing of it is there: then the host is legacy. */
export function readModernEnvelope(view: RequestView): ModernEnvelope | null {
  return metaOf(view).envelope;
}

/** The keys a modern request lacks although it must have them. */
export function missingInEnvelope(envelope: ModernEnvelope): string[] {
  return [
    ...(envelope.protocolVersion === null ? [VERSION_KEY] : []),
    ...(envelope.capabilities === null ? [CAPABILITIES_KEY] : []),
  ];
}

/** Raw JSON of the request's `_meta.progressToken`, a string or a number; null when there is none. */
export function progressTokenOf(view: RequestView): string | null {
  const token = named(metaOf(view).members, 'progressToken');
  const raw = token === null ? '' : text(view.bytes, token);
  return /^["0-9-]/.test(raw) ? raw : null;
}

/**
 * The request's `_meta.traceparent` (W3C Trace Context, version 00); null when there is none or it is no such thing. It goes on to the server
 * as it came.
 */
export function traceparentOf(view: RequestView): string | null {
  const found = named(metaOf(view).members, 'traceparent');
  if (found === null || found.end - found.start !== TRACEPARENT_LENGTH + 2) return null;
  const given = text(view.bytes, found).slice(1, -1);
  return TRACEPARENT.test(given) ? given : null;
}

/**
 * The edit that makes `_meta` right for the server, or null when it is right as it is.
 * `progressToken` is raw JSON, and replaces the host's. `clientInfo`, `capabilities` (raw JSON) and `logLevel` are those of a legacy
 * host's session, or `capabilities` what takes the place of the host's. `tasks`: whether their extension passes where a host declares it, is
 * left out because the server has no part in it, or is declared with `capabilities` in the host's stead. `marked`: the server by whose name its tasks are known to the host;
 * null where they are not.
 */
export function metaEdit(view: RequestView, way: Way): Edit | null {
  const { bytes, request } = view;
  const added =
    way.to === 'modern' && way.from === 'legacy'
      ? modernMeta(way.clientInfo, way.capabilities, way.logLevel).slice(1, -1)
      : '';
  const { params } = request;
  if (params === null) {
    if (added === '') return null;
    return { start: request.methodSpan.end, end: request.methodSpan.end, with: `,"params":{"_meta":{${added}}}` };
  }
  const meta = param(view, '_meta');
  if (meta === null) {
    if (added === '') return null;
    const comma = view.params.length === 0 ? '' : ',';
    return { start: params.start + 1, end: params.start + 1, with: `"_meta":{${added}}${comma}` };
  }
  const list = metaOf(view).members;
  const passes = way.to === 'modern' && way.from === 'modern';
  const parts: string[] = [];
  let changed = added !== '';
  for (const entry of list) {
    const replaced = replacement(bytes, entry, way);
    if (!passes && MODERN_KEYS.includes(entry.key)) changed = true;
    else if (replaced === null) parts.push(text(bytes, { start: entry.keyStart, end: entry.end }));
    else {
      changed = true;
      parts.push(`"${entry.key}":${replaced}`);
    }
  }
  if (!changed) return null;
  if (added !== '') parts.push(added);
  return { start: meta.start, end: meta.end, with: `{${parts.join(',')}}` };
}

// — internal —

interface Way {
  from: 'legacy' | 'modern';
  to: 'legacy' | 'modern';
  progressToken: string | null;
  clientInfo: string;
  capabilities: string;
  logLevel: string | null;
  tasks: 'pass' | 'drop' | 'declare';
  marked: string | null;
}

/** The last one with an envelope, and where it stood: a modern client sends the same with each of its requests. */
let last: { raw: Buffer; start: number; meta: RequestMeta } | null = null;

function metaOf(view: RequestView): RequestMeta {
  if (view.meta === 'unread') {
    const found = param(view, '_meta');
    view.meta = found === null ? NOTHING : (asLast(view.bytes, found) ?? readMeta(view.bytes, found));
  }
  return view.meta;
}

function asLast(bytes: Uint8Array, { start, end }: Span): RequestMeta | null {
  if (last === null || end - start !== last.raw.length || last.raw.compare(bytes, start, end) !== 0) return null;
  const { meta } = last;
  const by = start - last.start;
  return by === 0 ? meta : { members: meta.members.map((one) => movedBy(one, by)), envelope: meta.envelope };
}

function movedBy({ key, keyStart, keyEnd, start, end }: Member, by: number): Member {
  return { key, keyStart: keyStart + by, keyEnd: keyEnd + by, start: start + by, end: end + by };
}

function readMeta(bytes: Uint8Array, span: Span): RequestMeta {
  const list = members(bytes, span);
  const meta = { members: list, envelope: envelopeIn(bytes, list) };
  const { start, end } = span;
  if (meta.envelope !== null && end - start <= REMEMBERED_BYTES_MAX)
    last = { raw: Buffer.from(bytes.subarray(start, end)), start, meta };
  return meta;
}

function envelopeIn(bytes: Uint8Array, meta: readonly Member[]): ModernEnvelope | null {
  if (!meta.some(({ key }) => MODERN_KEYS.includes(key))) return null;
  const raw = (entry: Member | null) => (entry === null ? null : usualText(asBuffer(bytes), entry.start, entry.end));
  const string = (entry: Member | null) => (entry === null ? null : jsonString(bytes, entry));
  return {
    protocolVersion: string(named(meta, VERSION_KEY)),
    clientInfo: raw(named(meta, CLIENT_INFO_KEY)),
    capabilities: raw(named(meta, CAPABILITIES_KEY)),
    logLevel: string(named(meta, LOG_LEVEL_KEY)),
  };
}

const NOTHING: RequestMeta = { members: [], envelope: null };
/** Longer ones are not remembered: what a client says of itself is shorter. */
const REMEMBERED_BYTES_MAX = 4096;

/** The first of this key. */
function named(list: readonly Member[], key: string): Member | null {
  for (const one of list) if (one.key === key) return one;
  return null;
}

/** What stands for the value of a member of `_meta` that mcpd owns; null when it stays. */
function replacement(
  bytes: Uint8Array,
  entry: Member,
  { progressToken, tasks, capabilities, marked }: Pick<Way, 'progressToken' | 'tasks' | 'capabilities' | 'marked'>,
): string | null {
  switch (entry.key) {
    case 'progressToken':
      return progressToken;
    case CAPABILITIES_KEY:
      if (tasks === 'declare') return capabilities;
      return tasks === 'pass' ? null : withoutTasks(bytes, entry);
    case RELATED_TASK_KEY:
      return marked === null ? null : relatedForServer(bytes, entry, marked);
    default:
      return null;
  }
}

/** A host's capabilities without the extension that its server has no part in; null when it is not among them. */
function withoutTasks(bytes: Uint8Array, capabilities: Member): string | null {
  const extensions = member(bytes, capabilities, 'extensions');
  if (extensions === null || member(bytes, extensions, TASKS_EXTENSION) === null) return null;
  const kept = members(bytes, extensions)
    .filter(({ key }) => key !== TASKS_EXTENSION)
    .map(({ keyStart, end }) => text(bytes, { start: keyStart, end }));
  const before = text(bytes, { start: capabilities.start, end: extensions.start });
  return `${before}{${kept.join(',')}}${text(bytes, { start: extensions.end, end: capabilities.end })}`;
}
