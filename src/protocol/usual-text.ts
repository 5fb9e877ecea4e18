/**
 * Hosts and servers write the same few texts again and again: keys, names of tools, what a client calls itself. To compare bytes with a
 * text that is there costs less than to make it.
 */

/** Those seen last, each at a place that its length and two of its bytes give. */
const SEEN: string[] = new Array<string>(128).fill('');
/** Longer ones are hardly ever the same twice. */
const CHARS_MAX = 128;

/** The bytes from `from` to `to` as text. */
export function usualText(bytes: Buffer, from: number, to: number): string {
  const length = to - from;
  if (length <= 0 || length > CHARS_MAX) return bytes.toString('utf8', from, to);
  const place = (length * 37 + (bytes[from + (length >> 1)] ?? 0) * 5 + (bytes[to - 1] ?? 0)) % SEEN.length;
  const seen = SEEN[place] ?? '';
  if (seen.length === length && isAt(bytes, from, seen)) return seen;
  const text = bytes.toString('utf8', from, to);
  // One that is not ASCII is shorter than its bytes, or has characters that no byte equals.
  if (text.length === length) SEEN[place] = text;
  return text;
}

// — internal —

function isAt(bytes: Uint8Array, from: number, text: string): boolean {
  for (let i = 0; i < text.length; i++) if (bytes[from + i] !== text.charCodeAt(i)) return false;
  return true;
}
