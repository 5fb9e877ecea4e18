import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { SECRET_BYTES_MAX } from '../../src/operation-limits.ts';
import { pipedText } from './piped.ts';

const piped = (...chunks: (string | Buffer)[]) => pipedText(Readable.from(chunks.map((chunk) => Buffer.from(chunk))));

test('what is piped in is taken as it is, but for the newline that programs put at the end', async () => {
  expect(await piped('tok', 'en\n')).toBe('token');
  expect(await piped(' two\nlines\r\n')).toBe(' two\nlines');
  expect(await piped('keeps its own\n\n')).toBe('keeps its own\n');
  expect(await piped(Buffer.from('é').subarray(0, 1), Buffer.from('é').subarray(1))).toBe('é');
  expect(await piped()).toBe('');
});

test('a terminal is not read: what is typed would be shown', async () => {
  const terminal = Object.assign(Readable.from(['secret']), { isTTY: true });
  expect(await pipedText(terminal)).toBe('');
});

test('what is too long or no text is refused without a word of it', async () => {
  await expect(piped('x'.repeat(SECRET_BYTES_MAX + 1))).rejects.toMatchObject({ code: 'INPUT_INVALID' });
  await expect(piped(Buffer.from([0x73, 0xff]))).rejects.toMatchObject({ parts: { why: 'it is not UTF-8' } });
});
