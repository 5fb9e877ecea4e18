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

test('a trial starts the definition, reads its lists, ends the process, reports, and leaves nothing', () => {
  const world = new World();
  world.post({ type: 'trial', trial: 't', definition: definitionOf('new') });
  world.ready('new@trial-t', FAKE);
  expect(outcome(world)).toEqual([]);
  end(world, 'new@trial-t');
  expect(outcome(world)).toEqual([]);
  world.compared('new@trial-t', FAKE);
  const variants = [{ declared: 'elicitation+roots+sampling', lists: [] }];
  expect(outcome(world)).toMatchObject([
    { ok: true, memory: { fingerprint: 'print-of-new', era: 'legacy', variants }, findings: [] },
  ]);
  expect(world.gateway.view.instances.size).toBe(0);
  expect(world.timers.size).toBe(0);
  expect(world.effectsOf('save-memory')).toEqual([]);
  expect(world.effectsOf('record-transition')).toEqual([]);
});

test('what a legacy server lists to clients that declare more is seen by a second start, and kept', () => {
  const world = new World();
  world.post({ type: 'trial', trial: 't', definition: definitionOf('new') });
  world.ready('new@trial-t', FAKE);
  end(world, 'new@trial-t');
  const second = world.spawned('new@trial-t-compared');
  expect(second.received[0]).toMatchObject({
    method: 'initialize',
    params: {
      capabilities: { elicitation: { form: {}, url: {} }, roots: { listChanged: true }, sampling: { tools: {} } },
    },
  });
  world.compared('new@trial-t', { tools: ['work', 'ask'] });
  const [found] = outcome(world);
  const lists = found?.ok === true ? found.memory.variants[0]?.lists : [];
  expect(lists?.find(({ kind }) => kind === 'tools')?.entries).toHaveLength(2);
  expect(world.gateway.view.instances.size).toBe(0);
});

test.each([
  ['ends', (world: World) => world.serverExits(world.spawned('new@trial-t-compared'), 1)],
  [
    'never answers',
    (world: World) => {
      world.spawned('new@trial-t-compared');
      world.advance(10_000);
      end(world, 'new@trial-t-compared');
    },
  ],
  [
    'tells only some of its lists',
    (world: World) => {
      const process = world.spawned('new@trial-t-compared');
      world.serverAnswers(process, 'initialize', {
        result: { protocolVersion: '2025-11-25', capabilities: { tools: {}, prompts: {} } },
      });
      world.serverAnswers(process, 'tools/list', { result: { tools: [] } });
      world.serverAnswers(process, 'prompts/list', { error: { code: -32_603, message: 'no database' } });
      world.serverExits(process, null, 'SIGKILL');
    },
  ],
])('a trial whose second start %s is as good as its first', (_, act) => {
  const world = new World();
  world.post({ type: 'trial', trial: 't', definition: definitionOf('new') });
  world.ready('new@trial-t', FAKE);
  end(world, 'new@trial-t');
  act(world);
  expect(outcome(world)).toMatchObject([{ ok: true, memory: { variants: [] } }]);
  expect(world.timers.size).toBe(0);
});

test('a trial of an installed server leaves that server alone', () => {
  const world = new World();
  const process = world.running('fake', FAKE);
  world.post({ type: 'trial', trial: 't', definition: definitionOf('fake', 'on-demand', 'other') });
  world.ready('fake@trial-t', { tools: ['other'] });
  end(world, 'fake@trial-t');
  expect(process.stopping).toBe('no');
  expect(world.status('fake')).toMatchObject({ counts: { tools: 1 }, state: 'running' });
});

test.each([
  ['that exits at once', (world: World) => world.serverExits(world.process('new@trial-t'), 4), 'start', 'exit code 4'],
  [
    'that exits after the probe too',
    (world: World) => {
      world.serverExits(world.spawned('new@trial-t'), 4);
      world.serverExits(world.spawned('new@trial-t'), 4);
    },
    'start',
    'exit code 4',
  ],
  [
    'that never answers',
    (world: World) => {
      world.spawned('new@trial-t');
      world.advance(30_000);
      end(world, 'new@trial-t');
    },
    'handshake',
    'timed out',
  ],
])('a trial of a server %s fails with the reason', (_what, happen, step, reason) => {
  const world = new World();
  world.post({ type: 'trial', trial: 't', definition: definitionOf('new') });
  happen(world);
  expect(outcome(world)).toMatchObject([{ ok: false, step, reason: expect.stringContaining(reason) }]);
  expect(world.gateway.view.instances.size).toBe(0);
});

test.each(['queued', 'starting', 'running'])('a trial can be cancelled while it is %s', (phase) => {
  const world = new World({ startSlots: 1 });
  if (phase === 'queued') world.install('busy', FAKE, { start: 'always' });
  world.post({ type: 'trial', trial: 't', definition: definitionOf('new') });
  if (phase === 'running') {
    const process = world.spawned('new@trial-t');
    world.serverAnswers(process, 'server/discover', { error: { code: -32_601, message: 'x' } });
    world.serverAnswers(process, 'initialize', {
      result: { protocolVersion: '2025-11-25', capabilities: { tools: {} } },
    });
  }
  world.post({ type: 'trial-cancelled', trial: 't' });
  if (phase !== 'queued') end(world, 'new@trial-t');
  expect(outcome(world)).toMatchObject([{ ok: false, reason: 'it was cancelled' }]);
  expect(world.gateway.view.instances.has('new@trial-t')).toBe(false);
});

test('a trial that is under way ends with mcpd, and is reported', () => {
  const world = new World();
  world.post({ type: 'trial', trial: 't', definition: definitionOf('new') });
  world.spawned('new@trial-t');
  world.post({ type: 'shutdown', now: false });
  end(world, 'new@trial-t');
  expect(outcome(world)).toMatchObject([{ ok: false, reason: 'mcpd is stopping' }]);
  expect(world.allStopped).toBe(true);
});
