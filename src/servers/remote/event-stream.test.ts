import { expect, test } from 'vitest';
import { REMOTE_EVENT_ID_BYTES_MAX } from '../../remote-limits.ts';
import { EventStream } from './event-stream.ts';

function read(bytes: Buffer, chunkBytes: number, eventBytesMax = 1000) {
  const seen: [string, string][] = [];
  let tooLong = 0;
  const stream = new EventStream({
    eventBytesMax,
    onEvent: ({ type, data }) => seen.push([type, data.toString('latin1')]),
    onTooLong: () => tooLong++,
  });
  for (let at = 0; at < bytes.length; at += chunkBytes) stream.push(bytes.subarray(at, at + chunkBytes));
  return { stream, seen, tooLong };
}

test('events are read wherever the stream is cut, and their bytes come back as they were', () => {
  const odd = Buffer.from([0xc3, 0xa9, 0xff, 0x00, 0xe2, 0x80, 0xa8]).toString('latin1');
  const text = `\ufeff: hi\r\nretry: 7\r\nid: 1\r\nevent: x\r\ndata: ${odd}\r\n\r\ndata:a\ndata: b\n\nid: 2\ndata:\n\nunknown: y\ndata: c\n\n`;
  const bytes = Buffer.concat([Buffer.from('\ufeff'), Buffer.from(text.slice(1), 'latin1')]);
  for (const chunkBytes of [1, 3, 1000]) {
    const { stream, seen, tooLong } = read(bytes, chunkBytes);
    expect(seen).toEqual([
      ['x', odd],
      ['message', 'a\nb'],
      ['message', 'c'],
    ]);
    expect([stream.lastId, stream.retryMs, stream.marked, tooLong]).toEqual(['2', 7, 2, 0]);
  }
});

test('an event without end is given up, once', () => {
  const { seen, tooLong } = read(Buffer.from(`data: ${'x'.repeat(5000)}`), 100);
  expect([seen, tooLong]).toEqual([[], 1]);
});

test('what a connection left unfinished is forgotten with it, and where the stream was is not', () => {
  const { stream, seen } = read(Buffer.from('id: 9\ndata: a\n\ndata: cut'), 7);
  stream.restart();
  stream.push(Buffer.from('data: b\n\n'));
  expect(seen.map(([, data]) => data)).toEqual(['a', 'b']);
  expect(stream.lastId).toBe('9');
});

test('an id that no header could carry back is none', () => {
  const long = 'x'.repeat(REMOTE_EVENT_ID_BYTES_MAX + 1);
  const { stream, seen } = read(
    Buffer.from(`id: 1\ndata: a\n\nid: \u0001\ndata: b\n\nid: ${long}\ndata: c\n\n`),
    9000,
    9000,
  );
  expect([seen.length, stream.lastId, stream.marked]).toEqual([3, '1', 1]);
});
