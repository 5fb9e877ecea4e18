import { expect, test } from 'vitest';
import type { SimulatedHost } from '../../test/simulated/hosts.ts';
import { type Character, definitionOf, memoryOf } from '../../test/simulated/servers.ts';
import { World } from '../../test/simulated/world.ts';
import type { CachedList, ServerMemory, Sharing } from './model.ts';

const FAKE: Character = { tools: ['work'], resources: ['a://x'] };
const ALL = { elicitation: { form: {}, url: {} }, roots: { listChanged: true }, sampling: { tools: {} } };

function given(sharing: Sharing, memory: Partial<ServerMemory> = {}, character = FAKE) {
  const world = new World();
  const definition = { ...definitionOf('fake'), sharing };
  world.post({ type: 'server-defined', definition, memory: { ...memoryOf(definition, character), ...memory } });
  return world;
}

const call = (world: World, host: SimulatedHost) => world.request(host, 'tools/call', { name: 'fake__work' });
const running = (world: World) => [...world.processes.keys()].sort();
const declared = (world: World, key: string) =>
  world.process(key).received.find(({ method }) => method === 'initialize')?.params?.['capabilities'];
const toolsOf = (lists: readonly CachedList[]) => lists.find(({ kind }) => kind === 'tools')?.entries.length;

test('one process serves all hosts, and is told that they can be asked for input but not for roots', () => {
  for (const sharing of ['auto', 'shared'] as const) {
    const world = given(sharing);
    call(world, world.legacyHost('one', ALL));
    call(world, world.modernHost('two', ALL));
    world.ready('fake', FAKE);
    expect(running(world)).toEqual(['fake']);
    expect(declared(world, 'fake')).toEqual({ elicitation: { form: {}, url: {} }, sampling: {} });
  }
});

test('a server that calls back: hosts that can be asked have a process each from now on, which is told what they can', () => {
  const world = given('auto', { callsBack: true });
  const [one, two, poor] = [world.legacyHost('one', ALL), world.modernHost('two', ALL), world.legacyHost('poor')];
  for (const host of [one, one, two, poor]) call(world, host);
  for (const key of running(world)) world.spawned(key);
  expect(running(world)).toEqual(['fake', 'fake@one', 'fake@two']);
  expect(declared(world, 'fake@one')).toEqual(ALL);
});

test('it is remembered when it is seen; hosts that were there before stay where they are', () => {
  const world = given('auto');
  const before = world.legacyHost('before', ALL);
  call(world, before);
  const process = world.ready('fake', FAKE);
  world.serverSends(process, { jsonrpc: '2.0', id: 1, method: 'sampling/createMessage', params: {} });
  expect(world.effectsOf('save-memory').map(({ memory }) => memory.callsBack)).toEqual([true]);
  world.serverAnswers(process, 'tools/call', { result: { content: [] } });
  world.advance(10);
  call(world, before);
  call(world, world.legacyHost('after', ALL));
  expect(running(world)).toEqual(['fake', 'fake@after']);
});

test('lists that are read later do not make it forgotten', () => {
  const world = new World();
  world.post({ type: 'server-defined', definition: definitionOf('fake'), memory: null });
  const process = world.spawned('fake');
  world.serverAnswers(process, 'server/discover', { error: { code: -32_601, message: 'no' } });
  world.serverAnswers(process, 'initialize', {
    result: { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'f', version: '1' } },
  });
  world.serverSends(process, { jsonrpc: '2.0', id: 1, method: 'sampling/createMessage', params: {} });
  world.serverAnswers(process, 'tools/list', { result: { tools: [] } });
  expect(world.effectsOf('save-memory').at(-1)?.memory.callsBack).toBe(true);
});

test('per session: each has its own, also of a modern server; it stops when the host leaves, and leaves nothing', () => {
  for (const era of ['legacy', 'modern'] as const) {
    const world = given('per-session', { era }, { ...FAKE, era });
    const [one, two] = [world.legacyHost('one', ALL), world.legacyHost('two')];
    const key = call(world, one);
    call(world, two);
    const process = world.ready('fake@one', { ...FAKE, era });
    world.ready('fake@two', { ...FAKE, era });
    expect(running(world)).toEqual(['fake@one', 'fake@two']);
    world.serverAnswers(process, 'tools/call', { result: { content: [] } });
    expect(one.answers.has(key)).toBe(true);
    world.closeHost(one);
    world.advance(0);
    expect(process.stopping).toBe('asked');
    world.serverExits(process, null, 'SIGTERM');
    expect([...world.gateway.view.instances.keys()].sort()).toEqual(['fake', 'fake@two']);
    // What it did still counts.
    expect(world.status('fake')).toMatchObject({ calls: 1, starts: 2, openCalls: 1 });
  }
});

test('a process says for whom it is there: all hosts, one of them by its name, or those of a folder', () => {
  const whose = (world: World) =>
    world.status('fake').instances.map(({ instance, hosts, folder }) => [instance, hosts, folder]);
  const own = given('per-session');
  expect(whose(own)).toEqual([['fake', null, null]]);
  const one = own.legacyHost('one', ALL);
  call(own, one);
  const process = own.ready('fake@one', FAKE);
  expect(whose(own)).toEqual([
    ['fake', null, null],
    ['fake@one', ['one'], null],
  ]);
  own.closeHost(one);
  own.advance(0);
  own.serverExits(process, null, 'SIGTERM');
  expect(whose(own)).toEqual([['fake', null, null]]);
  // Also of the lines that are written when it has left.
  const lines = own.effectsOf('log').filter(({ whose: { hosts } }) => hosts !== null);
  expect(lines.at(-1)).toMatchObject({
    text: expect.stringContaining('stopped'),
    whose: { hosts: ['one'], folder: null },
  });

  const placed = given('per-workspace');
  for (const name of ['b', 'a']) call(placed, placed.legacyHost(name, ALL, { cwd: '/home/ann/app' }));
  expect(whose(placed).at(-1)).toEqual([expect.any(String), ['a', 'b'], '/home/ann/app']);
});

test('never two for one host: a call during the stop of its process starts the next one after it', () => {
  const world = given('per-session');
  const host = world.legacyHost('one', ALL);
  call(world, host);
  const process = world.ready('fake@one', FAKE);
  world.serverAnswers(process, 'tools/call', { result: { content: [] } });
  world.post({ type: 'command', server: 'fake', command: 'stop' });
  call(world, host);
  world.advance(0);
  expect(world.spawns.map(({ instance }) => instance)).toEqual(['fake@one']);
  world.serverExits(process, null, 'SIGTERM');
  expect(world.spawns.map(({ instance }) => instance)).toEqual(['fake@one', 'fake@one']);
});

test('per workspace: hosts in one folder share a process, and it stops when the last of them leaves', () => {
  const world = given('per-workspace');
  const hosts = ['one', 'two', 'else'].map((name) =>
    world.legacyHost(name, ALL, { cwd: name === 'else' ? '/b' : '/a' }),
  );
  for (const host of hosts) call(world, host);
  const keys = running(world);
  expect(keys).toHaveLength(2);
  expect(keys.every((key) => /^fake@[0-9a-f]{12}$/.test(key))).toBe(true);
  const shared = keys.find((key) => world.gateway.view.instances.get(key)?.holder === '/a') ?? '';
  const process = world.ready(shared, FAKE);
  const [one, two] = hosts;
  if (one === undefined || two === undefined) return;
  world.closeHost(one);
  world.advance(20_000);
  expect(process.stopping).toBe('no');
  world.closeHost(two);
  world.advance(0);
  expect(process.stopping).toBe('asked');
});

test('requests that stand alone share the processes of their client, which stop when they are idle', () => {
  const world = given('per-session');
  const door = { lasts: 'request', principal: 'client:a' } as const;
  const own = () => running(world).find((key) => key.startsWith('fake@')) ?? '';
  for (const id of ['r1', 'r2']) {
    const host = world.modernHost(id, ALL, door);
    const key = call(world, host);
    const process = world.ready(own(), FAKE);
    world.serverAnswers(process, 'tools/call', { result: { content: [] } });
    expect(world.answerTo(host, key).result).toMatchObject({ content: [] });
    world.closeHost(host);
  }
  expect(world.spawns).toHaveLength(1);
  world.advance(900_000);
  const process = world.process(own());
  expect(process.stopping).toBe('asked');
  world.serverExits(process, null, 'SIGTERM');
  expect([...world.gateway.view.instances.keys()]).toEqual(['fake']);
});

test('a request that stands alone and starts nothing leaves nothing', () => {
  const world = given('per-session');
  world.post({
    type: 'server-locked',
    server: 'fake',
    lock: { because: 'login-wanted', reason: 'no login', fix: 'mcpd auth fake' },
  });
  const host = world.modernHost('r', ALL, { lasts: 'request', principal: 'client:a' });
  expect(world.answerTo(host, call(world, host)).error?.data).toMatchObject({ reason: 'auth_required' });
  world.closeHost(host);
  expect([...world.gateway.view.instances.keys()]).toEqual(['fake']);
});

const more = (tools: string[]) => memoryOf(definitionOf('fake'), { ...FAKE, tools }).lists;

test('a server that lists more to hosts that can do more: those get a process of their own and its lists', () => {
  const variants = [{ declared: 'elicitation+roots+sampling', lists: more(['work', 'ask']) }];
  const world = given('auto', { variants });
  const [one, poor] = [world.legacyHost('one', ALL), world.legacyHost('poor')];
  const names = (host: SimulatedHost) =>
    (world.ask(host, 'tools/list').result as { tools: { name: string }[] }).tools.map(({ name }) => name);
  expect(names(one)).toEqual(['fake__work', 'fake__ask']);
  expect(names(poor)).toEqual(['fake__work']);
  world.request(one, 'tools/call', { name: 'fake__ask' });
  call(world, poor);
  world.spawned('fake');
  expect(running(world)).toEqual(['fake', 'fake@one']);
  // The others' process is told of no ability, so that it lists what it did.
  expect(declared(world, 'fake')).toEqual({});
});

test('what nobody has seen yet is looked at when such a host comes: it hears of it, and only hosts like it', () => {
  const variants = [{ declared: 'elicitation+roots+sampling', lists: more(['work', 'ask']) }];
  const world = given('auto', { variants });
  const poor = world.legacyHost('poor');
  world.ask(poor, 'tools/list');
  const one = world.legacyHost('one', { elicitation: {} });
  world.ask(one, 'tools/list');
  expect(running(world)).toEqual(['fake@one']);
  world.ready('fake@one', { ...FAKE, tools: ['work', 'form'] });
  const { memory } = world.effectsOf('save-memory').at(-1) ?? {};
  expect(memory?.variants.map(({ declared, lists }) => [declared, toolsOf(lists)])).toEqual([
    ['elicitation', 2],
    ['elicitation+roots+sampling', 2],
  ]);
  expect(toolsOf(memory?.lists ?? [])).toBe(1);
  world.advance(1000);
  expect(one.notices.map(({ method }) => method)).toEqual(['notifications/tools/list_changed']);
  expect(poor.notices).toEqual([]);
  expect((world.ask(one, 'tools/list').result as { tools: unknown[] }).tools).toHaveLength(2);
  // It was started to tell, and nobody has called it.
  world.advance(60_000);
  expect(world.process('fake@one').stopping).toBe('asked');
});

test('a host at the door of one server does not have others looked at', () => {
  const variants = [{ declared: 'elicitation+roots+sampling', lists: more(['work', 'ask']) }];
  const world = given('auto', { variants });
  world.install('other', FAKE);
  world.legacyHost('elsewhere', { elicitation: {} }, { scope: { kind: 'server', server: 'other' } });
  expect(running(world)).toEqual([]);
  world.legacyHost('here', { elicitation: {} }, { scope: { kind: 'server', server: 'fake' } });
  expect(running(world)).toEqual(['fake@here']);
});

test('read once more without a change nothing is saved, however many variants there are', () => {
  const variants = [
    { declared: 'elicitation', lists: more(['work', 'form']) },
    { declared: 'elicitation+roots+sampling', lists: more(['work', 'ask']) },
  ];
  const world = given('auto', { variants });
  call(world, world.legacyHost('one', { elicitation: {} }));
  const process = world.ready('fake@one', { ...FAKE, tools: ['work', 'form'] });
  world.serverAnswers(process, 'tools/call', { result: { content: [] } });
  world.advance(3000);
  world.ready('fake@one', { ...FAKE, tools: ['work', 'form'] });
  expect(process.received.some(({ method }) => method === 'tools/list')).toBe(true);
  expect(world.effectsOf('save-memory')).toEqual([]);
});

test('changed roots are told to the processes of that host, and to no other', () => {
  const world = given('per-session');
  const [one, two] = [world.legacyHost('one', ALL), world.legacyHost('two', ALL)];
  for (const host of [one, two]) call(world, host);
  const [own, other] = [world.ready('fake@one', FAKE), world.ready('fake@two', FAKE)];
  world.hostSends(one, { jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
  const heard = ({ received }: typeof own) => received.map(({ method }) => method);
  expect(heard(own)).toContain('notifications/roots/list_changed');
  expect(heard(other)).not.toContain('notifications/roots/list_changed');
});

test('roots are asked of the host whose process it is, also outside any call', () => {
  const world = given('per-session');
  const [one, two] = [world.legacyHost('one', ALL), world.legacyHost('two', ALL)];
  for (const host of [one, two]) call(world, host);
  const process = world.ready('fake@one', FAKE);
  world.serverAnswers(process, 'tools/call', { result: { content: [] } });
  world.serverSends(process, { jsonrpc: '2.0', id: 'r', method: 'roots/list' });
  world.hostAnswers(one, { roots: [] });
  expect(process.received.at(-1)).toMatchObject({ id: 'r', result: { roots: [] } });
  expect(two.questions).toEqual([]);
});

test('a changed sharing places hosts anew, and what they watch goes along', () => {
  const world = given('per-session');
  const host = world.legacyHost('one', ALL);
  world.request(host, 'resources/subscribe', { uri: 'a://x' });
  const own = world.ready('fake@one', FAKE);
  world.serverAnswers(own, 'resources/subscribe', { result: {} });
  const definition = { ...definitionOf('fake'), sharing: 'shared' as const };
  world.post({ type: 'server-defined', definition, memory: memoryOf(definition, FAKE) });
  world.advance(0);
  expect(own.stopping).toBe('asked');
  world.serverExits(own, null, 'SIGTERM');
  call(world, host);
  const shared = world.ready('fake', FAKE);
  world.serverNotifies(shared, 'notifications/resources/updated', { uri: 'a://x' });
  expect(host.notices).toMatchObject([{ method: 'notifications/resources/updated', params: { uri: 'a://x' } }]);
  world.closeHost(host);
  expect([...world.gateway.view.instances.keys()]).toEqual(['fake']);
});

test('lists that cannot be read anew leave what is known of them', () => {
  const variants = [{ declared: 'elicitation', lists: more(['work', 'form']) }];
  const world = given('auto', { variants });
  const host = world.legacyHost('one', { elicitation: {} });
  call(world, host);
  const process = world.ready('fake@one', FAKE);
  process.inbox.length = 0;
  world.advance(30_000);
  expect(process.inbox.map(({ method }) => method)).toContain('tools/list');
  world.advance(60_000);
  expect(world.effectsOf('save-memory')).toEqual([]);
});

test('a modern host that declares something else is placed by that from then on', () => {
  const world = given('auto', { callsBack: true });
  const host = world.modernHost('one', {});
  call(world, host);
  host.capabilities = ALL;
  call(world, host);
  expect(running(world)).toEqual(['fake', 'fake@one']);
});

test('people see one server: the process that runs, and the sums of all', () => {
  const world = given('per-session');
  expect(world.status('fake')).toMatchObject({ state: 'stopped', pid: null, sharing: 'per-session' });
  const [one, two] = [world.legacyHost('one', ALL), world.legacyHost('two', ALL)];
  for (const host of [one, two, two]) call(world, host);
  const process = world.ready('fake@one', FAKE);
  expect(world.status('fake')).toMatchObject({ state: 'running', pid: process.pid, openCalls: 3, starts: 2 });
});
