import { expect, test } from 'vitest';
import type { SimulatedHost } from '../../test/simulated/hosts.ts';
import type { Character } from '../../test/simulated/servers.ts';
import { World } from '../../test/simulated/world.ts';

const WEATHER: Character = { tools: ['forecast'] };

const call = (world: World, host: SimulatedHost) =>
  world.request(host, 'tools/call', { name: 'weather__forecast', arguments: {} });

/** A world with one server at rest and one host. */
function given() {
  const world = new World();
  world.install('weather', WEATHER);
  return { world, host: world.legacyHost('s1') };
}

test('a restart drains: open calls may finish, new ones wait for the next process', () => {
  const { world, host } = given();
  const old = call(world, host);
  const process = world.ready('weather', WEATHER);
  world.post({ type: 'command', server: 'weather', command: 'restart' });
  const fresh = call(world, host);
  expect(process.stopping).toBe('no');
  world.serverAnswers(process, 'tools/call', { result: { n: 1 } });
  expect(world.answerTo(host, old).result).toEqual({ n: 1 });
  world.advance(0);
  expect(process.stopping).toBe('asked');
  world.serverExits(process, 0);
  world.serverAnswers(world.ready('weather', WEATHER), 'tools/call', { result: { n: 2 } });
  expect(world.answerTo(host, fresh).result).toEqual({ n: 2 });
  expect(world.status('weather').lastExit).toBeNull();
});

test('a restart during the start keeps the calls that wait', () => {
  const { world, host } = given();
  const key = call(world, host);
  const process = world.spawned('weather');
  world.post({ type: 'command', server: 'weather', command: 'restart' });
  expect(process.stopping).toBe('asked');
  world.serverExits(process, null, 'SIGTERM');
  world.serverAnswers(world.ready('weather', WEATHER), 'tools/call', { result: {} });
  expect(world.answerTo(host, key).result).toEqual({});
});

test('what has not finished after ten seconds of draining fails with the process', () => {
  const { world, host } = given();
  const key = call(world, host);
  const process = world.ready('weather', WEATHER);
  world.post({ type: 'command', server: 'weather', command: 'stop' });
  world.advance(9999);
  expect(process.stopping).toBe('no');
  world.advance(1);
  expect(process.stopping).toBe('asked');
  world.serverExits(process, 0);
  expect(world.answerTo(host, key).error?.data).toMatchObject({ outcome: 'unknown' });
  expect(world.status('weather').state).toBe('stopped');
});

test('a second reason to stop does not cut the draining short', () => {
  const { world, host } = given();
  const key = call(world, host);
  const process = world.ready('weather', WEATHER);
  world.post({ type: 'command', server: 'weather', command: 'stop' });
  const disabled = { ...world.install('weather', WEATHER), enabled: false };
  world.post({ type: 'server-defined', definition: disabled, memory: null });
  world.post({ type: 'server-removed', server: 'weather' });
  world.post({ type: 'shutdown', now: false });
  expect(process.stopping).toBe('no');
  world.serverAnswers(process, 'tools/call', { result: {} });
  expect(world.answerTo(host, key).result).toEqual({});
  world.advance(0);
  expect(process.stopping).toBe('asked');
});

test('calls that wait for a restart are refused when the server is disabled meanwhile', () => {
  const { world, host } = given();
  call(world, host);
  const process = world.ready('weather', WEATHER);
  world.post({ type: 'command', server: 'weather', command: 'restart' });
  const waiting = call(world, host);
  world.install('weather', WEATHER, { enabled: false });
  expect(world.answerTo(host, waiting).error?.message).toContain('disabled');
  world.advance(10_000);
  world.serverExits(process, 0);
  expect(world.processes.has('weather')).toBe(false);
});
