import type { Span } from '../protocol/frame.ts';
import { jsonString, member } from '../protocol/members.ts';

/**
 * Why a call failed, for the history. Arguments and results are never kept, and messages like to quote them: what stands in quotes is left
 * out, once secrets are masked, which may have quotes in them. What is kept is a help for people, so a very long message is only counted.
 */

/** The message of a server's error, to the letter. */
export function failureOf(bytes: Uint8Array, error: Span): string | null {
  const message = member(bytes, error, 'message');
  if (message === null) return null;
  const length = message.end - message.start;
  if (length > MESSAGE_BYTES_MAX) return `a message of ${length} bytes`;
  return jsonString(bytes, message);
}

export function withoutQuoted(message: string): string {
  return message
    .replace(/"(?:[^"\\]|\\.)*"?/g, '"…"')
    .replace(/`[^`]*`?/g, '`…`')
    .replace(/[\u201c\u00ab][^\u201d\u00bb]*[\u201d\u00bb]?/g, '“…”')
    .replace(/(?<!\w)'(?:[^']|'(?=\w))*'?/g, "'…'");
}

// — internal —

const MESSAGE_BYTES_MAX = 4096;
