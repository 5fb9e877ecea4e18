import { type Edit, join, mentions } from './bytes.ts';
import type { Frame, Span } from './frame.ts';
import { elements, jsonString, type Member, member, members, text } from './members.ts';
import type { Features } from './revisions.ts';

/**
 * Content blocks of kinds that the host's revision does not have: hosts that check what they get reject the whole result for one of them.
 * A sound becomes an embedded resource, which nothing of it is lost by; a link becomes the text that a person would write for it.
 */

/** The edits for these blocks; none, and no copy made, when the result has none. `made`: other edits of the frame, as in editsForHost. */
export function blockEdits(
  frame: Frame,
  result: Span,
  method: string,
  { audio, resourceLinks }: Pick<Features, 'audio' | 'resourceLinks'>,
  made: readonly Edit[],
): readonly Edit[] {
  const hasAudio = !audio && mentions(frame.bytes, '"audio"');
  const hasLinks = !resourceLinks && mentions(frame.bytes, '"resource_link"');
  if (!hasAudio && !hasLinks) return made;
  const bytes = join(frame.bytes);
  let edits = [...made];
  let sounds = 0;
  for (const block of blocksOf(bytes, result, method)) {
    const list = members(bytes, block);
    const type = stringOf(bytes, list, 'type');
    if (type === 'audio' && hasAudio) {
      edits.push(...asResource(bytes, block, list, ++sounds));
    } else if (type === 'resource_link' && hasLinks) {
      const uri = list.find(({ key }) => key === 'uri');
      if (uri === undefined) continue;
      const shown = edits.find(({ start, end }) => start === uri.start && end === uri.end)?.with;
      edits = edits.filter(({ start, end }) => end <= block.start || start >= block.end);
      edits.push({ start: block.start, end: block.end, with: asText(bytes, list, shown) });
    }
  }
  return edits;
}

// — internal —

/** The content blocks of a result of this method. */
function blocksOf(bytes: Uint8Array, result: Span, method: string): Span[] {
  const list = member(bytes, result, method === 'prompts/get' ? 'messages' : 'content');
  if (list === null) return [];
  const spans = elements(bytes, list);
  return method === 'prompts/get' ? spans.flatMap((message) => member(bytes, message, 'content') ?? []) : spans;
}

/** The data stay where they are, since they may be long. */
function asResource(bytes: Uint8Array, block: Span, list: readonly Member[], number: number): Edit[] {
  const data = list.find(({ key }) => key === 'data');
  if (data === undefined) return [];
  const kind = list.find(({ key }) => key === 'mimeType');
  const mimeType = kind === undefined ? '' : `,"mimeType":${text(bytes, kind)}`;
  const before = `{"type":"resource","resource":{"uri":"mcpd://audio/${number}"${mimeType},"blob":`;
  return [
    { start: block.start, end: data.start, with: before },
    { start: data.end, end: block.end, with: `}${kept(bytes, list)}}` },
  ];
}

/** `shown`: raw JSON of the URI under which hosts know the resource, when it is not the server's own. */
function asText(bytes: Uint8Array, list: readonly Member[], shown: Edit['with'] | undefined): string {
  const name = stringOf(bytes, list, 'title') ?? stringOf(bytes, list, 'name');
  const uri = shown === undefined ? stringOf(bytes, list, 'uri') : String(JSON.parse(shown.toString()));
  const mimeType = stringOf(bytes, list, 'mimeType');
  const description = stringOf(bytes, list, 'description');
  const words = `${name === null ? '' : `${name}: `}${uri ?? ''}${mimeType === null ? '' : ` (${mimeType})`}`;
  const whole = description === null ? words : `${words}\n${description}`;
  return `{"type":"text","text":${JSON.stringify(whole)}${kept(bytes, list)}}`;
}

/** What every kind of block may have besides. */
const KEPT: readonly string[] = ['annotations', '_meta'];

function kept(bytes: Uint8Array, list: readonly Member[]): string {
  return list
    .filter(({ key }) => KEPT.includes(key))
    .map(({ keyStart, end }) => `,${text(bytes, { start: keyStart, end })}`)
    .join('');
}

function stringOf(bytes: Uint8Array, list: readonly Member[], key: string): string | null {
  const found = list.find((one) => one.key === key);
  return found === undefined ? null : jsonString(bytes, found);
}
