import type { Edit } from './bytes.ts';
import { blockEdits } from './content-blocks.ts';
import type { Frame, Span } from './frame.ts';
import { completeForModern, contentForOlder, plainForLegacy } from './results.ts';
import { featuresOf } from './revisions.ts';

/** The way of an answer from a server to a host. */
export interface Way {
  serverEra: 'legacy' | 'modern';
  hostEra: 'legacy' | 'modern';
  /** null: it has named none. */
  hostRevision: string | null;
}

/**
 * All edits that make a result right for its host: those already `made` (its id, its URIs) and those that the host's era and revision
 * need. Or the `resultType` that no legacy host can be given. A host as new as its server gets what came, and pays nothing for it; a big
 * result is searched before anything of it is read.
 */
export function editsForHost(
  frame: Frame,
  result: Span,
  method: string,
  { serverEra, hostEra, hostRevision }: Way,
  made: readonly Edit[],
): readonly Edit[] | { resultType: string } {
  if (hostEra === 'modern') {
    const edit = serverEra === 'modern' ? null : completeForModern(frame, result, method);
    return edit === null ? made : [...made, edit];
  }
  const features = featuresOf(hostRevision);
  let edits = made;
  if (serverEra === 'modern') {
    const plain = plainForLegacy(frame, result);
    if (!Array.isArray(plain)) return plain;
    edits = [...made, ...plain];
  } else if (features.structured === 'none' && method === 'tools/call') {
    const content = contentForOlder(frame, result);
    if (content !== null) edits = [content, ...made];
  }
  const hasBlocks = method === 'tools/call' || method === 'prompts/get';
  return hasBlocks && !features.resourceLinks ? blockEdits(frame, result, method, features, edits) : edits;
}
