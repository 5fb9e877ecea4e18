import { randomBytes } from 'node:crypto';
import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { type Key, keyOfText, readSealed, seal, unseal } from './sealed-file.ts';

const key: Key = { place: 'file', id: '0123456789abcdef', bytes: randomBytes(32) };

test('what is sealed is read with its key and with no other', () => {
  void fc.assert(
    fc.property(fc.string({ unit: 'binary' }), (text) => {
      const sealed = readSealed(seal(text, key));
      expect(sealed).toMatchObject({ place: 'file', keyId: key.id });
      if (sealed === null) return;
      expect(unseal(sealed, key.bytes)).toBe(Buffer.from(text).toString());
      expect(unseal(sealed, randomBytes(32))).toBeNull();
    }),
  );
});

test('the sealed text shows nothing of what is in it, and is another one each time', () => {
  const [once, again] = [seal('hunter2-hunter2', key), seal('hunter2-hunter2', key)];
  expect(once).not.toContain('hunter2');
  expect(once).not.toBe(again);
});

test('a changed bit is noticed, wherever it is: also in the part that says where the key is', () => {
  const text = seal('{"a":"b"}', key);
  const sealed = readSealed(text.replace('"key":"file"', '"key":"keyring"'));
  expect(sealed?.place).toBe('keyring');
  expect(sealed === null ? null : unseal(sealed, key.bytes)).toBeNull();
  const { nonce, tag, data } = readSealed(text) ?? { nonce: Buffer.of(), tag: Buffer.of(), data: Buffer.of() };
  for (const part of [nonce, tag, data]) {
    for (let at = 0; at < part.length; at++) {
      const changed = Buffer.from(part);
      changed[at] = (changed[at] ?? 0) ^ 1;
      const parts = { nonce, tag, data };
      const [name] = Object.entries(parts).find(([, one]) => one === part) ?? ['data'];
      expect(unseal({ place: 'file', keyId: key.id, ...parts, [name]: changed }, key.bytes)).toBeNull();
    }
  }
});

test.each([
  ['', 'nothing'],
  ['{"version":2', 'cut JSON'],
  ['{"version":3,"cipher":"aes-256-gcm"}', 'a later version'],
  [seal('x', key).replace('"nonce":"', '"nonce":"AAAA'), 'a nonce of another length'],
  [seal('x', key).replace(/"tag":"[^"]*"/, '"tag":"AAAA"'), 'a short tag'],
  [seal('x', key).replace('0123456789abcdef', '../../../../etc'), 'a key id that is none'],
])('%#: what is no sealed file is refused: %s', (text) => {
  expect(readSealed(text)).toBeNull();
});

test('a key is 32 bytes, in base64 or hexadecimal digits, and nothing that a person would think of', () => {
  const bytes = randomBytes(32);
  expect(keyOfText(`${bytes.toString('base64')}\n`)).toEqual(bytes);
  expect(keyOfText(bytes.toString('base64url'))).toEqual(bytes);
  expect(keyOfText(bytes.toString('hex'))).toEqual(bytes);
  for (const text of ['', 'correct horse battery staple', 'x'.repeat(64), bytes.toString('hex').slice(1)])
    expect(keyOfText(text)).toBeNull();
});
