import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { HTTP_BODIES_BYTES_MAX } from '../../http-limits.ts';
import { JSON_DEPTH_MAX } from '../../limits.ts';
import { byteLength, join } from '../../protocol/bytes.ts';
import type { BatchLine, Bytes, Frame, NoiseReason } from '../../protocol/frame.ts';
import { EnvelopeScanner } from '../../protocol/scan.ts';

/**
 * Gives the whole body in the chunks in which it came; nothing when the client hangs up before its end. `told` is how long the head says
 * it is: Node makes an object of all headers for who asks it. With its last byte it is whole: the end is told one turn later.
 */
export function readBody(
  incoming: IncomingMessage,
  told: string | null,
  bytesMax: number,
  then: (body: Bytes | 'too-long' | 'crowded') => void,
): void {
  const length = Number(told ?? 0);
  if (length > bytesMax) return then('too-long');
  let chunks: Uint8Array[] | null = [];
  let size = 0;
  /** Counts what is held no more; what is whole is the message's, and bounded where that goes. */
  const over = (how: 'too-long' | 'crowded' | 'whole' | 'left') => {
    if (chunks === null) return;
    const body = chunks;
    chunks = null;
    heldBytes -= size;
    if (how !== 'left') then(how === 'whole' ? body : how);
  };
  incoming.on('data', (chunk: Buffer) => {
    if (chunks === null) return;
    if (size + chunk.length > bytesMax) return over('too-long');
    if (heldBytes + chunk.length > HTTP_BODIES_BYTES_MAX) return over('crowded');
    size += chunk.length;
    heldBytes += chunk.length;
    chunks.push(chunk);
    if (size === length) over('whole');
  });
  incoming.on('end', () => over('whole'));
  incoming.on('close', () => over('left'));
}

/** A body as a message, or as an array of such, read by the same scanner as a line; or why it is neither. */
export function messageOf(body: Bytes): Frame | BatchLine | NoiseReason {
  for (const chunk of body) flatten(chunk);
  SCANNER.reset();
  for (const chunk of body) SCANNER.push(chunk, 0);
  const found = SCANNER.finish();
  if (found === null) return 'not-json';
  if (typeof found === 'string' && found !== 'batch') return found;
  if (!SCANNER.isAscii && !isUtf8(join(body))) return 'invalid-utf8';
  const length = byteLength(body);
  return found === 'batch' ? { bytes: body, length } : { bytes: body, length, envelope: found, view: null };
}

// — internal —

/** Of bodies that are not whole yet. */
let heldBytes = 0;

const SCANNER = new EnvelopeScanner(JSON_DEPTH_MAX);

const LINE_FEED = 0x0a;
const CARRIAGE_RETURN = 0x0d;
const TAB = 0x09;

/**
 * A body may have line breaks, and servers read lines. Where JSON allows a break it allows a tab too, and where it does not (in a string)
 * it allows neither, so what is wrong stays wrong. The chunk is the request's own, and is changed in place.
 */
function flatten(chunk: Uint8Array): void {
  for (const breaking of [LINE_FEED, CARRIAGE_RETURN]) {
    for (let at = chunk.indexOf(breaking); at >= 0; at = chunk.indexOf(breaking, at + 1)) chunk[at] = TAB;
  }
}
