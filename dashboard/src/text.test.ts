import { expect, test } from 'vitest';
import { bytesText, counted, latencyText, numberText, safeLink, shown, timeText } from './text.ts';

test('a link is http or https, and its host is known before it is opened', () => {
  expect(safeLink('https://example.org:8443/a?b')).toEqual({
    href: 'https://example.org:8443/a?b',
    host: 'example.org:8443',
  });
  for (const text of ['javascript:alert(1)', 'data:text/html,x', 'file:///etc/passwd', '//evil.example', 'weather'])
    expect(safeLink(text)).toBeNull();
});

test('a link that shows one host and opens another is none', () => {
  expect(safeLink('https://bank.example@evil.example/')).toBeNull();
});

test('what would hide or reorder text is shown as an escape', () => {
  expect(shown('a\u202eb\u001b[2J')).toBe('a\\u202eb\\x1b[2J');
});

test('numbers, sizes and times are short', () => {
  expect([0, 999, 1000, 1234567].map(numberText)).toEqual(['0', '999', '1\u202f000', '1\u202f234\u202f567']);
  expect([0, 812, 1536, 50_331_648, 1023.9 * 1024 * 1024].map(bytesText)).toEqual([
    '0 B',
    '812 B',
    '1.5 kB',
    '48 MB',
    '1.0 GB',
  ]);
  expect([0.42, 12.3, 999.9, 1340, 125_000].map(latencyText)).toEqual(['0.4 ms', '12 ms', '1 s', '1.3 s', '2 min']);
  expect([counted(1, 'server'), counted(2, 'server')]).toEqual(['1 server', '2 servers']);
});

test('a moment of another day says its day', () => {
  const at = new Date(2026, 2, 4, 5, 6, 7).getTime();
  expect(timeText(at, at + 1000)).toBe('05:06:07');
  expect(timeText(at, at + 48 * 3_600_000)).toBe('2026-03-04 05:06:07');
});
