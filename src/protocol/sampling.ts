import type { Edit } from './bytes.ts';
import type { Span } from './frame.ts';
import { elements, jsonString, type Member, member, text } from './members.ts';
import { featuresOf } from './revisions.ts';

/** `sampling/createMessage` between a server and a host of different revisions: only the newest have tools, and several blocks in a message. */

const OPEN_ARRAY = 0x5b;

/**
 * The edits that make a server's request right for a host of this revision, or why it cannot be put to it. A message of several blocks
 * becomes several messages of the same role; a sound is named where the host has none.
 */
export function samplingForHost(
  bytes: Uint8Array,
  params: Span,
  hostRevision: string | null,
): Edit[] | { refusal: string } {
  const { samplingTools, audio } = featuresOf(hostRevision);
  if (samplingTools) return [];
  const tools = member(bytes, params, 'tools');
  if (tools !== null && elements(bytes, tools, 1).length > 0) return { refusal: NO_TOOLS };
  const messages = member(bytes, params, 'messages');
  const edits: Edit[] = [];
  for (const message of messages === null ? [] : elements(bytes, messages)) {
    const content = member(bytes, message, 'content');
    if (content === null) continue;
    const isList = bytes[content.start] === OPEN_ARRAY;
    const blocks: Span[] = isList ? elements(bytes, content) : [content];
    if (blocks.some((block) => TOOL_BLOCKS.includes(typeOf(bytes, block)))) return { refusal: NO_TOOLS };
    const isChanged = (block: Span) => !audio && typeOf(bytes, block) === 'audio';
    const written = (block: Span) => (isChanged(block) ? namedSound(bytes, block) : text(bytes, block));
    if (isList) edits.push(asSeveral(bytes, message, content, blocks.map(written)));
    else if (isChanged(content)) edits.push({ start: content.start, end: content.end, with: written(content) });
  }
  return edits;
}

/** The edits that make a host's answer right for a server of this revision: one that knows a single block gets one. */
export function sampledForServer(bytes: Uint8Array, result: Span, serverRevision: string | null): Edit[] {
  if (featuresOf(serverRevision).samplingTools) return [];
  const content = member(bytes, result, 'content');
  if (content === null || bytes[content.start] !== OPEN_ARRAY) return [];
  const blocks = elements(bytes, content);
  const [first] = blocks;
  if (first === undefined) return [{ start: content.start, end: content.end, with: EMPTY }];
  const texts = blocks.flatMap((block) => {
    const words = typeOf(bytes, block) === 'text' ? member(bytes, block, 'text') : null;
    return words === null ? [] : (jsonString(bytes, words) ?? []);
  });
  // Of texts and other blocks the texts are what the server can read as one.
  const single = blocks.length === 1 || texts.length === 0 ? text(bytes, first) : textBlock(texts.join('\n'));
  return [{ start: content.start, end: content.end, with: single }];
}

// — internal —

const NO_TOOLS = "this host's protocol revision has no tools in sampling";
const TOOL_BLOCKS: readonly string[] = ['tool_use', 'tool_result'];
const EMPTY = textBlock('');

/** The message once for each block, without a change to its other members. */
function asSeveral(bytes: Uint8Array, message: Span, content: Member, blocks: readonly string[]): Edit {
  const before = text(bytes, { start: message.start, end: content.start });
  const after = text(bytes, { start: content.end, end: message.end });
  const list = blocks.length === 0 ? [EMPTY] : blocks;
  return { start: message.start, end: message.end, with: list.map((block) => before + block + after).join(',') };
}

function namedSound(bytes: Uint8Array, block: Span): string {
  const kind = member(bytes, block, 'mimeType');
  const mimeType = kind === null ? null : jsonString(bytes, kind);
  return textBlock(
    `[a sound${mimeType === null ? '' : ` (${mimeType})`}, which this host's protocol revision cannot have]`,
  );
}

function textBlock(words: string): string {
  return `{"type":"text","text":${JSON.stringify(words)}}`;
}

function typeOf(bytes: Uint8Array, block: Span): string {
  const type = member(bytes, block, 'type');
  return (type === null ? null : jsonString(bytes, type)) ?? '';
}
