import { isUtf8 } from 'node:buffer';
import type { Bytes, Frame, NoiseReason } from '../../src/protocol/frame.ts';
import { FrameReader } from '../../src/protocol/framing.ts';

/** A message as objects, for tests only. */
export interface Message {
  jsonrpc: '2.0';
  id?: number | string | null;
  method?: string;
  params?: Record<string, unknown>;
  result?: unknown;
  error?: { code: number; message: string; data?: Record<string, unknown> };
}

let frames: Frame[] = [];
let noise: NoiseReason[] = [];
const reader = new FrameReader({
  lineBytesMax: 1 << 26,
  depthMax: 256,
  sampleBytesMax: 100,
  isUtf8,
  onFrame: (frame) => frames.push(frame),
  onNoise: ({ reason }) => noise.push(reason),
});

export function frameOf(text: string): Frame {
  frames = [];
  noise = [];
  reader.push(Buffer.from(`${text}\n`));
  const [frame] = frames;
  if (frame === undefined) throw new RangeError(`not a message (${noise.join()}): ${text.slice(0, 200)}`);
  return frame;
}

export function textOf(bytes: Bytes): string {
  return Buffer.concat(bytes).toString('utf8');
}

/** The `_meta` of a modern host's requests. */
export function modernMeta(more: Record<string, unknown> = {}, capabilities: object = {}): Record<string, unknown> {
  return {
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'modern-host', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': capabilities,
    ...more,
  };
}

/** A small seeded generator (mulberry32): the same run for the same seed. */
export function seeded(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
