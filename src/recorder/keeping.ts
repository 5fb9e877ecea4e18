import { asBuffer, byteLength, join, slice } from '../protocol/bytes.ts';
import type { Bytes } from '../protocol/frame.ts';
import {
  RECORDING_FRAME_BYTES_MAX,
  RECORDING_HEAD_BYTES,
  RECORDING_NAME_CHARS_MAX,
  RECORDING_SECRET_BYTES_MAX,
  RECORDING_TAIL_BYTES,
} from '../recorder-limits.ts';
import { withoutSecretFields } from './secret-fields.ts';

/** What is kept of a message. Pure. */
export interface Kept {
  text: string;
  /** Bytes left out of the middle. */
  cut: number;
  masked: boolean;
}

/** Replaces every known secret in a text; a secret that is cut at its end is replaced too. */
export type Mask = (text: string) => string;

/** The text of a message, without secrets; of a long one its beginning and its end. */
export function keptOf(bytes: Bytes, mask: Mask): Kept {
  const length = byteLength(bytes);
  const hide = (text: string) => hidden(text, mask);
  if (length <= RECORDING_FRAME_BYTES_MAX) {
    const whole = trimmed(textOf(bytes));
    const text = hide(whole);
    return { text, cut: 0, masked: text !== whole };
  }
  const head = textOf(slice(bytes, { start: 0, end: RECORDING_HEAD_BYTES }));
  // A secret in which the end begins cannot be recognised: the mask sees more than is kept, and only makes it shorter.
  const before = length - RECORDING_TAIL_BYTES - RECORDING_SECRET_BYTES_MAX;
  const tail = textOf(slice(bytes, { start: before, end: length })).trimEnd();
  const [hiddenHead, hiddenTail] = [hide(head), hide(tail)];
  const keptTail = hiddenTail.slice(RECORDING_SECRET_BYTES_MAX);
  const cut = length - RECORDING_HEAD_BYTES - Buffer.byteLength(keptTail);
  return {
    text: `${hiddenHead}…[${cut} bytes left out]…${keptTail}`,
    cut,
    masked: hiddenHead !== head || hiddenTail !== tail,
  };
}

/** A name, an address or an id beside the message, as far as it is kept: they may have a secret in them too. */
export function keptName(name: string, mask: Mask): string {
  return hidden(name.length > RECORDING_NAME_CHARS_MAX ? copied(name.slice(0, RECORDING_NAME_CHARS_MAX)) : name, mask);
}

// — internal —

function hidden(text: string, mask: Mask): string {
  return withoutSecretFields(mask(text));
}

/** Without the newline, and without what else a peer wrote behind the message. */
function trimmed(text: string): string {
  const short = text.trimEnd();
  return text.length - short.length > LINE_END_CHARS ? copied(short) : short;
}

/** V8 makes a part of a text by pointing into it, and would keep the whole as long as the part. */
function copied(text: string): string {
  return Buffer.from(text).toString();
}

/** `\r\n` */
const LINE_END_CHARS = 2;
const REPLACEMENT_CHARACTER = '\ufffd';

/** A character that was cut in two leaves nothing behind. */
function textOf(bytes: Bytes): string {
  const text = asBuffer(join(bytes)).toString('utf8');
  return text.endsWith(REPLACEMENT_CHARACTER) || text.startsWith(REPLACEMENT_CHARACTER)
    ? text.replace(/^\ufffd+|\ufffd+$/g, '')
    : text;
}
