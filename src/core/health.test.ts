import { expect, test } from 'vitest';
import type { SimulatedProcess } from '../../test/simulated/processes.ts';
import { answerOwn, type Character } from '../../test/simulated/servers.ts';
import { World } from '../../test/simulated/world.ts';

const FAKE: Character = { tools: ['work'] };
/** Longer than the server of these tests would rest. */
const HELD = { start: 'always' } as const;

const probes = ({ received }: SimulatedProcess) =>
  received.filter(({ method }) => method === 'ping' || method === 'server/discover').length;

function given(character: Character = FAKE) {
  const world = new World();
  const process = world.running('fake', character, HELD);
  return { world, process, host: world.legacyHost('host') };
}

test('a quiet server is asked every half minute, by ping or by what modern servers have in its place', () => {
  for (const [era, method] of [
    ['legacy', 'ping'],
    ['modern', 'server/discover'],
  ] as const) {
    const { world, process } = given({ ...FAKE, era });
    const asked = () => process.received.filter((message) => message.method === method).length;
    for (let n = 0; n < 4; n++) {
      world.advance(30_000);
      answerOwn(world, process, { ...FAKE, era });
    }
    expect(asked()).toBe(4);
    expect(world.status('fake').health).toBe('ok');
  }
});

test('one that was heard of lately or is at work is not bothered', () => {
  const { world, process, host } = given();
  for (let n = 0; n < 10; n++) {
    world.advance(20_000);
    world.serverNotifies(process, 'notifications/message', { level: 'info', data: n });
  }
  expect(probes(process)).toBe(0);
  world.request(host, 'tools/call', { name: 'fake__work' });
  world.advance(300_000);
  expect(probes(process)).toBe(0);
});

test('an error is a sign of life too', () => {
  const { world, process } = given();
  for (let n = 0; n < 6; n++) {
    world.advance(30_000);
    world.serverAnswers(process, 'ping', { error: { code: -32_601, message: 'no ping here' } });
  }
  expect(world.status('fake').health).toBe('ok');
});

test('three missed probes make it silent, no more; the next word from it makes it well', () => {
  const { world, process } = given();
  world.advance(80_000);
  expect(world.status('fake').health).toBe('ok');
  world.advance(20_000);
  expect(world.status('fake')).toMatchObject({ health: 'silent', state: 'running', fix: 'mcpd restart fake' });
  world.advance(600_000);
  expect(process.stopping).toBe('no');
  world.serverNotifies(process, 'notifications/message', { level: 'info', data: 'here I am' });
  expect(world.status('fake')).toMatchObject({ health: 'ok', fix: null });
});

test('it is ended when a real call timed out too and nothing was heard since, and its calls are told', () => {
  const { world, process, host } = given();
  world.request(host, 'tools/call', { name: 'fake__work' });
  world.advance(600_000);
  expect(process.stopping).toBe('no');
  // Calls go on coming; a server that has stopped is asked all the same.
  const open = world.request(host, 'tools/call', { name: 'fake__work' });
  world.advance(120_000);
  expect(process.stopping).toBe('killed');
  world.serverExits(process, null, 'SIGKILL');
  expect(world.answerTo(host, open).error?.message).toContain('silent: it answers neither calls nor health probes');
  expect(world.status('fake')).toMatchObject({ state: 'starting', lastExit: { signal: 'SIGKILL' } });
});

test('a server that lost one call but still talks is left alone', () => {
  const { world, process, host } = given();
  world.request(host, 'tools/call', { name: 'fake__work' });
  world.advance(600_000);
  const { instance, generation } = process;
  world.post({ type: 'server-noise', instance, generation, reason: 'not-json', id: null, question: null, bytes: 3 });
  world.advance(1_200_000);
  expect(process.stopping).toBe('no');
});

test('probes that are never answered do not pile up', () => {
  const { world } = given();
  world.advance(24 * 3600_000);
  const link = world.gateway.view.instances.get('fake')?.link;
  expect(link?.pending.size).toBeLessThan(3);
  expect(link?.abandoned.size).toBeLessThanOrEqual(256);
});
