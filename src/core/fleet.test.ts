import { expect, test } from 'vitest';
import type { SimulatedHost } from '../../test/simulated/hosts.ts';
import type { Character } from '../../test/simulated/servers.ts';
import { World } from '../../test/simulated/world.ts';

const WEATHER: Character = { tools: ['forecast'] };

const call = (world: World, host: SimulatedHost, server = 'weather') =>
  world.request(host, 'tools/call', { name: `${server}__forecast`, arguments: {} });

/** A world with one server at rest and one host. */
function given(changes: Parameters<World['install']>[2] = {}) {
  const world = new World();
  world.install('weather', WEATHER, changes);
  return { world, host: world.legacyHost('s1') };
}

test('a call to a sleeping server starts it once and is answered', () => {
  const { world, host } = given();
  const key = call(world, host);
  expect(world.spawns).toHaveLength(1);
  const process = world.ready('weather', WEATHER);
  world.serverAnswers(process, 'tools/call', { result: { content: [{ type: 'text', text: 'sunny' }] } });
  expect(world.answerTo(host, key).result).toEqual({ content: [{ type: 'text', text: 'sunny' }] });
});

test('ten calls at once from several hosts start it once, and reach it in their order', () => {
  const { world, host } = given();
  const hosts = [host, ...['s2', 's3', 's4'].map((session) => world.legacyHost(session))];
  for (let n = 0; n < 10; n++)
    world.request(hosts[n % 4] ?? host, 'tools/call', { name: 'weather__forecast', arguments: { n } });
  const process = world.ready('weather', WEATHER);
  expect(world.spawns).toHaveLength(1);
  const asked = process.inbox.filter(({ method }) => method === 'tools/call');
  expect(asked.map(({ params }) => params?.['arguments'])).toEqual(Array.from({ length: 10 }, (_, n) => ({ n })));
});

test('only so many start at once, one with a waiting call goes first, and a slot is free after a second', () => {
  const world = new World({ startSlots: 2 });
  for (const name of ['a', 'b', 'c', 'd', 'e']) world.install(name, WEATHER, { start: 'always' });
  expect(world.spawns.map(({ instance }) => instance)).toEqual(['a', 'b']);
  const host = world.legacyHost('s1');
  call(world, host, 'e');
  world.advance(1000);
  expect(world.spawns.map(({ instance }) => instance)).toEqual(['a', 'b', 'e', 'c']);
  world.ready('e', WEATHER);
  expect(world.spawns.map(({ instance }) => instance)).toEqual(['a', 'b', 'e', 'c', 'd']);
});

test('a server that never answers holds up no other one and fails after its own start timeout', () => {
  const world = new World({ startSlots: 1 });
  const host = world.legacyHost('s1');
  world.install('mute', WEATHER);
  world.install('weather', WEATHER);
  const lost = call(world, host, 'mute');
  world.spawned('mute');
  const answered = call(world, host);
  world.advance(1000);
  world.serverAnswers(world.ready('weather', WEATHER), 'tools/call', { result: {} });
  expect(world.answerTo(host, answered).result).toEqual({});
  world.advance(29_000);
  expect(world.process('mute').stopping).toBe('asked');
  world.serverExits(world.process('mute'), null, 'SIGTERM');
  expect(world.answerTo(host, lost).error).toMatchObject({
    code: -32603,
    message: expect.stringContaining('did not answer the handshake'),
    data: { reason: 'down', server: 'mute', sent: false, stderr: ['last words'] },
  });
});

test('time in the start queue does not count as start time', () => {
  const world = new World({ startSlots: 1 });
  world.install('first', WEATHER, { start: 'always' });
  world.install('second', WEATHER, { start: 'always', limits: { ...world.install('x').limits, startTimeoutMs: 1500 } });
  world.advance(1000);
  world.spawned('second');
  world.advance(1400);
  expect(world.process('second').stopping).toBe('no');
});

test('a call waits for a restart that is near, and is refused with the reason when it is far', () => {
  const { world, host } = given();
  const key = call(world, host);
  for (const delayMs of [1000, 2000, 4000]) {
    world.serverExits(world.spawned('weather'), 1);
    expect(world.status('weather').state).toBe('backoff');
    world.advance(delayMs);
  }
  expect(host.answers.has(key)).toBe(false);
  // The fourth delay is 8 s, and a call waits for 4 s at most.
  world.serverExits(world.spawned('weather'), 1);
  expect(world.answerTo(host, key).error).toMatchObject({
    message: expect.stringMatching(
      /weather is not running: exit code 1; its next start is due in 8 s.*Nothing was sent/s,
    ),
    data: { reason: 'down', sent: false },
  });
  expect(world.answerTo(host, call(world, host)).error).toBeDefined();
  world.advance(5000);
  const waits = call(world, host);
  expect(host.answers.has(waits)).toBe(false);
  world.advance(3000);
  world.serverAnswers(world.ready('weather', WEATHER), 'tools/call', { result: {} });
  expect(world.answerTo(host, waits).result).toEqual({});
});

test('a crash during its start costs a waiting call one second, not its life', () => {
  const { world, host } = given();
  const key = call(world, host);
  const first = world.spawned('weather');
  world.serverExits(first, 1);
  world.advance(999);
  expect(world.processes.has('weather')).toBe(false);
  world.advance(1);
  world.serverAnswers(world.ready('weather', WEATHER), 'tools/call', { result: {} });
  expect(world.answerTo(host, key).result).toEqual({});
});

test('one that crashed is not well before it is up again, and says where to look', () => {
  const { world, host } = given();
  call(world, host);
  world.serverExits(world.spawned('weather'), 1);
  world.advance(1000);
  const fix = 'mcpd logs weather; then mcpd start weather';
  expect(world.status('weather')).toMatchObject({ state: 'starting', health: 'degraded', fix });
  world.ready('weather', WEATHER);
  expect(world.status('weather')).toMatchObject({ state: 'running', health: 'ok', fix: null });
});

test('nobody says of a disabled server that it is well', () => {
  expect(given({ enabled: false }).world.status('weather')).toMatchObject({ state: 'stopped', health: 'unknown' });
});

/** Crashes right after each handshake until it has failed; returns the number of its processes. */
function crashUntilFailed(world: World, host: SimulatedHost): number {
  const before = world.spawns.length;
  for (let n = 0; n < 20 && world.status('weather').state !== 'failed'; n++) {
    call(world, host);
    world.advance(60_000);
    call(world, host);
    if (world.processes.has('weather')) world.serverExits(world.ready('weather', WEATHER), 0);
  }
  expect(world.status('weather').state).toBe('failed');
  return world.spawns.length - before;
}

test('a server that exits cleanly after every handshake is started five times in five minutes and then failed', () => {
  const { world, host } = given();
  expect(crashUntilFailed(world, host)).toBe(5);
  const started = world.spawns.length;
  const error = world.answerTo(host, call(world, host)).error;
  expect(error?.message).toMatch(/exit code 0; its next start is due in \d+ s/);
  expect(error?.data).toMatchObject({ reason: 'down', fix: 'mcpd start weather' });
  expect(world.status('weather')).toMatchObject({ health: 'degraded', reason: 'exit code 0' });
  expect(world.spawns).toHaveLength(started);
});

test('the spawns of a crash loop that is held up stay below nine in thirty seconds', () => {
  const world = new World();
  world.install('weather', WEATHER, { start: 'always' });
  for (let n = 0; n < 300; n++) {
    if (world.processes.has('weather')) world.serverExits(world.ready('weather', WEATHER), 0);
    world.advance(100);
  }
  expect(world.spawns.length).toBeLessThanOrEqual(8);
  expect(world.status('weather').state).toBe('failed');
});

test('a failed server gets one trial in ten minutes by a call; when that fails too, it has failed again at once', () => {
  const { world, host } = given();
  crashUntilFailed(world, host);
  const started = world.spawns.length;
  world.advance(10 * 60_000 - 1);
  expect(world.answerTo(host, call(world, host)).error).toBeDefined();
  world.advance(1);
  const key = call(world, host);
  expect(host.answers.has(key)).toBe(false);
  world.serverExits(world.ready('weather', WEATHER), 0);
  expect(world.status('weather').state).toBe('failed');
  expect(world.answerTo(host, call(world, host)).error).toBeDefined();
  expect(world.spawns.length - started).toBe(1);
});

test('a trial that stays up makes up for the failures', () => {
  const { world, host } = given();
  crashUntilFailed(world, host);
  world.advance(10 * 60_000);
  call(world, host);
  const process = world.ready('weather', WEATHER);
  world.serverAnswers(process, 'tools/call', { result: {} });
  world.advance(60_000);
  world.serverExits(process, 1);
  expect(world.status('weather').state).toBe('stopped');
  call(world, host);
  expect(world.status('weather').state).toBe('starting');
});

test('a failed server that is always up is tried again by the clock', () => {
  const world = new World();
  world.install('weather', WEATHER, { start: 'always' });
  for (let n = 0; n < 5; n++) {
    world.advance(60_000);
    world.serverExits(world.ready('weather', WEATHER), 0);
  }
  expect(world.status('weather').state).toBe('failed');
  const started = world.spawns.length;
  world.advance(10 * 60_000);
  expect(world.spawns.length - started).toBe(1);
  world.serverExits(world.ready('weather', WEATHER), 0);
  expect(world.status('weather').state).toBe('failed');
});

test('a person starts a failed server at any time', () => {
  const { world, host } = given();
  crashUntilFailed(world, host);
  world.post({ type: 'command', server: 'weather', command: 'start' });
  world.ready('weather', WEATHER);
  expect(world.status('weather').state).toBe('running');
});

test('a command that does not exist is shown as such, and no process is probed twice for it', () => {
  const { world, host } = given();
  const key = call(world, host);
  const { instance, generation } = world.process('weather');
  world.processes.delete('weather');
  const exit = { at: 0, uptimeMs: 0, code: null, signal: null, cause: 'spawn ENOENT: /no/such', stderrTail: [] };
  world.post({ type: 'server-exited', instance, generation, exit });
  expect(world.status('weather')).toMatchObject({ state: 'backoff', reason: 'spawn ENOENT: /no/such' });
  expect(host.answers.has(key)).toBe(false);
  expect(world.spawns).toHaveLength(1);
});

test('a call that has waited through a whole start timeout is not made to wait for another', () => {
  const { world, host } = given();
  const early = call(world, host);
  world.spawned('weather');
  world.advance(20_000);
  const late = call(world, host);
  world.advance(10_000);
  world.serverExits(world.process('weather'), null, 'SIGKILL');
  expect(world.answerTo(host, early).error?.data).toMatchObject({ sent: false });
  expect(host.answers.has(late)).toBe(false);
});

test('calls that were sent fail at the exit with its cause, its last words, and that the outcome is unknown', () => {
  const { world, host } = given();
  const key = call(world, host);
  const process = world.ready('weather', WEATHER);
  world.serverExits(process, null, 'SIGKILL');
  expect(world.answerTo(host, key).error).toMatchObject({
    code: -32603,
    message: expect.stringMatching(/signal SIGKILL.*outcome is unknown.*last words/s),
    data: { reason: 'crashed', server: 'weather', sent: true, outcome: 'unknown', signal: 'SIGKILL' },
  });
  world.advance(60_000);
  expect(world.spawns).toHaveLength(1);
});

test('a person who starts a server while it is being ended for its fault does not wait for the backoff', () => {
  const world = new World();
  const process = world.running('weather', WEATHER);
  const { instance, generation } = process;
  world.post({ type: 'server-memory', instance, generation, limit: 'hard', bytes: 3e9 });
  world.post({ type: 'command', server: 'weather', command: 'start' });
  world.serverExits(process, null, 'SIGKILL');
  expect(world.status('weather')).toMatchObject({
    state: 'starting',
    lastExit: { cause: expect.stringContaining('memory') },
  });
  expect(world.processes.has('weather')).toBe(true);
});

test('what a replaced process still says concerns nobody', () => {
  const { world, host } = given();
  const key = call(world, host);
  const old = world.ready('weather', WEATHER);
  world.serverExits(old, 1);
  world.advance(5000);
  call(world, host);
  const fresh = world.ready('weather', WEATHER);
  expect(fresh.generation).toBeGreaterThan(old.generation);
  const calls = world.status('weather').calls;
  world.serverSends(old, { jsonrpc: '2.0', id: fresh.inbox[0]?.id ?? 0, result: {} });
  expect(world.status('weather').calls).toBe(calls);
  expect(host.answers.get(key)?.error).toBeDefined();
});
