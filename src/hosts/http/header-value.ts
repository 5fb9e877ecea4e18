/** Values of `Mcp-Name` and `Mcp-Param-…` headers: plain ASCII, or UTF-8 in base64 between two marks. */

/** What the value stands for, or null when it is not valid. */
export function decodedValue(value: string): string | null {
  if (value.startsWith(PREFIX) && value.endsWith(SUFFIX) && value.length >= PREFIX.length + SUFFIX.length)
    return decodedBase64(value.slice(PREFIX.length, -SUFFIX.length));
  return PLAIN.test(value) ? value : null;
}

// — internal —

const PREFIX = '=?base64?';
const SUFFIX = '?=';
const PLAIN = /^[\t\x20-\x7e]*$/;
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;
const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function decodedBase64(text: string): string | null {
  if (!BASE64.test(text)) return null;
  try {
    return UTF8.decode(Buffer.from(text, 'base64'));
  } catch {
    // Not UTF-8, so it stands for no text.
    return null;
  }
}
