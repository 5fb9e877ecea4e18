import { expect, test } from 'vitest';
import { shellWord } from './shell-word.ts';

test('a word is quoted only when a shell would change it', () => {
  expect(shellWord('/usr/bin/node')).toBe('/usr/bin/node');
  expect(shellWord("it's $HOME")).toBe("'it'\\''s $HOME'");
  expect(shellWord('~/x')).toBe("'~/x'");
  expect(shellWord('')).toBe("''");
});
