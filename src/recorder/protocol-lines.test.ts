import { expect, test } from 'vitest';
import type { LogLine } from '../api/contract/logs.ts';
import { PROTOCOL_LINES_KEPT, PROTOCOL_NAME_CHARS_MAX, PROTOCOL_OPEN_MAX } from '../recorder-limits.ts';
import { ProtocolLines } from './protocol-lines.ts';

function given() {
  const clock = { now: 1_000 };
  const seen = { changes: 0, masks: 0 };
  const lines = new ProtocolLines({
    now: () => 1_700_000_000_000,
    clock: () => clock.now,
    maskOf: () => {
      seen.masks++;
      return (text) => text.replaceAll('hidden', '***');
    },
    openCall: (_, __, id) => (id === '99' ? { method: 'tools/call', tool: 'before-hidden', at: 400 } : null),
    changed: () => {
      seen.changes++;
    },
  });
  const pass = (direction: 'to-server' | 'from-server', message: object, server = 'weather', instance = server) =>
    lines.passed({
      ...{ server, instance, generation: 1, direction },
      message: [Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)],
    });
  const got: LogLine[] = [];
  const watch = () => lines.watch('weather', (line) => got.push(line));
  return { lines, clock, seen, pass, got, watch };
}

const forecast = { name: 'forecast', arguments: { city: 'Oslo' } };

test('nothing is looked at while nobody watches that server', () => {
  const { lines, pass, seen, watch } = given();
  pass('to-server', { id: 1, method: 'tools/list' });
  expect([lines.isWatched, seen.masks, lines.lines('weather')]).toEqual([false, 0, []]);
  const stop = watch();
  expect(lines.isWatched).toBe(true);
  pass('to-server', { id: 2, method: 'tools/list' }, 'todo');
  expect(seen.masks).toBe(0);
  stop();
  expect([lines.isWatched, seen.changes]).toEqual([false, 2]);
});

test('a call is a line for its request and one for its answer, with its tool and its time', () => {
  const { clock, pass, got, watch } = given();
  watch();
  pass('to-server', { id: 7, method: 'tools/call', params: forecast });
  clock.now += 12.345;
  pass('from-server', { method: 'notifications/message', params: { data: 'Oslo' } });
  pass('from-server', { id: 7, result: { content: [{ type: 'text', text: 'Oslo is sunny' }] } });
  expect(got.map(({ text }) => text)).toEqual([
    '→ request      tools/call forecast · id 7 · 103 B',
    '← notification notifications/message · 75 B',
    '← answer       tools/call forecast · id 7 · 86 B · 12.3 ms',
  ]);
  expect(got[2]).toMatchObject({
    ...{ at: 1_700_000_000_000, source: 'protocol', level: 'info' },
    message: { direction: 'from-server', kind: 'answer', id: '7', method: 'tools/call', tool: 'forecast' },
  });
  expect(got[2]?.message?.tookMs).toBeCloseTo(12.35, 1);
  expect(JSON.stringify(got)).not.toContain('Oslo');
});

test('an error is of that level and says its code, never its message; a server may be answered too', () => {
  const { pass, got, watch } = given();
  watch();
  pass('to-server', { id: 1, method: 'prompts/get', params: { name: 'secret-plan' } });
  pass('from-server', { id: 1, error: { code: -32602, message: 'no such prompt secret-plan' } });
  pass('from-server', { id: 1, method: 'roots/list' });
  pass('to-server', { id: 1, error: { code: -32601, message: 'none' } });
  expect(got.map(({ level }) => level)).toEqual(['info', 'error', 'info', 'error']);
  expect(got.map(({ text }) => text)).toEqual([
    '→ request      prompts/get · id 1 · 79 B',
    '← error -32602 prompts/get · id 1 · 87 B · 0.0 ms',
    '← request      roots/list · id 1 · 46 B',
    '→ error -32601 roots/list · id 1 · 65 B · 0.0 ms',
  ]);
  expect(JSON.stringify(got)).not.toContain('secret-plan');
});

test('what answers a request from before is told with it when the call is open, and else says that it was not seen', () => {
  const { pass, got, watch } = given();
  watch();
  pass('from-server', { id: 99, result: {} });
  pass('from-server', { id: 98, result: {} });
  expect(got[0]).toMatchObject({ message: { method: 'tools/call', tool: 'before-***', tookMs: 600 } });
  expect(got[1]?.text).toBe('← answer       (to a request that was not seen) · id 98 · 37 B');
});

test('names are masked, bounded and in one line, whoever chose them', () => {
  const { pass, got, watch } = given();
  watch();
  pass('to-server', { id: 1, method: 'tools/call', params: { name: `hidden\n\u001b[2J${'x'.repeat(1000)}` } });
  pass('from-server', { id: 'hidden', method: `x/hidden${'y'.repeat(1000)}` });
  expect(JSON.stringify(got)).not.toContain('hidden');
  expect(got[0]?.message?.tool).toHaveLength(PROTOCOL_NAME_CHARS_MAX + 1);
  expect(got[0]?.text).not.toMatch(/\p{Cc}/u);
  expect(got[1]?.text.length).toBeLessThan(2 * PROTOCOL_NAME_CHARS_MAX);
  expect(got[1]?.message?.id).toBe('"***"');
});

test('one of several processes of a server is named', () => {
  const { pass, got, watch } = given();
  watch();
  pass('to-server', { id: 1, method: 'ping' }, 'weather', 'weather/s1');
  expect(got[0]?.text).toBe('→ request      ping · id 1 · 40 B · process weather/s1');
});

test('who comes later finds the newest lines; when the last has gone nothing is kept', () => {
  const { lines, pass, watch } = given();
  const stops = [watch(), watch()];
  for (let id = 1; id < PROTOCOL_LINES_KEPT; id++) pass('to-server', { id, method: 'ping' });
  expect(lines.lines('weather')).toHaveLength(PROTOCOL_LINES_KEPT);
  expect(lines.lines('weather')[0]?.text).toContain('nobody watched before');
  pass('to-server', { id: 0, method: 'ping' });
  expect(lines.lines('weather')[0]?.text).toContain('id 1 ');
  stops[0]?.();
  expect(lines.lines('weather')).toHaveLength(PROTOCOL_LINES_KEPT);
  stops[1]?.();
  expect(lines.lines('weather')).toEqual([]);
});

test('of requests that are never answered the oldest are forgotten', () => {
  const { pass, got, watch } = given();
  watch();
  for (let id = 0; id <= PROTOCOL_OPEN_MAX; id++) pass('to-server', { id, method: 'ping' });
  pass('from-server', { id: 0, result: {} });
  pass('from-server', { id: 1, result: {} });
  expect(got.slice(-2).map(({ message }) => message?.method)).toEqual([null, 'ping']);
});

test('who watches a server that is removed hears nothing more, and its way to stop ends nothing of the next', () => {
  const { lines, pass, got, watch } = given();
  const stop = watch();
  lines.forget('weather');
  pass('to-server', { id: 1, method: 'ping' });
  expect(got).toEqual([]);
  watch();
  stop();
  expect(lines.isWatched).toBe(true);
});
