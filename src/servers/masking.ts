import { SECRET_MASKED_CHARS_MIN } from '../limits.ts';

const MASK = '***';

/** Replaces every known secret in a text, in the forms in which programs print them. */
export type Mask = (text: string) => string;

/**
 * A mask for these values: plain, as a JSON string, URL-encoded, and in base64 at any offset, so that the `Authorization: Basic` of
 * `user:secret` is found too. A text that ends in the middle of a secret loses that beginning as well.
 */
export function maskOf(values: Iterable<string>): Mask {
  const needles = [...new Set(Array.from(values, formsOf).flat())]
    .filter((needle) => needle.length >= SECRET_MASKED_CHARS_MIN)
    .sort((a, b) => b.length - a.length);
  if (needles.length === 0) return (text) => text;
  const pattern = new RegExp(needles.map(literal).join('|'), 'g');
  return (text) => {
    const masked = text.replace(pattern, MASK);
    const cut = cutNeedle(masked, needles);
    return cut === 0 ? masked : masked.slice(0, -cut) + MASK;
  };
}

// — internal —

function formsOf(value: string): string[] {
  if (value.length < SECRET_MASKED_CHARS_MIN) return [];
  const url = urlEncoded(value);
  const bytes = Buffer.from(value);
  const base64 = [0, 1, 2].map((offset) => innerBase64(bytes, offset));
  return [
    value,
    ...value.split(/[\r\n]+/), // a line at a time is how a log meets a key of several lines
    JSON.stringify(value).slice(1, -1),
    url,
    url.replaceAll('%20', '+'),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ];
}

/** What base64 makes of `bytes` behind `offset` unknown ones and before more: only the characters that depend on nothing else. */
function innerBase64(bytes: Buffer, offset: number): string {
  const text = Buffer.concat([Buffer.alloc(offset), bytes])
    .toString('base64')
    .replace(/=+$/, '');
  const startsAt = [0, 2, 3][offset] ?? 0;
  const whole = (offset + bytes.length) % 3 === 0;
  return text.slice(startsAt, whole ? undefined : -1);
}

function urlEncoded(value: string): string {
  try {
    return encodeURIComponent(value);
  } catch {
    return value; // a lone surrogate has no such form
  }
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}

/** How many characters at the end of `text` are the beginning of a needle. Shorter ones than the minimum give nothing away. */
function cutNeedle(text: string, needles: readonly string[]): number {
  let longest = 0;
  for (const needle of needles) {
    for (let length = Math.min(needle.length - 1, text.length); length >= SECRET_MASKED_CHARS_MIN; length--) {
      if (length <= longest) break;
      if (text.endsWith(needle.slice(0, length))) longest = length;
    }
  }
  return longest;
}
