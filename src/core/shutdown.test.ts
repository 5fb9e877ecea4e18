import { expect, test } from 'vitest';
import { type Character, definitionOf } from '../../test/simulated/servers.ts';
import { World } from '../../test/simulated/world.ts';

const FAKE: Character = { tools: ['work'] };

/** Lets a process end that was asked to. */
function end(world: World, instance = 'fake') {
  world.advance(0);
  const process = world.process(instance);
  expect(process.stopping).not.toBe('no');
  world.serverExits(process, null, 'SIGTERM');
}

const outcome = (world: World) => world.effectsOf('trial-finished').map((effect) => effect.outcome);

test('at the end all servers drain at once, new calls are refused, and all is stopped when the last process is gone', () => {
  const world = new World();
  const process = world.running('fake', FAKE);
  world.running('other', FAKE);
  world.install('asleep', FAKE);
  const host = world.legacyHost('host');
  const open = world.request(host, 'tools/call', { name: 'fake__work' });
  world.post({ type: 'shutdown', now: false });
  expect(world.ask(host, 'tools/call', { name: 'asleep__work' }).error).toMatchObject({
    data: { reason: 'stopping', sent: false },
  });
  expect(world.ask(host, 'tools/list').result).toBeDefined();
  world.serverAnswers(process, 'tools/call', { result: {} });
  expect(world.answerTo(host, open).result).toEqual({});
  end(world, 'other');
  expect(world.allStopped).toBe(false);
  end(world);
  expect(world.allStopped).toBe(true);
});

test('a hurried end skips the draining, also in its middle', () => {
  const world = new World();
  const process = world.running('fake', FAKE);
  world.request(world.legacyHost('host'), 'tools/call', { name: 'fake__work' });
  world.post({ type: 'shutdown', now: false });
  world.advance(1000);
  expect(process.stopping).toBe('no');
  world.post({ type: 'shutdown', now: true });
  expect(process.stopping).toBe('asked');
});

test('with nothing running all is stopped at once, and once only', () => {
  const world = new World();
  world.install('fake', FAKE);
  world.post({ type: 'shutdown', now: false });
  world.post({ type: 'shutdown', now: true });
  expect(world.effectsOf('all-stopped')).toHaveLength(1);
});

test('nothing starts any more while mcpd stops', () => {
  const world = new World();
  world.running('fake', FAKE, { start: 'always' });
  world.install('other', FAKE);
  world.post({ type: 'shutdown', now: false });
  world.post({ type: 'command', server: 'fake', command: 'restart' });
  world.post({ type: 'command', server: 'other', command: 'start' });
  world.install('late', FAKE, { start: 'always' });
  world.post({ type: 'server-defined', definition: definitionOf('unlisted'), memory: null });
  world.post({ type: 'trial', trial: 't', definition: definitionOf('new') });
  expect(outcome(world)).toMatchObject([{ ok: false, reason: 'mcpd is stopping' }]);
  end(world);
  expect(world.allStopped).toBe(true);
  expect(world.processes.size).toBe(0);
});
