import { expect, test } from 'vitest';
import { Recorder } from './recorder.ts';

function given({ bytesMax }: { bytesMax?: number } = {}) {
  const clock = { now: 1_000 };
  const seen = { changes: 0 };
  const recorder = new Recorder({
    now: () => clock.now,
    maskOf: () => (text) => text.replaceAll('hidden', '***'),
    lostOf: () => null,
    sessionOf: (_, id) => (id === '7' ? 's1' : null),
    changed: () => {
      seen.changes++;
    },
    ...(bytesMax === undefined ? {} : { bytesMax }),
  });
  const pass = (direction: 'to-server' | 'from-server', message: object, server = 'weather') =>
    recorder.passed({
      server,
      instance: server,
      generation: 1,
      direction,
      message: [Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)],
    });
  return { recorder, clock, seen, pass };
}

test('nothing is kept of a server that nobody records', () => {
  const { recorder, pass } = given();
  pass('to-server', { id: 1, method: 'tools/list' });
  recorder.turn('weather', { on: true });
  pass('to-server', { id: 2, method: 'tools/list' }, 'todo');
  expect(recorder.state('weather')).toMatchObject({ on: true, frames: 0, endsAt: 1_000 + 60 * 60_000 });
  expect(recorder.state('todo')).toMatchObject({ on: false, frames: 0, startedAt: null, endsAt: null });
  recorder.close();
});

test('a call is kept with its answer, its tool, its session and its time', () => {
  const { recorder, clock, pass } = given();
  recorder.turn('weather', { on: true });
  pass('to-server', { id: 7, method: 'tools/call', params: { name: 'forecast', arguments: { city: 'hidden' } } });
  clock.now += 40;
  pass('from-server', { method: 'notifications/message', params: {} });
  pass('from-server', { id: 7, result: { content: [] } });
  const { frames, more } = recorder.frames('weather', {});
  expect(more).toBe(false);
  expect(frames).toMatchObject([
    { seq: 1, kind: 'request', id: '7', method: 'tools/call', target: 'forecast', session: 's1', masked: true },
    { seq: 2, kind: 'notification', id: null, session: null },
    {
      seq: 3,
      kind: 'result',
      id: '7',
      method: 'tools/call',
      target: 'forecast',
      session: 's1',
      answers: 1,
      tookMs: 40,
    },
  ]);
  expect(frames[0]?.text).toContain('"city":"***"');
  recorder.close();
});

test('what is told of a message beside its text has no secret in it either, and is bounded', () => {
  const { recorder, pass } = given();
  recorder.turn('weather', { on: true });
  pass('to-server', { id: 1, method: 'resources/read', params: { uri: 'x://hidden?token=abc' } });
  pass('from-server', { id: 'hidden', method: `x/hidden${'y'.repeat(10_000)}` });
  pass('to-server', { id: 'hidden', result: {} });
  const { frames } = recorder.frames('weather', {});
  expect(frames[0]?.target).toBe('x://***?token=***');
  expect(frames[1]?.method).toMatch(/^x\/\*\*\*y{1,512}$/);
  expect(frames[2]).toMatchObject({ id: '"***"', answers: 2 });
  expect(JSON.stringify(frames)).not.toContain('hidden');
  recorder.close();
});

test("a host's answer is matched with what the server asked, whatever calls have the same id", () => {
  const { recorder, pass } = given();
  recorder.turn('weather', { on: true });
  pass('to-server', { id: 7, method: 'tools/call', params: { name: 'ask' } });
  pass('from-server', { id: 7, method: 'elicitation/create', params: {} });
  pass('to-server', { id: 7, result: { action: 'accept' } });
  const { frames } = recorder.frames('weather', {});
  expect(frames[2]).toMatchObject({ method: 'elicitation/create', answers: 2 });
  recorder.close();
});

test('frames are read on from a number, in portions', () => {
  const { recorder, pass } = given();
  recorder.turn('weather', { on: true });
  for (let id = 1; id <= 5; id++) pass('to-server', { id, method: 'ping' });
  const first = recorder.frames('weather', { limit: 3 });
  expect([first.frames.map(({ seq }) => seq), first.more]).toEqual([[1, 2, 3], true]);
  const rest = recorder.frames('weather', { after: 3, limit: 3 });
  expect([rest.frames.map(({ seq }) => seq), rest.more]).toEqual([[4, 5], false]);
  expect(recorder.frames('weather', { after: 5 })).toMatchObject({ frames: [], more: false });
  recorder.close();
});

test('what was kept stays when it goes off, goes on when it is on again, and is gone when it is cleared', () => {
  const { recorder, pass } = given();
  recorder.turn('weather', { on: true });
  pass('to-server', { id: 1, method: 'ping' });
  recorder.turn('weather', { on: false });
  pass('to-server', { id: 2, method: 'ping' });
  expect(recorder.state('weather')).toMatchObject({ on: false, frames: 1, endsAt: null });
  recorder.turn('weather', { on: true, forMs: 500 });
  expect(recorder.state('weather')).toMatchObject({ on: true, frames: 1, endsAt: 1_500 });
  pass('to-server', { id: 3, method: 'ping' });
  expect(recorder.clear('weather')).toMatchObject({ on: true, frames: 0 });
  pass('to-server', { id: 4, method: 'ping' });
  expect(recorder.frames('weather', {}).frames.map(({ seq }) => seq)).toEqual([3]);
  recorder.turn('weather', { on: false });
  recorder.clear('weather');
  expect(recorder.isKeeping).toBe(false);
});

test('whoever tells it of messages learns when that is needed', () => {
  const { recorder, seen } = given();
  expect(recorder.isKeeping).toBe(false);
  recorder.turn('weather', { on: true });
  expect([recorder.isKeeping, seen.changes]).toEqual([true, 1]);
  recorder.forget('weather');
  expect([recorder.isKeeping, seen.changes]).toEqual([false, 2]);
});

test('all servers together are kept within one limit: what is off makes room first, then the oldest, and each state says so', () => {
  const letters = 10_000;
  const { recorder, pass } = given({ bytesMax: 4.5 * letters });
  const say = (server: string, letter = 'x') =>
    pass('from-server', { method: 'x', params: { text: letter.repeat(letters) } }, server);
  for (const server of ['old', 'off', 'new']) recorder.turn(server, { on: true });
  for (const server of ['old', 'off', 'off', 'new']) say(server);
  recorder.turn('off', { on: false });
  const kept = () => ['old', 'off', 'new'].map((server) => recorder.frames(server, {}).frames.map(({ seq }) => seq));
  expect(kept()).toEqual([[1], [2, 3], [4]]);
  say('new');
  expect(kept()).toEqual([[1], [3], [4, 5]]);
  // Two bytes a letter.
  say('new', 'ж');
  expect(kept()).toEqual([[], [], [4, 5, 6]]);
  expect(recorder.state('off')).toMatchObject({ on: false, frames: 0, bytes: 0, dropped: 2, droppedForOthers: 2 });
  expect(recorder.state('old')).toMatchObject({ on: true, frames: 0, dropped: 1, droppedForOthers: 1 });
  expect(recorder.state('new')).toMatchObject({ dropped: 0, droppedForOthers: 0 });
  say('old');
  expect(kept()).toEqual([[7], [], [5, 6]]);
  recorder.close();
});
