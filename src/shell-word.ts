/** A word as a POSIX shell takes it back: for commands that people paste. Nothing is ever started through a shell. */
export function shellWord(word: string): string {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
