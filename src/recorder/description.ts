import { isUtf8 } from 'node:buffer';
import { JSON_DEPTH_MAX, SERVER_LINE_BYTES_MAX } from '../limits.ts';
import { join, slice } from '../protocol/bytes.ts';
import type { Bytes, Envelope, Frame, Span } from '../protocol/frame.ts';
import { FrameReader } from '../protocol/framing.ts';
import { jsonString, member } from '../protocol/members.ts';
import { errorCodeOf } from '../protocol/results.ts';
import { RECORDING_HEAD_BYTES } from '../recorder-limits.ts';

/** What a message is. Pure. */
export interface Description {
  envelope: Envelope;
  /** Bytes, without the newline. */
  length: number;
  /** The tool, prompt or resource that a request is about, as far as it stands in the beginning of the message. */
  target: string | null;
}

/** The messages in these bytes: one, or none when they are noise. */
export function framesIn(bytes: Bytes): Frame[] {
  const found: Frame[] = [];
  const reader = new FrameReader({
    lineBytesMax: SERVER_LINE_BYTES_MAX,
    depthMax: JSON_DEPTH_MAX,
    sampleBytesMax: 0,
    isUtf8,
    onFrame: (frame) => found.push(frame),
    onNoise: () => undefined, // the server's log has it
  });
  for (const chunk of bytes) reader.push(chunk);
  reader.end();
  return found;
}

export function descriptionOf(frame: Frame): Description {
  return { envelope: frame.envelope, length: frame.length, target: targetOf(frame) };
}

/** A text among the params of a request, as far as it stands in the beginning of the message; null when it does not. */
export function textParam({ bytes, envelope }: Frame, key: string): string | null {
  if (envelope.kind !== 'request' || envelope.params === null) return null;
  const head = headOf(bytes);
  const found = member(head, clipped(envelope.params, head), key);
  return found === null ? null : jsonString(head, found);
}

/** The number of an error, as far as it stands in the beginning of the message. */
export function codeOf({ bytes, envelope }: Frame): number | null {
  if (envelope.kind !== 'error') return null;
  const head = headOf(bytes);
  return errorCodeOf(head, clipped(envelope.error, head));
}

// — internal —

const TARGETS = ['name', 'uri', 'taskId'];

function targetOf(frame: Frame): string | null {
  for (const key of TARGETS) {
    const value = textParam(frame, key);
    if (value !== null) return value;
  }
  return null;
}

function headOf(bytes: Bytes): Uint8Array {
  return join(slice(bytes, { start: 0, end: RECORDING_HEAD_BYTES }));
}

function clipped({ start, end }: Span, head: Uint8Array): Span {
  return { start, end: Math.min(end, head.length) };
}
