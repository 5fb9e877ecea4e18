import { expect, test } from 'vitest';
import type { Character } from '../../test/simulated/servers.ts';
import { World } from '../../test/simulated/world.ts';

const TOOLS: Character = { tools: ['work'] };
const MINUTE = 60_000;

function given(callTimeoutMs: number | null = null) {
  const world = new World();
  const limits = { ...world.install('unused').limits, callTimeoutMs };
  const process = world.running('slow', TOOLS, { limits });
  const host = world.legacyHost('host');
  const call = () => world.request(host, 'tools/call', { name: 'slow__work', _meta: { progressToken: host.nextId } });
  return { world, process, host, call };
}

test('a call without a sign of life for ten minutes is cancelled at the server and refused at the host', () => {
  const { world, process, host, call } = given();
  const key = call();
  const id = world.asked(process, 'tools/call').id ?? null;
  world.advance(10 * MINUTE - 1);
  expect(host.answers.has(key)).toBe(false);
  world.advance(1);
  expect(world.answerTo(host, key).error).toMatchObject({
    message: expect.stringContaining('no sign of life for 600 s'),
    data: { reason: 'timeout', server: 'slow', outcome: 'unknown' },
  });
  const cancel = process.received.find(({ method }) => method === 'notifications/cancelled');
  expect(cancel?.params).toEqual({ requestId: id, reason: 'timeout' });
  world.serverSends(process, { jsonrpc: '2.0', id, result: {} });
  expect(world.gateway.view.instances.get('slow')?.counters.late).toBe(1);
});

test('the time is settable per server, and each call has its own', () => {
  const { world, host, call } = given(2000);
  const early = call();
  world.advance(1500);
  const late = call();
  world.advance(500);
  expect(host.answers.has(early)).toBe(true);
  expect(host.answers.has(late)).toBe(false);
  world.advance(1500);
  expect(host.answers.has(late)).toBe(true);
});

test('progress keeps a call alive, but not for more than an hour in all', () => {
  const { world, process, host, call } = given();
  const key = call();
  const { id } = world.asked(process, 'tools/call');
  for (let minute = 1; minute <= 12; minute++) {
    world.serverNotifies(process, 'notifications/progress', { progressToken: id, progress: minute });
    world.advance(5 * MINUTE - 1);
  }
  expect(host.answers.has(key)).toBe(false);
  world.advance(MINUTE);
  expect(world.answerTo(host, key).error?.message).toContain('more than 60 min in all');
});

test('progress with a token that was not given keeps nothing alive', () => {
  const { world, process, host } = given(2000);
  const key = world.request(host, 'tools/call', { name: 'slow__work' });
  const { id } = world.asked(process, 'tools/call');
  world.advance(1500);
  world.serverNotifies(process, 'notifications/progress', { progressToken: id, progress: 1 });
  world.advance(500);
  expect(host.answers.has(key)).toBe(true);
});

test('calls cost one timer for each server, however many are open', () => {
  const { world, call } = given();
  for (let n = 0; n < 100; n++) call();
  expect([...world.timers.keys()].filter((timer) => timer.startsWith('deadline'))).toEqual(['deadline:slow']);
  expect(world.effectsOf('arm-timer').filter(({ timer }) => timer === 'deadline:slow')).toHaveLength(1);
});
