import fc from 'fast-check';
import { expect, test } from 'vitest';
import { firstLineOf, showable, showableJson, showableRawJson } from './text.ts';

const HOSTILE = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u;
/** Any code units at all, lone surrogates included, with the dangerous ones made frequent. */
const anyText = fc
  .array(
    fc.oneof(
      fc.integer({ min: 0, max: 0xffff }),
      fc.integer({ min: 0, max: 0xa0 }),
      fc.integer({ min: 0x2000, max: 0x206f }),
    ),
  )
  .map((units) => String.fromCharCode(...units));

test('no control, format or separator character survives, whatever the text', () => {
  fc.assert(
    fc.property(anyText, (text) => !HOSTILE.test(showable(text))),
    { numRuns: 2000 },
  );
});

test('text of several lines keeps its newlines and tabs and loses every other control character', () => {
  fc.assert(
    fc.property(anyText, (text) => !HOSTILE.test(showable(text, 'lines').replace(/[\n\t]/g, ''))),
    { numRuns: 2000 },
  );
  expect(showable('a\tb\r\nc', 'lines')).toBe('a\tb\\r\nc');
});

test('safe JSON parses to the very same value and shows no control character', () => {
  fc.assert(
    fc.property(fc.oneof(fc.jsonValue(), anyText, fc.array(anyText)), (value) => {
      const text = showableJson(value, 2);
      return !HOSTILE.test(text.replaceAll('\n', '')) && JSON.stringify(JSON.parse(text)) === JSON.stringify(value);
    }),
    { numRuns: 2000 },
  );
});

test('JSON as it came keeps its 64-bit numbers and its spelling', () => {
  expect(showableRawJson('{"n":9007199254740993,"t":"\u202e\u009b"}')).toBe(
    '{"n":9007199254740993,"t":"\\u202e\\u009b"}',
  );
});

test('safe text is left alone by a second pass', () => {
  fc.assert(fc.property(anyText, (text) => showable(showable(text)) === showable(text)));
});

test.each([
  ['an SGR sequence', '\x1b[31mred', '\\x1b[31mred'],
  ['an OSC 52 clipboard write', '\x1b]52;c;aGk=\x07', '\\x1b]52;c;aGk=\\x07'],
  ['the one-byte CSI of C1', '\x9b2J', '\\x9b2J'],
  ['a carriage return that would forge a line', 'ok\rmcpd: all well', 'ok\\rmcpd: all well'],
  ['a right-to-left override', 'txt.\u202eexe', 'txt.\\u202eexe'],
  ['a zero-width space', 'a\u200bb', 'a\\u200bb'],
  ['a tag character', 'a\u{e0041}', 'a\\u{e0041}'],
  ['a lone surrogate', 'a\ud800b', 'a\\ud800b'],
  ['a variation selector without a pictograph', 'a\ufe0f', 'a\\ufe0f'],
])('%s becomes a visible escape', (_, text, shown) => {
  expect(showable(text)).toBe(shown);
});

test('letters of any script and pictographs pass unchanged', () => {
  for (const text of ['Größe', '東京', 'مرحبا', 'नमस्ते', '☀️ 21 °C', '🙂', 'e\u0301']) expect(showable(text)).toBe(text);
});

test.each([
  ['one\r\ntwo', 'one'],
  ['\n \n  one \rtwo', 'one'],
  [' \n', ''],
  ['', ''],
])('the first line of %j is %j', (text, line) => {
  expect(firstLineOf(text)).toBe(line);
});
