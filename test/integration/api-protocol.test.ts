import { afterEach, beforeEach, expect, test } from 'vitest';
import type { LogLine } from '../../src/api/contract.ts';
import { DaemonClient } from '../../src/control/client.ts';
import { LIVE_QUEUE_BYTES_MAX } from '../../src/operation-limits.ts';
import { askWeb, type ListeningApi, listeningApi } from '../harness/listening-api.ts';
import { until } from '../harness/until.ts';

/** The lines of the protocol on their way to whoever watches. */

let here: ListeningApi;
let client: DaemonClient;
let abort: AbortController;
beforeEach(async () => {
  here = await listeningApi();
  client = new DaemonClient(here.paths);
  abort = new AbortController();
});
afterEach(async () => {
  abort.abort();
  await here.close();
});

const follow = (more = '') =>
  client.lines<LogLine>('GET', `/api/servers/weather/logs?follow=1&protocol=1${more}`, undefined, abort.signal);

function passes(method: string): void {
  here.control.plainRecordings.protocol.passed({
    ...{ server: 'weather', instance: 'weather', generation: 1, direction: 'from-server' },
    message: [Buffer.from(JSON.stringify({ jsonrpc: '2.0', method }))],
  });
}

/** Reads on in the background. */
function reading(lines: AsyncIterable<LogLine>): LogLine[] {
  const got: LogLine[] = [];
  const read = async () => {
    for await (const line of lines) got.push(line);
  };
  read().catch(() => undefined); // it was hung up, at the end
  return got;
}

test('are told to who asked for them, from when he did, until he leaves', async () => {
  const { protocol } = here.control.plainRecordings;
  here.control.pastLines.push({ at: 999, source: 'stderr', level: 'info', text: 'printed' });
  const got = reading(follow());
  await until('the past', () => got.length === 2);
  const plain = reading(client.lines<LogLine>('GET', '/api/servers/weather/logs?follow=1', undefined, abort.signal));
  await until('the other past', () => plain.length === 1);
  passes('notifications/message');
  here.control.log({ at: 1_001, source: 'stderr', level: 'info', text: 'later' });
  await until('both lines', () => got.length === 4 && plain.length === 2);
  expect(got.map(({ text }) => text)).toEqual([
    'printed',
    expect.stringContaining('nobody watched before'),
    expect.stringContaining('notifications/message'),
    'later',
  ]);
  expect(plain.map(({ text }) => text)).toEqual(['printed', 'later']);
  const answer = await client.request<LogLine[]>('GET', '/api/servers/weather/logs?protocol=1&lines=2');
  expect(answer.map(({ source }) => source)).toEqual(['protocol', 'protocol']);
  abort.abort();
  await until('nobody to watch', () => !protocol.isWatched);
});

test('are left out for a reader that is behind, who is told how many, keeps the log, and is not cut off', async () => {
  const lines = follow();
  expect((await lines.next()).value?.text).toContain('nobody watched before');
  const name = `notifications/${'x'.repeat(100)}`;
  // Far more than the socket and LIVE_QUEUE_BYTES_MAX hold.
  const count = Math.ceil((4 * LIVE_QUEUE_BYTES_MAX) / 300);
  for (let at = 0; at < count; at++) passes(name);
  here.control.log({ at: 2_000, source: 'stderr', level: 'info', text: 'the log goes on' });
  const got = reading(lines);
  await until('the log', () => got.some(({ text }) => text === 'the log goes on'));
  const leftOut = () => got.find(({ text }) => text.includes('left out here'));
  await until('what was left out', () => leftOut());
  const told = got.filter(({ message }) => message !== undefined).length;
  expect(leftOut()).toMatchObject({ source: 'protocol', level: 'warn' });
  expect(Number(/\d+/.exec(leftOut()?.text ?? '')?.[0])).toBe(count - told);
  expect(told).toBeLessThan(count / 2);
  passes('notifications/last');
  await until('the newest', () => got.at(-1)?.text.includes('notifications/last'));
});

test('are safe to show on a page, whatever a server calls its methods', async () => {
  const got = reading(follow());
  await until('the beginning', () => got.length === 1);
  passes('x/\u001b[2J\u202e\n');
  await until('the line', () => got.length === 2);
  const { text } = await askWeb(here.port, '/api/servers/weather/logs?protocol=1&lines=1', {
    headers: { authorization: `Bearer ${here.token}` },
  });
  const method = String.raw`x/\x1b[2J\u202e`;
  expect(JSON.parse(text)).toMatchObject([
    { text: expect.stringContaining(`${method}\\n · `), message: { method: `${method}\n` } },
  ]);
});
