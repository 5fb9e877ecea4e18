import { isUtf8 } from 'node:buffer';
import { BATCH_ELEMENTS_MAX, JSON_DEPTH_MAX, NOISE_SAMPLE_BYTES } from '../../limits.ts';
import { splitBatch } from '../../protocol/batch.ts';
import type { BatchLine, Frame } from '../../protocol/frame.ts';
import { FrameReader, type Noise } from '../../protocol/framing.ts';

/** Messages out of the bodies and events of HTTP, where one may be written over several lines. */
export class FrameFeed {
  readonly #reader: FrameReader;

  constructor(lineBytesMax: number, takes: { onFrame(frame: Frame): void; onNoise(noise: Noise): void }) {
    const bounds = { depthMax: JSON_DEPTH_MAX, sampleBytesMax: NOISE_SAMPLE_BYTES, elementsMax: BATCH_ELEMENTS_MAX };
    const onBatch = (line: BatchLine) => splitBatch(line, bounds, takes);
    this.#reader = new FrameReader({ ...bounds, ...takes, lineBytesMax, isUtf8, onBatch });
  }

  /** A part of a message. */
  push(chunk: Uint8Array): void {
    this.#reader.push(inOneLine(chunk));
  }

  /** The message that was pushed is whole. */
  end(): void {
    this.#reader.end();
  }
}

// — internal —

const NEWLINE = 0x0a;
const SPACE = 0x20;

/** Between the tokens of JSON a newline is worth a space, and within them there is none. */
function inOneLine(chunk: Uint8Array): Uint8Array {
  let at = chunk.indexOf(NEWLINE);
  if (at < 0) return chunk;
  const copy = new Uint8Array(chunk);
  for (; at >= 0; at = copy.indexOf(NEWLINE, at)) copy[at] = SPACE;
  return copy;
}
