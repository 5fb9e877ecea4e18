import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { maskOf } from './masking.ts';

const SECRET = 'p4ss/word+ü & "more"';

test('a secret is masked plainly, in JSON, in a URL and in base64', () => {
  const mask = maskOf([SECRET]);
  expect(mask(`token ${SECRET}!`)).toBe('token ***!');
  expect(mask(JSON.stringify({ token: SECRET }))).toBe('{"token":"***"}');
  expect(mask(`https://x/?key=${encodeURIComponent(SECRET)}&a=1`)).toBe('https://x/?key=***&a=1');
  expect(mask(`https://x/?${new URLSearchParams({ key: SECRET })}`)).not.toContain('p4ss');
  expect(mask(`base64 ${Buffer.from(SECRET).toString('base64')}`)).toMatch(/^base64 \*\*\*.{0,3}$/);
  expect(mask(`base64 ${Buffer.from(SECRET).toString('base64url')}`)).toMatch(/^base64 \*\*\*.{0,3}$/);
});

test('base64 of a text that holds the secret shows at most a few characters round it', () => {
  const mask = maskOf(['sk-0123456789abcdef']);
  for (const user of ['', 'a', 'ab', 'abc', 'user:']) {
    const basic = Buffer.from(`${user}sk-0123456789abcdef:x`).toString('base64');
    expect(mask(basic)).toContain('***');
    expect(mask(basic).length).toBeLessThan(basic.length - 15);
  }
});

test('no text round a secret keeps it from being masked', () => {
  void fc.assert(
    fc.property(fc.tuple(fc.string({ minLength: 6 }), fc.string(), fc.string()), ([secret, before, after]) => {
      expect(maskOf([secret])(`${before}${secret}${after}`)).toContain('***');
    }),
  );
});

test('the beginning of a secret at the end of a cut line is masked as well', () => {
  const mask = maskOf(['sk-0123456789abcdef']);
  expect(mask('key sk-0123456789')).toBe('key ***');
  expect(mask('key sk-0')).toBe('key sk-0');
});

test('a text that is cut in the middle of a secret shows nothing of it, in whatever form that is', () => {
  const secret = 'tr0ub4dor/&+3xample="\u00fc\\x y?end0fIt';
  const mask = maskOf([secret]);
  const forms = [
    secret,
    JSON.stringify(secret),
    JSON.stringify(JSON.stringify(secret)),
    encodeURIComponent(secret),
    Buffer.from(secret).toString('base64'),
  ];
  for (const form of forms) {
    for (let length = 12; length < form.length; length++)
      expect(mask(`cut: ${form.slice(0, length)}`)).toMatch(/^cut: [\\"]*\*\*\*[\\"A-Za-z0-9=]{0,4}$/);
  }
});

test('each line of a key of several lines is masked', () => {
  expect(maskOf(['-----BEGIN-----\nMIIEvQIBADAN\n-----END-----'])('MIIEvQIBADAN')).toBe('***');
});

test('values too short to be secret, and servers without secrets, leave the text alone', () => {
  expect(maskOf(['true', '5432', ''])('true 5432')).toBe('true 5432');
  expect(maskOf([])('text')).toBe('text');
});

test('of two secrets that begin alike the longer one is taken', () => {
  expect(maskOf(['abcdefgh', 'abcdefghijkl'])('x abcdefghijkl y')).toBe('x *** y');
});

const MANY = 'k3y/+"\\ =&é😀\t-~1';

test.each<[string, (value: string) => string]>([
  ['plain', (value) => value],
  ['JSON', (value) => JSON.stringify(value)],
  ['JSON in JSON', (value) => JSON.stringify(JSON.stringify(value))],
  ['JSON in JSON in JSON', (value) => JSON.stringify(JSON.stringify(JSON.stringify(value)))],
  ['JSON of letters of ASCII alone', (value) => escaped(JSON.stringify(value))],
  [
    'JSON of letters of ASCII alone, in capitals',
    (value) => escaped(JSON.stringify(value)).replace(/(?<=u)[0-9a-f]{4}/g, (digits) => digits.toUpperCase()),
  ],
  ['JSON with slashes escaped', (value) => JSON.stringify(value).replaceAll('/', '\\/')],
  ['a component of a URL', encodeURIComponent],
  [
    'a component of a URL in small letters',
    (value) => encodeURIComponent(value).replace(/%../g, (code) => code.toLowerCase()),
  ],
  ['a component of a URL twice', (value) => encodeURIComponent(encodeURIComponent(value))],
  ['a form', (value) => new URLSearchParams({ value }).toString().slice('value='.length)],
  [
    'every byte encoded that may be',
    (value) => encodeURIComponent(value).replace(/[!'()*~-]/g, (one) => `%${one.charCodeAt(0).toString(16)}`),
  ],
])('a value of all kinds of characters is masked: %s', (_, form) => {
  expect(maskOf([MANY])(`before ${form(MANY)} after`)).toMatch(/^before "?\\*"?\\*"?\*\*\*\\*"?\\*"?"? after$/);
});

test.each<[string, (bytes: Buffer) => string]>([
  ['standard', (bytes) => bytes.toString('base64')],
  ['for URLs', (bytes) => bytes.toString('base64url')],
  ['without padding', (bytes) => bytes.toString('base64').replace(/=+$/, '')],
  ['for URLs, with padding', (bytes) => bytes.toString('base64').replaceAll('+', '-').replaceAll('/', '_')],
  ['in a URL', (bytes) => encodeURIComponent(bytes.toString('base64'))],
  ['in JSON with slashes escaped', (bytes) => bytes.toString('base64').replaceAll('/', '\\/')],
])('base64 (%s) of a text with the secret gives nothing of it away, whatever stands round it', (_, form) => {
  const secret = 'sk-\u00fe\u00ff~~??>>0123456789';
  const mask = maskOf([secret]);
  for (const before of ['', 'a', 'ab', 'abc', 'user:']) {
    for (const after of ['', 'x', 'xy', 'xyz']) {
      const shown = mask(form(Buffer.from(before + secret + after)));
      expect(shown).toContain('***');
      const [head = '', tail = ''] = shown.split('***');
      const allowed = (text: string) => Math.ceil((Buffer.from(text).length / 3) * 4) + 3;
      expect(decodeURIComponent(head).replaceAll('\\', '').length).toBeLessThanOrEqual(allowed(before));
      expect(decodeURIComponent(tail).replaceAll('\\', '').length).toBeLessThanOrEqual(allowed(after));
    }
  }
});

test('a form of any value is masked in any text, and every other character stays', () => {
  const forms = [
    (text: string) => text,
    JSON.stringify,
    encodeURIComponent,
    (text: string) => Buffer.from(text).toString('base64'),
  ];
  const secrets = fc.string({ minLength: 8, unit: 'grapheme-ascii' });
  const plain = fc.stringMatching(/^[.:]{0,20}$/);
  void fc.assert(
    fc.property(secrets, plain, plain, fc.integer({ min: 0, max: 3 }), (secret, before, after, which) => {
      const shown = maskOf([secret])(`${before} ${forms[which]?.(secret)} ${after}`);
      expect(shown.startsWith(`${before} `)).toBe(true);
      expect(shown).toContain('***');
      if (secret.trim() === secret) expect(shown).not.toContain(secret);
    }),
  );
});

test('what may be the beginning of a secret is told, down to one character, in each of its forms', () => {
  const mask = maskOf(['sk-0123456789abcdef', 'a b"c d"e']);
  expect(mask.begun('waiting for s')).toBe(1);
  expect(mask.begun('key sk-0123456789abcde')).toBe(18);
  expect(mask.begun(`key ${Buffer.from('sk-0123456789abcdef').toString('base64').slice(0, 20)}`)).toBe(20);
  expect(mask.begun('a%20b%22')).toBe(8);
  expect(mask.begun('nothing.')).toBe(0);
});

test('a line without any of many known secrets stays as it is, and one that has some loses just those', () => {
  const key = Array.from({ length: 48 }, (_, at) => `${at}`.padStart(2, '0').repeat(32)).join('\n');
  const tokens = Array.from({ length: 20 }, (_, at) => `ghp_${at}_0123456789abcdefghij/+${at}`);
  const mask = maskOf([key, ...tokens]);
  const line = `2026-12-01T10:00:00Z INFO request ghp_ 0123 path=/v1/items?page=2 ${'lorem ipsum '.repeat(60)}`;
  expect(mask(line)).toBe(line);
  expect(mask(`${line}${tokens[3]}, ${'07'.repeat(32)}; ${tokens[17]}.`)).toBe(`${line}***, ***; ***.`);
});

// — internal —

function escaped(json: string): string {
  return json.replace(/[^ -~]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
