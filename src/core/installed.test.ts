import { expect, test } from 'vitest';
import { answerOwn, type Character, definitionOf, memoryOf } from '../../test/simulated/servers.ts';
import { World } from '../../test/simulated/world.ts';

const FAKE: Character = { tools: ['work'] };
const command = (world: World, what: 'start' | 'stop' | 'restart') =>
  world.post({ type: 'command', server: 'fake', command: what });

/** Lets a process end that was asked to. */
function end(world: World, instance = 'fake') {
  world.advance(0);
  const process = world.process(instance);
  expect(process.stopping).not.toBe('no');
  world.serverExits(process, null, 'SIGTERM');
}

const stateOf = (world: World) => world.status('fake').state;

test('a server with known lists is not started by being installed', () => {
  const world = new World();
  world.install('fake', FAKE);
  expect(world.status('fake')).toMatchObject({ state: 'stopped', health: 'ok', wanted: 'down', listed: true });
  expect(world.spawns).toEqual([]);
});

test('one that is always up is started at once, and again after a crash', () => {
  const world = new World();
  world.install('fake', FAKE, { start: 'always' });
  world.serverExits(world.ready('fake', FAKE), 0);
  expect(world.status('fake')).toMatchObject({ state: 'backoff', wanted: 'up', nextStartAt: 1000 });
  world.advance(1000);
  expect(stateOf(world)).toBe('starting');
});

test('a stop by hand lasts: neither its start mode nor a changed setting contradicts it', () => {
  const world = new World();
  world.install('fake', FAKE, { start: 'always' });
  world.ready('fake', FAKE);
  command(world, 'stop');
  end(world);
  world.install('fake', FAKE, { start: 'always', description: 'new words' });
  world.advance(3600_000);
  expect(stateOf(world)).toBe('stopped');
  command(world, 'start');
  expect(stateOf(world)).toBe('starting');
});

test('what a person said last is written down where the start mode says otherwise, and taken back by the opposite word', () => {
  const world = new World();
  world.install('fake', FAKE, { start: 'manual' });
  const wishes = () => world.effectsOf('save-wish').map(({ wish }) => wish);
  command(world, 'start');
  command(world, 'start');
  expect(wishes()).toEqual(['up']);
  command(world, 'stop');
  expect(wishes().at(-1)).toBeNull();
  world.install('fake', FAKE, { start: 'always' });
  command(world, 'stop');
  expect(wishes().at(-1)).toBe('down');
  world.install('fake', FAKE, { start: 'always', enabled: false });
  expect(wishes().at(-1)).toBeNull();
});

test('the next daemon starts what was started by hand, and leaves alone what was stopped by hand', () => {
  const world = new World();
  const memory = (name: string) => memoryOf(definitionOf(name), FAKE);
  const begun = (name: string, start: 'manual' | 'always', wish: 'up' | 'down' | null) =>
    world.post({ type: 'server-defined', definition: definitionOf(name, start), memory: memory(name), wish });
  begun('wanted', 'manual', 'up');
  begun('resting', 'manual', null);
  begun('unwanted', 'always', 'down');
  begun('constant', 'always', null);
  const states = ['wanted', 'resting', 'unwanted', 'constant'].map((name) => world.status(name).state);
  expect(states).toEqual(['starting', 'stopped', 'stopped', 'starting']);
  expect(world.effectsOf('record-transition').map(({ transition }) => transition.reason)).toContain(
    'it was started by hand',
  );
  expect(world.effectsOf('save-wish')).toEqual([]);
});

test('what is no longer always up rests like any other', () => {
  const world = new World();
  world.install('fake', FAKE, { start: 'always' });
  const process = world.ready('fake', FAKE);
  world.install('fake', FAKE, { start: 'on-demand' });
  for (let minute = 0; minute < 16; minute++) {
    answerOwn(world, process, FAKE);
    world.advance(60_000);
  }
  expect(process.stopping).toBe('asked');
});

test('a server on demand stops a quarter of an hour after its last call; one that a person started does not', () => {
  const world = new World();
  world.install('fake', FAKE);
  const host = world.legacyHost('host');
  const rest = (minutes: number) => {
    for (let minute = 0; minute < minutes; minute++) {
      if (world.processes.has('fake')) answerOwn(world, world.process('fake'), FAKE);
      world.advance(60_000);
    }
  };
  world.request(host, 'tools/call', { name: 'fake__work' });
  const process = world.ready('fake', FAKE);
  rest(9);
  expect(process.stopping).toBe('no');
  world.serverAnswers(process, 'tools/call', { result: {} });
  rest(14);
  expect(process.stopping).toBe('no');
  rest(1);
  expect(process.stopping).toBe('asked');
  end(world);
  expect(world.status('fake')).toMatchObject({ state: 'stopped', health: 'ok', lastExit: null });
  command(world, 'start');
  world.ready('fake', FAKE);
  rest(60);
  expect(stateOf(world)).toBe('running');
});

test('a changed launch replaces the process; other settings do not', () => {
  const world = new World();
  const process = world.running('fake', FAKE);
  world.install('fake', FAKE, { description: 'new words' });
  expect(stateOf(world)).toBe('running');
  world.install('fake', FAKE, { fingerprint: 'new-print' });
  expect(stateOf(world)).toBe('stopping');
  end(world);
  world.ready('fake', FAKE);
  expect(world.effectsOf('spawn').map(({ definition }) => definition.fingerprint)).toEqual(['new-print']);
  expect(world.process('fake').generation).toBeGreaterThan(process.generation);
});

test('a changed launch makes up for the failures of the old one', () => {
  const world = new World();
  world.install('fake', FAKE, { start: 'always' });
  for (let n = 0; n < 5; n++) {
    world.serverExits(world.spawned('fake'), 1);
    world.advance(60_000);
  }
  expect(stateOf(world)).toBe('failed');
  world.install('fake', FAKE, { start: 'always', fingerprint: 'repaired' });
  expect(stateOf(world)).toBe('starting');
});

test('what this launch has told is known, even if the registry could not keep it', () => {
  const world = new World();
  const definition = world.install('fake', FAKE);
  world.post({ type: 'server-defined', definition: { ...definition, description: 'x' }, memory: null });
  expect(world.status('fake')).toMatchObject({ listed: true, counts: { tools: 1 } });
  expect(world.spawns).toEqual([]);
});

test('a disabled server ends, is not started by hand, and comes back when it is enabled', () => {
  const world = new World();
  world.running('fake', FAKE, { start: 'always' });
  world.install('fake', FAKE, { enabled: false, start: 'always' });
  command(world, 'start');
  end(world);
  command(world, 'restart');
  expect(world.status('fake')).toMatchObject({ state: 'stopped', wanted: 'down', wantedReason: 'disabled' });
  world.install('fake', FAKE, { start: 'always' });
  expect(stateOf(world)).toBe('starting');
});

test('disabled while it starts, it ends and its callers are told', () => {
  const world = new World();
  world.install('fake', FAKE);
  const host = world.legacyHost('host');
  const key = world.request(host, 'tools/call', { name: 'fake__work' });
  world.install('fake', FAKE, { enabled: false });
  expect(world.answerTo(host, key).error?.message).toContain('disabled');
  end(world);
  expect(world.gateway.view.instances.get('fake')?.phase).toBe('stopped');
});

test('an uninstalled server is gone when its process is, and nothing calls it back', () => {
  const world = new World();
  world.running('fake', FAKE);
  world.post({ type: 'server-removed', server: 'fake' });
  expect(world.gateway.status('fake')).toBeNull();
  expect(world.gateway.view.instances.has('fake')).toBe(true);
  command(world, 'start');
  end(world);
  expect(world.gateway.view.instances.has('fake')).toBe(false);
  expect(world.timers.size).toBe(0);
});

test('a server that is installed again while its old process ends gets a new one', () => {
  const world = new World();
  world.running('fake', FAKE);
  world.post({ type: 'server-removed', server: 'fake' });
  world.install('fake', FAKE, { start: 'always' });
  end(world);
  expect(stateOf(world)).toBe('starting');
});

test('a command for a server that is not there is nothing', () => {
  const world = new World();
  expect(world.post({ type: 'command', server: 'nobody', command: 'start' })).toEqual([]);
});

test('over the soft limit a server is started afresh when no call is open', () => {
  const world = new World();
  const process = world.running('fake', FAKE);
  const host = world.legacyHost('host');
  const key = world.request(host, 'tools/call', { name: 'fake__work' });
  const { instance, generation } = process;
  const soft = { type: 'server-memory', instance, generation, limit: 'soft', bytes: 2 ** 31 } as const;
  world.post(soft);
  world.post(soft);
  expect(world.status('fake')).toMatchObject({ health: 'degraded', findings: [expect.stringContaining('2048 MiB')] });
  world.advance(60_000);
  expect(process.stopping).toBe('no');
  world.serverAnswers(process, 'tools/call', { result: {} });
  expect(world.answerTo(host, key).result).toEqual({});
  world.advance(5000);
  end(world);
  world.ready('fake', FAKE);
  expect(world.status('fake')).toMatchObject({ state: 'running', health: 'ok', findings: [], lastExit: null });
});

test('over the hard limit it is killed at once, its calls fail, and the exit counts as a failure', () => {
  const world = new World();
  const process = world.running('fake', FAKE);
  const host = world.legacyHost('host');
  const key = world.request(host, 'tools/call', { name: 'fake__work' });
  const { instance, generation } = process;
  world.post({ type: 'server-memory', instance, generation, limit: 'hard', bytes: 3 * 2 ** 30 });
  expect(process.stopping).toBe('killed');
  world.serverExits(process, null, 'SIGKILL');
  expect(world.answerTo(host, key).error?.message).toContain('memory: 3072 MiB, over its hard limit (signal SIGKILL)');
  expect(stateOf(world)).toBe('backoff');
});

test('the memory of a launch belongs to it alone', () => {
  const world = new World();
  const definition = world.install('fake', FAKE);
  const changed = { ...definition, fingerprint: 'new-print' };
  world.post({ type: 'server-defined', definition: changed, memory: null });
  expect(world.status('fake').listed).toBe(false);
  expect(memoryOf(definition, FAKE).fingerprint).not.toBe(changed.fingerprint);
});

const LOGIN = { because: 'login-wanted', reason: 'log in', fix: 'mcpd auth remote' } as const;

test('a server that lets nobody in: calls say what to do, people see it, and after the login it starts', () => {
  const world = new World();
  world.post({ type: 'server-defined', definition: definitionOf('remote'), memory: null });
  const host = world.legacyHost('host', {}, { scope: { kind: 'server', server: 'remote' } });
  for (let exit = 0; exit < 2; exit++) world.serverExits(world.spawned('remote'));
  world.post({ type: 'server-locked', server: 'remote', lock: { ...LOGIN, reason: 'log in at https://a.b' } });
  expect(world.ask(host, 'tools/call', { name: 'work' }).error).toMatchObject({
    message: expect.stringContaining('https://a.b'),
    data: { reason: 'auth_required', sent: false, fix: 'mcpd auth remote' },
  });
  expect(world.status('remote')).toMatchObject({
    wanted: 'down',
    wantedReason: 'needs-auth',
    health: 'degraded',
    reason: 'log in at https://a.b',
    fix: 'mcpd auth remote',
  });
  const starts = world.spawns.length;
  world.post({ type: 'server-locked', server: 'remote', lock: null });
  expect(world.spawns).toHaveLength(starts + 1);
  expect(world.status('remote')).toMatchObject({ wantedReason: null, state: 'starting' });
});

test('a server that tells something else than was agreed to is not well, until it tells that again or somebody has agreed', () => {
  const world = new World();
  world.running('fake', { tools: ['one'] });
  const drift = ['its tools are not those that were agreed to: otherwise: one'];
  world.post({ type: 'server-drifted', server: 'fake', drift });
  const fix = expect.stringContaining('mcpd lock fake --agree');
  expect(world.status('fake')).toMatchObject({ state: 'running', health: 'degraded', findings: drift, fix });
  world.post({ type: 'server-drifted', server: 'fake', drift });
  expect(world.effectsOf('log').filter(({ text }) => text === drift[0])).toHaveLength(1);

  // Settings leave it as it is; another launch was agreed to by itself.
  const definition = { ...definitionOf('fake'), description: 'another' };
  world.post({ type: 'server-defined', definition, memory: null });
  expect(world.status('fake').findings).toEqual(drift);
  world.post({ type: 'server-defined', definition: { ...definition, fingerprint: 'another' }, memory: null });
  expect(world.status('fake').findings).toEqual([]);
  world.post({ type: 'server-drifted', server: 'fake', drift });
  world.post({ type: 'server-drifted', server: 'fake', drift: [] });
  expect(world.status('fake')).toMatchObject({ findings: [], fix: null });
});

test('a server that does not accept the header it is given: people are told to give it another one, not to log in', () => {
  const world = new World();
  world.post({ type: 'server-defined', definition: definitionOf('remote'), memory: null });
  const host = world.legacyHost('host', {}, { scope: { kind: 'server', server: 'remote' } });
  const fix = 'mcpd secret set remote TOKEN';
  world.post({ type: 'server-locked', server: 'remote', lock: { because: 'header-refused', reason: 'no (401)', fix } });
  const { error } = world.ask(host, 'tools/call', { name: 'work' });
  expect(error).toMatchObject({ data: { reason: 'header_refused', sent: false, fix } });
  expect(JSON.stringify(error)).not.toContain('mcpd auth');
  expect(world.status('remote')).toMatchObject({ wantedReason: 'needs-auth', reason: 'no (401)', fix });
});

test.each([
  ['disabled', { enabled: false }],
  ['started by hand only', { start: 'manual' as const }],
])('a login does not start a server that is %s', (_, changes) => {
  const world = new World();
  world.post({ type: 'server-defined', definition: { ...definitionOf('remote'), ...changes }, memory: null });
  world.post({ type: 'server-locked', server: 'remote', lock: LOGIN });
  world.post({ type: 'server-locked', server: 'remote', lock: null });
  expect(world.spawns).toEqual([]);
});
