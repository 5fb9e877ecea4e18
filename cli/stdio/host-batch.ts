import { BATCH_ANSWERS_BYTES_MAX, BATCH_ELEMENTS_MAX, JSON_DEPTH_MAX } from '../../src/limits.ts';
import { type Batch, openBatch } from '../../src/protocol/batch.ts';
import type { BatchLine, Bytes } from '../../src/protocol/frame.ts';
import { featuresOf } from '../../src/protocol/revisions.ts';

const BOUNDS = {
  depthMax: JSON_DEPTH_MAX,
  elementsMax: BATCH_ELEMENTS_MAX,
  answersBytesMax: BATCH_ANSWERS_BYTES_MAX,
};

/** A batch taken up, or what to answer to it as a whole, as a line; null where the revision of the session has no batches. */
export function hostBatch(line: BatchLine, revision: string | null): Batch | Bytes | null {
  return featuresOf(revision).batches ? openBatch(line, BOUNDS) : null;
}
