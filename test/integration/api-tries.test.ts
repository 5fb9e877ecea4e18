import { afterEach, beforeEach, expect, test } from 'vitest';
import type { TryEvent } from '../../src/api/contract/tries.ts';
import { McpdError } from '../../src/errors.ts';
import { askWeb, JSON_TYPE, type ListeningApi, listeningApi } from '../harness/listening-api.ts';
import { Try, tool } from '../harness/trying.ts';
import { until } from '../harness/until.ts';

let here: ListeningApi;
beforeEach(async () => {
  here = await listeningApi();
});
afterEach(() => here.close());

const log = (text: string): TryEvent => ({ type: 'log', afterMs: 0, level: 'info', logger: null, data: text });
const RESULT: TryEvent = { type: 'result', result: '{}', isCut: false, bytes: 2, isError: false, durationMs: 1 };

test('a reader that is behind misses logs and is told how many, and never a question or the end', async () => {
  const LOGS = 2000;
  here.control.offers.trying = async (tell) => {
    for (let count = 0; count < LOGS; count++) tell(log('x'.repeat(10_000)));
    tell({ type: 'dropped', count: 1 });
    tell({
      type: 'question',
      afterMs: 0,
      id: 'q1',
      method: 'elicitation/create',
      params: { mode: 'form', message: '', schema: '{}' },
    });
    tell(RESULT);
  };
  const one = new Try(here, 'weather', tool('now'));
  expect(await one.end()).toEqual(RESULT);
  expect(one.of('question')).toHaveLength(1);
  const [dropped] = one.of('dropped');
  expect(dropped?.count).toBeGreaterThan(1);
  expect(one.of('log').length + (dropped?.count ?? 0)).toBe(LOGS + 1);
});

test('a page that goes away calls the try off', async () => {
  let signal: AbortSignal | undefined;
  here.control.offers.trying = async (tell, given) => {
    signal = given;
    tell({ type: 'started', id: 't0123456789ab' });
    await new Promise((resolve) => given.addEventListener('abort', resolve));
  };
  const one = new Try(here, 'weather', tool('now'));
  await one.first('started');
  one.leave();
  await until('the try to be called off', () => signal?.aborted);
});

test('a try that does not begin is an error with a status of its own', async () => {
  here.control.offers.trying = async () => {
    throw new McpdError('TRIES_FULL', { what: 'enough' });
  };
  const one = new Try(here, 'weather', tool('now'));
  await one.end();
  expect([one.status, JSON.parse(one.body)]).toEqual([409, { error: { code: 'TRIES_FULL', what: 'enough' } }]);
});

test('what a page is told is safe to show', async () => {
  here.control.offers.trying = async (tell) => {
    tell({ type: 'progress', afterMs: 0, progress: 1, total: null, message: 'a\u202eb\x1b[2J' });
    tell(RESULT);
  };
  const one = new Try(here, 'weather', tool('now'));
  expect((await one.first('progress')).message).toBe('a\\u202eb\\x1b[2J');
});

test.each([
  ['a spell', { kind: 'spell', name: 'x' }],
  ['a tool without a name', { kind: 'tool' }],
  ['arguments that are a list', { kind: 'tool', name: 'x', arguments: [1] }],
  ['a prompt with a number among its arguments', { kind: 'prompt', name: 'x', arguments: { a: 1 } }],
  ['a resource without its address', { kind: 'resource', uri: '' }],
])('%s cannot be tried', async (_what, request) => {
  const one = new Try(here, 'weather', request);
  await one.end();
  expect([one.status, JSON.parse(one.body)]).toMatchObject([400, { error: { code: 'REQUEST_INVALID' } }]);
  expect(here.control.asked).toEqual([]);
});

test('neither a try nor an answer is taken without the token, from another site, or as a form would send it', async () => {
  const signed = { ...JSON_TYPE, authorization: `Bearer ${here.token}` };
  const paths = ['/api/servers/weather/tries', '/api/tries/t0123456789ab/answers/q1'];
  for (const path of paths) {
    const post = (headers: Record<string, string>) => askWeb(here.port, path, { method: 'POST', headers, body: '{}' });
    expect((await post(JSON_TYPE)).status).toBe(401);
    expect((await post({ ...signed, authorization: 'Bearer mcpd' })).status).toBe(401);
    expect((await post({ ...signed, origin: 'http://127.0.0.1:1' })).status).toBe(403);
    expect((await post({ ...signed, 'sec-fetch-site': 'cross-site' })).status).toBe(403);
    expect((await post({ ...signed, 'content-type': 'text/plain' })).status).toBe(400);
    expect((await post({ ...signed, host: 'evil.example' })).status).toBe(403);
  }
  expect(here.control.asked).toEqual([]);
});
