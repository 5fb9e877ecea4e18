import { describe, expect, test } from 'vitest';
import { clientOf, formFault, formOf, readsStreams, strangeness } from './admission.ts';
import { readHead } from './head.ts';

const HERE = '127.0.0.1:7077';
const head = (...headers: [string, string][]) => readHead(headers.flat());
const statusOf = (...headers: [string, string][]) => strangeness(head(...headers), 7077)?.status ?? 200;

describe('a request comes in', () => {
  test('by one of three spellings of our address, and by no other', () => {
    for (const host of [HERE, 'localhost:7077', '[::1]:7077']) expect(statusOf(['Host', host])).toBe(200);
    for (const host of ['evil.example', '127.0.0.1', `${HERE}.evil.example`, 'localhost:80', ''])
      expect([host, statusOf(['Host', host])]).toEqual([host, 403]);
    expect(statusOf()).toBe(403);
  });

  test('from no page, or from one of this machine', () => {
    for (const origin of ['http://localhost:6274', 'http://127.0.0.1', 'https://[::1]:8'])
      expect([origin, statusOf(['Host', HERE], ['Origin', origin])]).toEqual([origin, 200]);
    for (const origin of ['null', 'https://evil.example', 'http://localhost.evil.example', 'http://localhost:1/', ''])
      expect([origin, statusOf(['Host', HERE], ['Origin', origin])]).toEqual([origin, 403]);
  });

  test('with no header twice that two readers could read differently', () => {
    expect(statusOf(['Host', HERE], ['host', HERE])).toBe(400);
    expect(statusOf(['Host', HERE], ['Mcp-Name', 'a'], ['MCP-NAME', 'b'])).toBe(400);
    expect(statusOf(['Host', HERE], ['Mcp-Param-X', 'a'], ['mcp-param-x', 'b'])).toBe(400);
    expect(statusOf(['Host', HERE], ['Accept', 'a/b'], ['Accept', 'c/d'])).toBe(200);
  });
});

test('a token names its client; no token and a wrong one are asked for one', () => {
  const ownerOf = (token: string) => (token === 't1' ? 'inspector' : null);
  expect(clientOf(head(['Authorization', 'Bearer t1']), ownerOf)).toBe('inspector');
  expect(clientOf(head(['authorization', 'bearer t1']), ownerOf)).toBe('inspector');
  for (const value of ['Bearer t2', 'Bearer', 't1', 'Basic t1', 'Bearer t1 t1']) {
    const problem = { status: 401, headers: ['www-authenticate', 'Bearer'] };
    expect(clientOf(head(['Authorization', value]), ownerOf)).toMatchObject(problem);
  }
  expect(clientOf(head(), ownerOf)).toMatchObject({ status: 401 });
});

describe('the answer', () => {
  // biome-ignore format: a table. Accept, the form of the answer, whether a stream can be read if it must.
  test.each([
    ['application/json, text/event-stream',       'either', true],
    ['text/event-stream, application/json',       'stream', true],
    ['text/event-stream;q=0.5, application/json', 'either', true],
    ['text/event-stream',                         'stream', true],
    ['application/json',                          'json',   false],
    ['*/*',                                       'json',   true],
    [null,                                        'json',   true],
    ['application/json, text/event-stream;q=0',   'json',   false],
    ['text/html',                                 null,     false],
    ['text/html, */*',                            'json',   true],
  ] as const)('to who accepts %s has a form that he can read', (accept, form, streams) => {
    expect([formOf(accept), readsStreams(accept)]).toEqual([form, streams]);
  });

  test('is refused to who sends no JSON, or can read none', () => {
    const statusFor = (...headers: [string, string][]) => formFault(head(...headers))?.status ?? 200;
    expect(statusFor(['Content-Type', 'application/json'])).toBe(200);
    expect(statusFor(['Content-Type', 'Application/JSON; charset=utf-8'])).toBe(200);
    expect(statusFor(['Content-Type', 'text/plain'])).toBe(415);
    expect(statusFor()).toBe(415);
    expect(statusFor(['Content-Type', 'application/json'], ['Content-Encoding', 'gzip'])).toBe(415);
    expect(statusFor(['Content-Type', 'application/json'], ['Accept', 'text/html'])).toBe(406);
  });
});
