import { type Edit, join, mentions } from './bytes.ts';
import type { Bytes, Frame, Span } from './frame.ts';
import { elements, jsonString, type Member, member, members, text, withoutMembers } from './members.ts';

/** Answers on their way from a server of one era to a host of the other. Between equal eras nothing is touched. */

const CACHE_HINTS = '"ttlMs":0,"cacheScope":"private"';
/** Members of a modern result that a legacy host does not know. */
const MODERN_MEMBERS: readonly string[] = ['resultType', 'ttlMs', 'cacheScope'];
/** Results above this size are walked through only when a search says that it is worth it: most are one long text. */
const WALKED_BYTES_MAX = 64 * 1024;
/** From here on a search for a key costs less than a walk over all members. */
const SEARCHED_BYTES_MIN = 512;

/** A result of mcpd's own, written as for a legacy host, for a host of this era. */
export function resultFor(era: 'legacy' | 'modern', json: string): string {
  if (era === 'legacy') return json;
  return json === '{}' ? '{"resultType":"complete"}' : `{"resultType":"complete",${json.slice(1)}`;
}

/** What a modern host must find in every result and a legacy server does not write; null when all is there. */
export function completeForModern(frame: Frame, result: Span, method: string): Edit | null {
  const wanted = method === 'resources/read' ? ['resultType', 'ttlMs'] : ['resultType'];
  const isPlain = frame.length > SEARCHED_BYTES_MIN && !wanted.some((key) => mentions(frame.bytes, `"${key}"`));
  const bytes = isPlain ? NO_BYTES : join(frame.bytes);
  const lacks = (key: string) => wanted.includes(key) && (isPlain || member(bytes, result, key) === null);
  const parts: string[] = [];
  if (lacks('resultType')) parts.push('"resultType":"complete"');
  if (lacks('ttlMs')) parts.push(CACHE_HINTS);
  const first = firstByteAfter(frame.bytes, result.start);
  if (parts.length === 0 || first === null) return null;
  const at = result.start + 1;
  return { start: at, end: at, with: parts.join(',') + (first === CLOSE_OBJECT ? '' : ',') };
}

/**
 * A modern server's result for a legacy host: the edits that take out what such a host does not know, or the `resultType` that it cannot
 * be given. A big result is looked into only where it must be: the other members are harmless.
 */
export function plainForLegacy(frame: Frame, result: Span): Edit[] | { resultType: string } {
  const wanted = ['"input_required"', '"structuredContent"'];
  if (frame.length > WALKED_BYTES_MAX && !wanted.some((one) => mentions(frame.bytes, one))) return [];
  const bytes = join(frame.bytes);
  const list = members(bytes, result);
  const type = list.find(({ key }) => key === 'resultType');
  const resultType = type === undefined ? null : jsonString(bytes, type);
  if (resultType !== null && resultType !== 'complete') return { resultType };
  const structured = list.find(({ key }) => key === 'structuredContent');
  const left = [...MODERN_MEMBERS];
  // Legacy hosts know objects only, and reject the whole result otherwise.
  if (structured !== undefined && bytes[structured.start] !== OPEN_OBJECT) left.push('structuredContent');
  const edits = withoutMembers(list, left);
  const content = structuredAsText(bytes, result, list, left);
  if (content === null) return edits;
  return content.start === content.end ? [content, ...edits] : [...edits, content];
}

/** Every revision with a handshake requires `content`: where a legacy server leaves it out, a host that knows nothing else gets it. */
export function contentForOlder(frame: Frame, result: Span): Edit | null {
  if (!mentions(frame.bytes, '"structuredContent"')) return null;
  const bytes = join(frame.bytes);
  const list = members(bytes, result);
  return list.some(({ key }) => key === 'content') ? null : structuredAsText(bytes, result, list, []);
}

/** The numeric code of an error object; null when there is none. */
export function errorCodeOf(bytes: Uint8Array, error: Span): number | null {
  const code = member(bytes, error, 'code');
  const value = code === null ? Number.NaN : Number(text(bytes, code));
  return Number.isSafeInteger(value) ? value : null;
}

// — internal —

const OPEN_OBJECT = 0x7b;
const CLOSE_OBJECT = 0x7d;
const NO_BYTES = new Uint8Array(0);

/**
 * The edit that says the structured content as text, where a host would otherwise see nothing: the member `content` is missing, or is empty
 * and the structured content is one of the members that are `left` out.
 */
function structuredAsText(
  bytes: Uint8Array,
  result: Span,
  list: readonly Member[],
  left: readonly string[],
): Edit | null {
  const structured = list.find(({ key }) => key === 'structuredContent');
  if (structured === undefined) return null;
  const block = `[{"type":"text","text":${JSON.stringify(text(bytes, structured))}}]`;
  const content = list.find(({ key }) => key === 'content');
  if (content === undefined) {
    const comma = list.some(({ key }) => !left.includes(key)) ? ',' : '';
    return { start: result.start + 1, end: result.start + 1, with: `"content":${block}${comma}` };
  }
  if (!left.includes('structuredContent') || elements(bytes, content, 1).length > 0) return null;
  return { start: content.start, end: content.end, with: block };
}

/** The byte of the first member or of the closing brace of the object at `start`; null when there is no object. */
function firstByteAfter(bytes: Bytes, start: number): number | null {
  let offset = 0;
  let inside = false;
  for (const chunk of bytes) {
    for (let at = Math.max(start - offset, 0); at < chunk.length; at++) {
      const byte = chunk[at] ?? 0;
      if (inside && byte > 0x20) return byte;
      if (!inside && byte !== OPEN_OBJECT) return null;
      inside = true;
    }
    offset += chunk.length;
  }
  return null;
}
