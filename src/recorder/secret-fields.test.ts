import { describe, expect, test } from 'vitest';
import type { StdioLaunch } from '../core/model.ts';
import { launchWithoutSecrets, secretsInLaunch, withoutSecretFields } from './secret-fields.ts';

describe('a value is hidden by the name beside it', () => {
  test.each([
    ['{"apiKey":"abc"}', '{"apiKey":"***"}'],
    ['{"a":{"password" : "open sesame"},"b":1}', '{"a":{"password" : "***"},"b":1}'],
    ['{"x-api-key":"abc","q":"stays"}', '{"x-api-key":"***","q":"stays"}'],
    ['{"pin_secret":1234}', '{"pin_secret":"***"}'],
    ['{"password":"with \\" quotes","b":1}', '{"password":"***","b":1}'],
    ['{"password":"ends with \\\\","b":1}', '{"password":"***","b":1}'],
    ['{"token":"one","token":"two"}', '{"token":"***","token":"***"}'],
    ['https://host/path?access_token=abc&x=1', 'https://host/path?access_token=***&x=1'],
    ['{"h":"Authorization: Bearer abcdefghijk"}', '{"h":"Authorization: Bearer ***"}'],
    ['PASSWORD=hunter2 done', 'PASSWORD=*** done'],
    ['{"key":"AIzaSyA1234567890abcdefg"}', '{"key":"***"}'],
  ])('%s', (text, hidden) => {
    expect(withoutSecretFields(text)).toBe(hidden);
  });

  test('in JSON that stands in a text, at any depth', () => {
    const inner = { apiKey: 'abc "quoted" \\', ok: 'stays' };
    const once = JSON.stringify({ text: JSON.stringify(inner) });
    const twice = JSON.stringify({ text: once });
    for (const text of [once, twice]) {
      const hidden = withoutSecretFields(text);
      expect(hidden).not.toContain('abc');
      let value = JSON.parse(hidden);
      while (value.text !== undefined) value = JSON.parse(value.text);
      expect(value).toEqual({ apiKey: '***', ok: 'stays' });
    }
  });

  test('where the text ends in its middle', () => {
    expect(withoutSecretFields('{"password":"open ses')).toBe('{"password":"***"');
    expect(withoutSecretFields('{"text":"{\\"password\\":\\"open","b":1}')).toBe(
      '{"text":"{\\"password\\":\\"***\\"","b":1}',
    );
  });
});

test.each([
  '{"progressToken":7,"nextCursor":"abc"}',
  '{"key":"colour","value":"red"}',
  '{"monkey":"banana","author":"me"}',
  '{"properties":{"token":{"type":"string"}}}',
  '{"token":null,"password":true}',
  '{"uri":"https://host/?q=1&page=2"}',
])('%s stays as it is', (text) => {
  expect(withoutSecretFields(text)).toBe(text);
});

test('a text that a server made to be slow is looked through in no time', () => {
  for (const piece of ['\\', '"', '"token":"\\', '\\"a\\":', 'token=', '"token":"'])
    expect(withoutSecretFields(piece.repeat(50_000)).length).toBeGreaterThan(0);
});

const LAUNCH: StdioLaunch = {
  kind: 'stdio',
  command: 'node',
  args: ['s.js', '--token', 'tok-1', '--api-key=key-2', '--root', '/home/me', '--secret', '${' + 'secret:S}'],
  cwd: null,
  env: { DB_PASSWORD: 'pw-3', MODE: 'fast', AUTH: 'Bearer bear-4' },
};

test('what stands in a launch in plain text is found by the name of its option or variable', () => {
  expect(secretsInLaunch(LAUNCH).sort()).toEqual(['Bearer bear-4', 'bear-4', 'key-2', 'pw-3', 'tok-1']);
});

test('a launch is shown without it, and placeholders stay', () => {
  const shown = launchWithoutSecrets(LAUNCH, (text) => text);
  const text = JSON.stringify(shown);
  for (const secret of ['tok-1', 'key-2', 'pw-3', 'bear-4']) expect(text).not.toContain(secret);
  expect(shown).toMatchObject({ command: 'node', env: { MODE: 'fast' } });
  expect(text).toContain('/home/me');
  expect(text).toContain('${' + 'secret:S}');
});

test('a remote launch is shown without what its headers and its address give away', () => {
  const shown = launchWithoutSecrets(
    {
      kind: 'http',
      url: 'https://h/mcp?api_key=k-1',
      transport: 'auto',
      headers: { 'X-Auth-Token': 't-2', Accept: 'x' },
    },
    (text) => text,
  );
  expect(shown).toEqual({
    kind: 'http',
    url: 'https://h/mcp?api_key=***',
    transport: 'auto',
    headers: { 'X-Auth-Token': '***', Accept: 'x' },
  });
});
