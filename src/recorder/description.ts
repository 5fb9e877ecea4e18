import { isUtf8 } from 'node:buffer';
import { JSON_DEPTH_MAX, SERVER_LINE_BYTES_MAX } from '../limits.ts';
import { join, slice } from '../protocol/bytes.ts';
import type { Bytes, Envelope, Frame } from '../protocol/frame.ts';
import { FrameReader } from '../protocol/framing.ts';
import { jsonString, member } from '../protocol/members.ts';
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
export function described(bytes: Bytes): Description[] {
  const found: Description[] = [];
  const reader = new FrameReader({
    lineBytesMax: SERVER_LINE_BYTES_MAX,
    depthMax: JSON_DEPTH_MAX,
    sampleBytesMax: 0,
    isUtf8,
    onFrame: (frame) => found.push(descriptionOf(frame)),
    onNoise: () => undefined, // the server's log has it
  });
  for (const chunk of bytes) reader.push(chunk);
  reader.end();
  return found;
}

export function descriptionOf({ bytes, envelope, length }: Frame): Description {
  return { envelope, length, target: targetOf(bytes, envelope) };
}

// — internal —

const TARGETS = ['name', 'uri', 'taskId'];

function targetOf(bytes: Bytes, envelope: Envelope): string | null {
  if (envelope.kind !== 'request' || envelope.params === null) return null;
  const head = join(slice(bytes, { start: 0, end: RECORDING_HEAD_BYTES }));
  const params = { start: envelope.params.start, end: Math.min(envelope.params.end, head.length) };
  for (const key of TARGETS) {
    const found = member(head, params, key);
    const value = found === null ? null : jsonString(head, found);
    if (value !== null) return value;
  }
  return null;
}
