import { expect, test } from 'vitest';
import { isConfidential } from './secret-shape.ts';

test.each([
  ['GITHUB_PERSONAL_ACCESS_TOKEN', 'short'],
  ['DB_PASSWORD', 'open sesame'],
  ['openaiApiKey', 'x'],
  ['apikey', 'x'],
  ['DATABASE', 'postgres://me:pw@host/db'],
  ['X', 'ghp_16C7e42F292c6912E7710c838347Ae178B4a'],
])('%s=%s would do harm in a log', (name, value) => {
  expect(isConfidential(name, value)).toBe(true);
});

test.each([
  ['DATA_DIR', '/home/me/notes-2026-archive'],
  ['GREETING', 'hello there, 2 of you'],
  ['MODE', 'exit'],
  ['ENDPOINT', 'https://example.org/v1/things'],
  ['MONKEY', 'banana'],
  ['KEYBOARD', 'de'],
  ['AUTHOR', 'me'],
  ['TOKENS_FILE', '/x'],
])('%s=%s may be read in a log', (name, value) => {
  expect(isConfidential(name, value)).toBe(false);
});
