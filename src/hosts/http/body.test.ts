import { expect, test } from 'vitest';
import { HTTP_EVENTS_BYTES_MAX, HTTP_EVENTS_KEPT } from '../../http-limits.ts';
import { join } from '../../protocol/bytes.ts';
import { statusOf } from './answer-status.ts';
import { messageOf } from './body.ts';
import { KeptEvents } from './kept-events.ts';
import { isBelowMcp, placeOf } from './routes.ts';

const read = (...chunks: (string | Buffer)[]) => messageOf(chunks.map((chunk) => Buffer.from(chunk)));

test('a body may be cut anywhere and printed over many lines, and becomes one line', () => {
  const pretty = JSON.stringify({ jsonrpc: '2.0', id: 'é', method: 'ping', params: { a: [1, 2] } }, null, 2).replaceAll(
    '\n',
    '\r\n',
  );
  const bytes = Buffer.from(`${pretty}\n`);
  for (let cut = 0; cut < bytes.length; cut++) {
    const frame = messageOf([Buffer.from(bytes.subarray(0, cut)), Buffer.from(bytes.subarray(cut))]);
    if (typeof frame === 'string' || !('envelope' in frame)) throw new RangeError(`cut at ${cut}`);
    expect(frame.envelope).toMatchObject({ kind: 'request', id: '"é"', method: 'ping' });
    expect(join(frame.bytes).some((byte) => byte === 10 || byte === 13)).toBe(false);
  }
});

test('what is no message is told from what is no JSON', () => {
  expect(read('')).toBe('not-json');
  expect(read('{"jsonrpc":"2.0","id":1,"method":"a\nb"}')).toBe('not-json');
  expect(read('{"a":1}')).toBe('not-jsonrpc');
  expect(read('[{"jsonrpc":"2.0","id":1,"method":"ping"}]')).not.toHaveProperty('envelope');
  expect(read('{"jsonrpc":"2.0","id":1,"id":2,"method":"ping"}')).toBe('ambiguous-envelope');
  expect(read(Buffer.from('{"jsonrpc":"2.0","id":1,"method":"\xff"}', 'latin1'))).toBe('invalid-utf8');
  expect(read(`{"jsonrpc":"2.0","id":1,"method":"m","params":{"a":${'['.repeat(500)}${']'.repeat(500)}}}`)).toBe(
    'too-deep',
  );
});

test('errors about a request itself have a status of their own, wherever their code stands', () => {
  const status = (text: string) => statusOf([Buffer.from(text.slice(0, 9)), Buffer.from(text.slice(9))]);
  expect(status('{"jsonrpc":"2.0","id":1,"result":{"error":{"code":-32021}}}')).toBe(200);
  expect(status('{"result":{},"id":1,"jsonrpc":"2.0"}')).toBe(200);
  expect(status('{"error":{"message":"x","code":-32021,"data":{}},"id":1,"jsonrpc":"2.0"}\n')).toBe(400);
  expect(status('{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"x"}}')).toBe(200);
});

test('events are given again from where a client was, on its own stream, as far as they are kept', () => {
  const kept = new KeptEvents();
  const bytes = [Buffer.from('x')];
  expect(kept.add(1, 1, bytes)).toBe('1-1');
  kept.add(2, 1, bytes);
  kept.add(1, 2, bytes);
  expect(kept.after(1, 1).map(({ id }) => id)).toEqual(['1-2']);
  for (let place = 3; place < HTTP_EVENTS_KEPT + 10; place++) kept.add(1, place, bytes);
  expect(kept.after(1, 0)).toHaveLength(HTTP_EVENTS_KEPT);
  kept.add(1, 5000, [Buffer.alloc(HTTP_EVENTS_BYTES_MAX + 1)]);
  expect(kept.after(1, 4999)).toEqual([]);
  kept.add(1, 5001, [Buffer.alloc(HTTP_EVENTS_BYTES_MAX)]);
  expect(kept.after(1, 0).map(({ id }) => id)).toEqual(['1-5001']);
});

test('below /mcp are the addresses of all servers, of one, and of the first revision', () => {
  const scope = { kind: 'server', server: 'weather' };
  expect(placeOf('/mcp')).toEqual({ kind: 'endpoint', scope: { kind: 'all' } });
  expect(placeOf('/mcp/s/weather')).toEqual({ kind: 'endpoint', scope });
  expect(placeOf('/mcp/s/weather/sse')).toEqual({ kind: 'sse', scope });
  expect(placeOf('/mcp/s/weather/messages')).toEqual({ kind: 'messages', scope });
  expect(placeOf('/mcp/s/sse')).toEqual({ kind: 'endpoint', scope: { kind: 'server', server: 'sse' } });
  expect(placeOf('/mcp/p/work')).toEqual({ kind: 'profile', name: 'work' });
  for (const path of ['/mcp/x', '/mcp/s', '/mcp/s/a/b', '/mcp/s/a/sse/x'])
    expect([path, placeOf(path)]).toEqual([path, null]);
  expect(['/mcp', '/mcp/x', '/mcp?a'].map(isBelowMcp)).toEqual([true, true, true]);
  expect(['/', '/mcpd', '/api/mcp'].map(isBelowMcp)).toEqual([false, false, false]);
});
