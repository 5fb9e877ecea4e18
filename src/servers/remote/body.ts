import type { Readable } from 'node:stream';
import { REMOTE_BODY_PAUSE_MS, REMOTE_ERROR_BODY_BYTES_MAX } from '../../remote-limits.ts';
import { RemoteFault } from './fault.ts';

export interface BodyReading {
  /** For errors. */
  place: string;
  /** Longest silence within it, in milliseconds; null where it may be silent as long as it likes. */
  pauseMs: number | null;
  /** `stop`: enough was read; the rest is not waited for. */
  take(chunk: Uint8Array): 'go-on' | 'stop';
}

/** Reads a body to its end. @throws {RemoteFault} it is silent for too long, or whatever breaks the stream */
export async function readBody(body: Readable, { place, pauseMs, take }: BodyReading): Promise<void> {
  const silent = () =>
    body.destroy(new RemoteFault('timeout', `the answer of ${place} stood still for ${(pauseMs ?? 0) / 1000} s`));
  let timer = pauseMs === null ? undefined : setTimeout(silent, pauseMs);
  try {
    for await (const chunk of body as AsyncIterable<Uint8Array>) {
      if (timer !== undefined) timer.refresh();
      // Leaving the loop destroys the stream.
      if (take(chunk) === 'stop') return;
    }
  } finally {
    clearTimeout(timer);
    timer = undefined;
  }
}

/** A short body as a whole, cut at REMOTE_ERROR_BODY_BYTES_MAX. What cannot be read any more is left out: it only explains. */
export async function readShort(body: Readable, place: string): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let length = 0;
  const take = (chunk: Uint8Array) => {
    chunks.push(chunk);
    length += chunk.length;
    return length >= REMOTE_ERROR_BODY_BYTES_MAX ? 'stop' : 'go-on';
  };
  try {
    await readBody(body, { place, pauseMs: REMOTE_BODY_PAUSE_MS, take });
  } catch {
    // What came of it is used; the status says the rest.
  }
  return Buffer.concat(chunks);
}

/** Reads what nobody needs, so that its connection can be used again, if it is short; a long one is closed. */
export async function discard(body: Readable): Promise<void> {
  await readShort(body, '');
}
