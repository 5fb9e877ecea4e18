/**
 * What a line from the daemon is, as far as the shim must know, without scanning all of it: a 10 MB result costs nothing here. The
 * daemon has judged every envelope and refused ambiguous ones, so the id at the head, or at the very end, is the id.
 */
import { JSON_DEPTH_MAX } from '../../src/limits.ts';
import type { Bytes, Frame, RawId } from '../../src/protocol/frame.ts';
import { FrameReader } from '../../src/protocol/framing.ts';
import { headOf, tailOf } from '../../src/protocol/gather.ts';

export type Recognised =
  | { kind: 'answer'; id: RawId; ok: boolean }
  /** A notification that means nothing to the shim. */
  | { kind: 'notice' }
  /** Must be scanned: a request, a notification that means something, or an unusual form. */
  | null;

/** Enough for the longest head below; an id that does not fit is found by scanning. */
const END_BYTES = 128;

const ID = String.raw`(-?[0-9]{1,20}|"[ !#-[\]-~]{0,64}")`;
const ID_AT_HEAD = new RegExp(String.raw`^\{"jsonrpc":"2\.0","id":${ID},"(result|error)":`);
const NOTICE_AT_HEAD = /^\{"jsonrpc":"2\.0","method":"notifications\/(?!cancelled"|subscriptions)[a-z_/]+"/;
const BODY_AT_HEAD = /^\{(?:"jsonrpc":"2\.0",)?"(result|error)":/;
/** The brace ends the message, so what stands before it is its last member and no part of a string. */
const ID_AT_TAIL = new RegExp(String.raw`,"id":${ID}(?:,"jsonrpc":"2\.0")?\}\r?\n?$`);
const NOTICE = { kind: 'notice' } as const;

export function recognise(line: Bytes): Recognised {
  const head = headOf(line, END_BYTES).toString('latin1');
  const first = ID_AT_HEAD.exec(head);
  if (first !== null) return { kind: 'answer', id: first[1] ?? '', ok: first[2] === 'result' };
  if (NOTICE_AT_HEAD.test(head)) return NOTICE;
  const body = BODY_AT_HEAD.exec(head);
  if (body === null) return null;
  const last = ID_AT_TAIL.exec(tailOf(line, END_BYTES).toString('latin1'));
  return last === null ? null : { kind: 'answer', id: last[1] ?? '', ok: body[1] === 'result' };
}

/** The whole message of a line with its newline, or null when it is none. */
export function scanned(line: Bytes): Frame | null {
  let found: Frame | null = null;
  const reader = new FrameReader({
    // The daemon bounds what it sends, by limits that may be set per server.
    lineBytesMax: Number.MAX_SAFE_INTEGER,
    depthMax: JSON_DEPTH_MAX,
    sampleBytesMax: 0,
    isUtf8: () => true,
    onFrame: (frame) => {
      found = frame;
    },
    onNoise: () => {},
  });
  for (const piece of line) reader.push(piece);
  return found;
}
