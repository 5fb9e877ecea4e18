import { isConfidential } from '../src/secret-shape.ts';

/** The text of an error as it is kept: without the server's secrets, and without words that look like somebody's. `mask` knows the former. */
export function maskedError(text: string, server: string, mask: (server: string, text: string) => string): string {
  return mask(server, text).replace(WORD, (word) => (isConfidential('', word) ? '***' : word));
}

// — internal —

/** Shorter ones are no credentials by their looks. */
const WORD = /\S{12,}/g;
