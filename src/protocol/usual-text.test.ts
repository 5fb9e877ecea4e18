import fc from 'fast-check';
import { expect, test } from 'vitest';
import { usualText } from './usual-text.ts';

test('a text is that of its bytes, however alike those before it were', () => {
  const alike = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '\u{1f600}', '\\', '\ufffd'), maxLength: 6 });
  fc.assert(
    fc.property(fc.array(alike, { maxLength: 40 }), (texts) => {
      for (const text of texts) {
        const bytes = Buffer.from(`"${text}"`);
        expect(usualText(bytes, 1, bytes.length - 1)).toBe(text);
      }
    }),
  );
});

test('bytes that are no UTF-8 give the same text each time, and no other bytes give it', () => {
  for (let round = 0; round < 2; round++) {
    expect(usualText(Buffer.from([0x61, 0xff, 0x62]), 0, 3)).toBe('a\ufffdb');
    expect(usualText(Buffer.from([0x61, 0xfd, 0x62]), 0, 3)).toBe('a\ufffdb');
    expect(usualText(Buffer.from('axb'), 0, 3)).toBe('axb');
  }
});
