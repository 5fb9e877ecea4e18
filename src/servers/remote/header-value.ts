/**
 * Values as HTTP headers can carry them: what is not plain visible ASCII, or looks as if it were encoded already, goes as base64 of its
 * UTF-8 between marks.
 * @see the specification of 2026-07-28, "Streamable HTTP", "Value Encoding"
 */
export function headerValue(text: string): string {
  if (PLAIN.test(text) && !(text.startsWith(PREFIX) && text.endsWith(SUFFIX))) return text;
  return `${PREFIX}${Buffer.from(text).toString('base64')}${SUFFIX}`;
}

// — internal —

const PREFIX = '=?base64?';
const SUFFIX = '?=';
/** No space or tab at either end; an empty value would be lost on the way. */
const PLAIN = /^[\x21-\x7e]([\t\x20-\x7e]*[\x21-\x7e])?$/;
