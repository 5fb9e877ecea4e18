/**
 * Where a text stops being JSON, and why: `line 3, column 28: Unexpected token 's'`. `error` is what `JSON.parse` threw for it. What V8
 * quotes of the text is left out: a secret as likely as not.
 */
export function jsonFault(text: string, error: unknown): string {
  const words = error instanceof Error ? error.message : String(error);
  const before = text.slice(0, faultAt(text, words)).split('\n');
  const reason = words.replace(/,? ?(in JSON )?at position.*$/s, '').replace(/, (\.\.\.)?".*$/s, '');
  return `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: ${reason}`;
}

// — internal —

/** V8 names the place of some faults only. That of a wrong character is found by halves: the shortest beginning that has one ends with it. */
function faultAt(text: string, words: string): number {
  const named = /position (\d+)/.exec(words)?.[1];
  if (named !== undefined) return Number(named);
  if (!hasWrongCharacter(text)) return text.trimEnd().length; // it ends too early
  let [sound, wrong] = [0, text.length];
  while (wrong - sound > 1) {
    const middle = (sound + wrong) >> 1;
    if (hasWrongCharacter(text.slice(0, middle))) wrong = middle;
    else sound = middle;
  }
  return sound;
}

function hasWrongCharacter(text: string): boolean {
  try {
    JSON.parse(text);
    return false;
  } catch (error) {
    return error instanceof Error && error.message.endsWith('is not valid JSON');
  }
}
