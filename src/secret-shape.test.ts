import { expect, test } from 'vitest';
import { isConfidential, isMasked } from './secret-shape.ts';

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

test.each([
  'SECRET-zq9!xx77-abcdef/+tail',
  'SECRET-abcdefghijklmn',
  'hunter2',
  'Tr0ub4dor&3',
  '4711081512345678',
  'correcthorsebattery',
])('%s, kept under a name that says nothing, is masked', (value) => {
  expect(isMasked('TOK', value)).toBe(true);
});

test.each([
  'exit',
  '3',
  '2026-12-01',
  '/home/me/notes',
  'C:\\notes',
  'https://example.org/v1/things',
  'localhost:8080',
  'db.acme.org:54',
  'en_US.UTF-8',
  'us-east-1',
  'Europe/Berlin',
  '--verbose',
  'hello there, 2 of you',
])('%s, kept under a name that says nothing, may be read in a log', (value) => {
  expect(isMasked('SETTING', value)).toBe(false);
});
