/**
 * Batches of JSON-RPC, which one revision of MCP has: an array of messages in one line. Its elements are taken for themselves, each as
 * the bytes that came; its answers go back in one array.
 */
import { BatchAnswers } from './batch-answers.ts';
import { join, line as lineOf } from './bytes.ts';
import type { BatchLine, Bytes, Frame, NoiseReason, RawId } from './frame.ts';
import type { Noise } from './framing.ts';
import { errorText, INVALID_REQUEST } from './jsonrpc.ts';
import { elements } from './members.ts';
import { EnvelopeScanner } from './scan.ts';

export interface BatchBounds {
  depthMax: number;
  elementsMax: number;
}

/** A batch of a host that is taken up: what is to be done, in its order, and where the answers to its requests go. */
export interface Batch {
  frames: readonly Frame[];
  answers: BatchAnswers;
}

/**
 * Takes up a batch of a host, or says what to answer to it as a whole, as a line. What is no message, and `initialize`, is refused
 * within `answers`. `answersBytesMax`: see BatchAnswers.
 */
export function openBatch(line: BatchLine, bounds: BatchBounds & { answersBytesMax: number }): Batch | Bytes {
  const list = elementsOf(line, bounds);
  if (list === null) return refusal(`a batch may have ${bounds.elementsMax} messages at most; nothing of it was done`);
  if (list.length === 0) return refusal('a batch must have a message');
  const answers = new BatchAnswers(bounds.answersBytesMax);
  const frames: Frame[] = [];
  for (const { bytes, found } of list) {
    if (typeof found === 'string') {
      // Whatever id such an element seems to have, JSON-RPC answers it under none.
      answers.refuse(errorText(null, INVALID_REQUEST, 'an element of this batch is no message', { reason: found }));
    } else if (found.kind === 'request' && found.method === 'initialize') {
      answers.refuse(errorText(found.id, INVALID_REQUEST, 'initialize must not be in a batch', REASON));
    } else {
      if (found.kind === 'request') answers.expect();
      frames.push({ bytes: [bytes], length: bytes.length, envelope: found, view: null });
    }
  }
  return { frames, answers };
}

/** Hands each element of a server's batch on as if it had come in a line of its own. */
export function splitBatch(
  line: BatchLine,
  bounds: BatchBounds & { sampleBytesMax: number },
  { onFrame, onNoise }: { onFrame(frame: Frame): void; onNoise(noise: Noise): void },
): void {
  const { sampleBytesMax } = bounds;
  const noise = ({ bytes, id, asks }: Omit<Element, 'found'>, reason: NoiseReason) =>
    onNoise({ reason, id, asks, bytes: bytes.length, sample: Buffer.from(bytes.subarray(0, sampleBytesMax)) });
  const list = elementsOf(line, bounds);
  if (list === null || list.length === 0) return noise({ bytes: join(line.bytes), id: null, asks: false }, 'batch');
  for (const element of list) {
    const { bytes, found } = element;
    if (typeof found === 'string') noise(element, found);
    else onFrame({ bytes: [bytes], length: bytes.length, envelope: found, view: null });
  }
}

// — internal —

const REASON = { reason: 'batch' };

interface Element {
  bytes: Uint8Array;
  found: Frame['envelope'] | NoiseReason;
  /** As in Noise. */
  id: RawId | null;
  asks: boolean;
}

/** Null: too many. */
function elementsOf({ bytes, length }: BatchLine, { depthMax, elementsMax }: BatchBounds): Element[] | null {
  const whole = join(bytes);
  const spans = elements(whole, { start: 0, end: length }, elementsMax + 1);
  if (spans.length > elementsMax) return null;
  const scanner = new EnvelopeScanner(depthMax);
  return spans.map(({ start, end }) => {
    const element = whole.subarray(start, end);
    scanner.reset();
    scanner.push(element, 0);
    const { id, hasMethod } = scanner;
    const found = scanner.finish() ?? 'not-jsonrpc';
    // An array within the array is no batch.
    return { bytes: element, found: found === 'batch' ? 'not-jsonrpc' : found, id, asks: hasMethod };
  });
}

function refusal(message: string): Bytes {
  return lineOf(errorText(null, INVALID_REQUEST, message, REASON));
}
