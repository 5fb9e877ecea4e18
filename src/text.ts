/**
 * Text that came from a server, a package or a file is shown only through these functions, on a terminal and on a page alike.
 * What could move the cursor, start an escape sequence, reorder or hide text becomes a visible escape: `\x1b`, `\u202e`, `\u{e0041}`.
 */

/**
 * - control characters (C0, DEL, C1), so ESC and the CR that would forge a line are among them
 * - format characters (bidi, zero-width, tags) and everything a renderer may leave out
 * - line and paragraph separators, lone surrogates
 *
 * U+FE0E and U+FE0F pass after a pictograph, where they only choose its look.
 */
const UNSAFE =
  /(?!(?<=\p{Extended_Pictographic})[\ufe0e\ufe0f])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/gu;
/** Most text has nothing to replace; one test of a class is several times cheaper than a replace. */
const PLAIN = /^[\x20-\x7e]*$/;

/**
 * One line of safe text. With `lines`, newlines and tabs pass: for text that is allowed to fill several lines, such as a tool's result.
 */
export function showable(text: string, layout: 'line' | 'lines' = 'line'): string {
  if (PLAIN.test(text)) return text;
  return text.replace(UNSAFE, (char) => {
    if (layout === 'lines' && (char === '\n' || char === '\t')) return char;
    return NAMED[char] ?? escapeOf(char.codePointAt(0) ?? 0);
  });
}

/** The first line that says something; not yet safe to show. */
export function firstLineOf(text: string): string {
  return /\S[^\r\n]*/.exec(text)?.[0].trimEnd() ?? '';
}

/** JSON text of `value` that is safe to show and parses to the very same value. `indent` as in `JSON.stringify`. */
export function showableJson(value: unknown, indent?: number): string {
  return showableRawJson(JSON.stringify(value, null, indent) ?? 'null');
}

/** The same for JSON text as it came: inside strings unsafe characters become `\uXXXX`; outside of strings JSON has none but white space. */
export function showableRawJson(json: string): string {
  return json.replace(UNSAFE, (char) => {
    if (char === '\n' || char === '\t' || char === '\r') return char === '\r' ? '' : char;
    return Array.from({ length: char.length }, (_, i) => `\\u${hex(char.charCodeAt(i), 4)}`).join('');
  });
}

// — internal —

const NAMED: Record<string, string> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };

function escapeOf(code: number): string {
  if (code < 0x100) return `\\x${hex(code, 2)}`;
  return code < 0x1_0000 ? `\\u${hex(code, 4)}` : `\\u{${hex(code, 0)}}`;
}

function hex(code: number, digits: number): string {
  return code.toString(16).padStart(digits, '0');
}
