/** How many columns of a terminal a text takes. */

/** Combining marks and variation selectors sit on the character before them. */
const NARROWER = /^\p{M}$/u;
/** East Asian wide and full-width ranges (Unicode's EastAsianWidth W and F), and what terminals draw as a picture. */
const WIDER =
  /^[\u1100-\u115f\u2e80-\u303e\u3041-\u33ff\u3400-\u4dbf\u4e00-\ua4cf\ua960-\ua97f\uac00-\ud7a3\uf900-\ufaff\ufe30-\ufe6f\uff01-\uff60\uffe0-\uffe6\u{20000}-\u{3fffd}\p{Emoji_Presentation}]$/u;
const NARROW_TEXT = /^[\x20-\x7e]*$/;

/** Columns of `text`, which holds no control characters. */
export function widthOf(text: string): number {
  if (NARROW_TEXT.test(text)) return text.length;
  let width = 0;
  for (const char of text) width += charWidth(char);
  return width;
}

/** `text` cut to at most `columns`, the last of them an ellipsis when something was cut. */
export function cutTo(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text;
  let kept = '';
  let width = 0;
  for (const char of text) {
    width += charWidth(char);
    if (width > columns - 1) break;
    kept += char;
  }
  return columns > 0 ? `${kept}…` : '';
}

export function padTo(text: string, columns: number, side: 'left' | 'right' = 'left'): string {
  const padding = ' '.repeat(Math.max(0, columns - widthOf(text)));
  return side === 'left' ? text + padding : padding + text;
}

// — internal —

function charWidth(char: string): number {
  if (NARROWER.test(char)) return 0;
  return WIDER.test(char) ? 2 : 1;
}
