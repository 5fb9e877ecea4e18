import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ResponseReader } from './response.ts';

interface Read {
  status: number;
  body: string;
  stage: ResponseReader['stage'];
}

/** Reads `text` in the given pieces. */
function read(pieces: string[], ended = true): Read {
  const reader = new ResponseReader();
  const parts = pieces.flatMap((piece) => reader.push(Buffer.from(piece, 'latin1')));
  if (ended) reader.end();
  return { status: reader.status, body: Buffer.concat(parts).toString('latin1'), stage: reader.stage };
}

const LENGTH = 'HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello';
const CHUNKED = 'HTTP/1.1 404 Not Found\r\ntransfer-encoding: chunked\r\n\r\n3\r\nhel\r\n2;x=y\r\nlo\r\n0\r\n\r\n';
const UNTIL_END = 'HTTP/1.1 200 OK\r\nconnection: close\r\n\r\nhello';

test('a body of a known length, in chunks and until the end is read', () => {
  expect(read([LENGTH])).toEqual({ status: 200, body: 'hello', stage: 'complete' });
  expect(read([CHUNKED])).toEqual({ status: 404, body: 'hello', stage: 'complete' });
  expect(read([UNTIL_END])).toEqual({ status: 200, body: 'hello', stage: 'complete' });
});

test('however the bytes are cut, the answer is the same', () => {
  const cuts = fc.array(fc.nat(60), { maxLength: 8 });
  fc.assert(
    fc.property(fc.constantFrom(LENGTH, CHUNKED, UNTIL_END), cuts, (text, at) => {
      const ends = [...new Set([...at.map((cut) => cut % text.length), text.length])].sort((a, b) => a - b);
      const pieces = ends.map((end, i) => text.slice(ends[i - 1] ?? 0, end));
      expect(read(pieces)).toEqual(read([text]));
    }),
  );
});

test('an answer that ends too early is not complete', () => {
  expect(read([LENGTH.slice(0, -1)]).stage).toBe('body');
  expect(read([CHUNKED.slice(0, -5)]).stage).toBe('body');
  expect(read([LENGTH.slice(0, 20)]).stage).toBe('head');
});

test('an answer without body is complete with its head', () => {
  expect(read(['HTTP/1.1 204 No Content\r\ncontent-length: 0\r\n\r\n'], false).stage).toBe('complete');
});

test('whatever is no HTTP answer is refused', () => {
  for (const text of [
    'SSH-2.0-x\r\n\r\n',
    '{"jsonrpc":"2.0"}\r\n\r\n',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\nxyz\r\n',
  ]) {
    expect(() => read([text])).toThrow(expect.objectContaining({ code: 'DAEMON_LOST' }));
  }
  expect(() => read(['x'.repeat(70_000)])).toThrow(expect.objectContaining({ code: 'DAEMON_LOST' }));
});
