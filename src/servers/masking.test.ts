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
