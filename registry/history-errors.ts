import { withoutQuoted } from '../src/core/failures.ts';
import { isConfidential } from '../src/secret-shape.ts';

/**
 * The text of an error as it is kept: without the server's secrets, which `mask` knows, without what it quotes, and without words that look
 * like somebody's secrets. In this order: a secret that has quotes in it would be left in pieces.
 */
export function maskedError(text: string, server: string, mask: (server: string, text: string) => string): string {
  return withoutQuoted(mask(server, text)).replace(WORD, (word) => (isConfidential('', word) ? '***' : word));
}

// — internal —

/** Shorter ones are no credentials by their looks. */
const WORD = /\S{12,}/g;
