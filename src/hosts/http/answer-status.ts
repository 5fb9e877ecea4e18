import { JSON_DEPTH_MAX } from '../../limits.ts';
import { join } from '../../protocol/bytes.ts';
import type { Bytes } from '../../protocol/frame.ts';
import { headOf } from '../../protocol/gather.ts';
import { member, text } from '../../protocol/members.ts';
import { EnvelopeScanner } from '../../protocol/scan.ts';

/** The HTTP status of an answer to a stateless request. Errors about the request itself have one of their own; all else is 200. */
export function statusOf(answer: Bytes): number {
  // Most answers are results, and say so at once.
  if (RESULT_FIRST.test(headOf(answer, HEAD_BYTES).toString('latin1'))) return 200;
  SCANNER.reset();
  for (const chunk of answer) SCANNER.push(chunk, 0);
  const found = SCANNER.finish();
  if (found === null || typeof found === 'string' || found.kind !== 'error') return 200;
  const bytes = join(answer);
  const code = member(bytes, found.error, 'code');
  return code !== null && BAD_REQUESTS.includes(text(bytes, code)) ? 400 : 200;
}

// — internal —

/** Enough for the version and an id of the usual length. */
const HEAD_BYTES = 128;
const RESULT_FIRST = /^\s*\{(?:"jsonrpc":"2\.0",)?(?:"id":(?:-?\d+|"[^"\\]*"),)?"result"/;
const SCANNER = new EnvelopeScanner(JSON_DEPTH_MAX);
/** Wrong headers, a missing capability, a revision that is not served. */
const BAD_REQUESTS: readonly string[] = ['-32020', '-32021', '-32022'];
