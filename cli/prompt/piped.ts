import type { Readable } from 'node:stream';
import { McpdError } from '../../src/errors.ts';
import { SECRET_BYTES_MAX } from '../../src/operation-limits.ts';

/** Standard input, whatever it is. */
export type PipedInput = Readable & { isTTY?: boolean };

/**
 * All of it without its last newline. A terminal counts as empty: what is typed there would be shown.
 * @throws McpdError INPUT_INVALID: it is longer than `bytesMax`, or no UTF-8
 */
export async function pipedText(input: PipedInput, bytesMax = SECRET_BYTES_MAX): Promise<string> {
  if (input.isTTY === true) return '';
  const chunks: Uint8Array[] = [];
  let length = 0;
  for await (const chunk of input) {
    const bytes = Buffer.from(chunk as Uint8Array);
    length += bytes.length;
    if (length > bytesMax) {
      throw new McpdError('INPUT_INVALID', {
        what: 'standard input is too long',
        why: `${bytesMax / 1024} KiB are the most`,
      });
    }
    chunks.push(bytes);
  }
  return decoded(Buffer.concat(chunks)).replace(/\r?\n$/, '');
}

// — internal —

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decoded(bytes: Buffer): string {
  try {
    return UTF8.decode(bytes);
  } catch {
    // The decoder knows no more than that.
    throw new McpdError('INPUT_INVALID', { what: 'standard input is not text', why: 'it is not UTF-8' });
  }
}
