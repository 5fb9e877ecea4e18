import { expect, test } from 'vitest';
import type { SimulatedHost } from '../../test/simulated/hosts.ts';
import type { SimulatedProcess } from '../../test/simulated/processes.ts';
import { answerOwn, type Character, definitionOf } from '../../test/simulated/servers.ts';
import { World } from '../../test/simulated/world.ts';

const ONE: Character = { tools: ['one'] };
const TWO: Character = { tools: ['one', 'two'] };

function given(character: Character = ONE) {
  const world = new World();
  const process = world.running('fake', character);
  const host = world.legacyHost('host');
  // A host is told of changes to what it was given.
  for (const list of ['tools', 'prompts', 'resources']) world.ask(host, `${list}/list`);
  return { world, process, host };
}

const changed = (world: World, process: SimulatedProcess, list = 'tools') =>
  world.serverNotifies(process, `notifications/${list}/list_changed`);

const notices = (host: SimulatedHost) =>
  host.notices.map(({ method }) => method).filter((method) => method?.endsWith('/list_changed'));

const toolsOf = (world: World, host: SimulatedHost) =>
  (world.ask(host, 'tools/list').result as { tools: { name: string }[] }).tools.map(({ name }) => name);

test('a burst of list_changed is one reading and one notice, and then the list is right', () => {
  const { world, process, host } = given();
  for (let n = 0; n < 5; n++) changed(world, process);
  world.advance(100);
  expect(process.received.filter(({ method }) => method === 'tools/list')).toHaveLength(1);
  answerOwn(world, process, TWO);
  world.advance(60);
  expect(notices(host)).toEqual(['notifications/tools/list_changed']);
  expect(toolsOf(world, host)).toEqual(['fake__one', 'fake__two']);
  expect(world.effectsOf('save-memory')).toHaveLength(1);
});

test('a list that has not changed after a notice is read once more, and hosts hear nothing', () => {
  const { world, process, host } = given();
  changed(world, process);
  world.advance(100);
  answerOwn(world, process, ONE);
  world.advance(600);
  answerOwn(world, process, ONE);
  world.advance(10_000);
  expect(process.received.filter(({ method }) => method === 'tools/list')).toHaveLength(2);
  expect(notices(host)).toEqual([]);
});

test('a server that announces before it can show has its new list read a moment later', () => {
  const { world, process, host } = given();
  changed(world, process);
  world.advance(100);
  answerOwn(world, process, ONE);
  world.advance(600);
  answerOwn(world, process, TWO);
  world.advance(60);
  expect(notices(host)).toHaveLength(1);
});

test('an empty list does not replace a full one before it was read twice', () => {
  const { world, process, host } = given({ ...ONE, resources: ['a://1'] });
  const emptied: Character = { tools: [], resources: ['a://1', 'a://2'] };
  changed(world, process);
  changed(world, process, 'resources');
  world.advance(100);
  // The other lists come to their end meanwhile, and are taken.
  answerOwn(world, process, emptied);
  world.advance(60);
  expect(toolsOf(world, host)).toEqual(['fake__one']);
  expect(notices(host)).toEqual(['notifications/resources/list_changed']);
  world.advance(600);
  answerOwn(world, process, emptied);
  world.advance(1000);
  expect(toolsOf(world, host)).toEqual([]);
  expect(notices(host)).toHaveLength(2);
});

test('a server that registers its tools late after a restart keeps those that are known', () => {
  const { world, process, host } = given();
  world.post({ type: 'command', server: 'fake', command: 'restart' });
  world.advance(0);
  world.serverExits(process, 0);
  world.ready('fake', { tools: [] });
  expect(toolsOf(world, host)).toEqual(['fake__one']);
  world.advance(600);
  answerOwn(world, world.process('fake'), ONE);
  world.advance(5000);
  expect(notices(host)).toEqual([]);
});

test('a server that never stops announcing has its list read once a second, and hosts are not told more often', () => {
  const { world, process, host } = given();
  for (let n = 0; n < 100; n++) {
    changed(world, process);
    world.advance(100);
    answerOwn(world, process, { tools: [`tool-${n}`] });
  }
  const readings = process.received.filter(({ method }) => method === 'tools/list').length;
  expect(readings).toBeGreaterThan(5);
  expect(readings).toBeLessThan(15);
  expect(notices(host).length).toBeGreaterThan(5);
  expect(notices(host).length).toBeLessThan(15);
});

test('a list that takes longer than the notices about it is let finish', () => {
  const { world, process, host } = given();
  changed(world, process);
  world.advance(100);
  const [question] = process.inbox.splice(0);
  for (let n = 0; n < 50; n++) {
    changed(world, process);
    world.advance(100);
  }
  expect(process.inbox).toEqual([]);
  world.serverSends(process, {
    jsonrpc: '2.0',
    id: question?.id ?? null,
    result: { tools: [{ name: 'new', inputSchema: { type: 'object' } }] },
  });
  expect(toolsOf(world, host)).toEqual(['fake__new']);
});

test('a change that is taken back within the moment is no news', () => {
  const { world, process, host } = given();
  const disabled = { ...definitionOf('fake'), enabled: false };
  world.post({ type: 'server-defined', definition: disabled, memory: null });
  world.install('fake', ONE);
  world.advance(5000);
  expect(notices(host)).toEqual([]);
  expect(process.stopping).toBe('asked');
});

test('a setting that changes no list is no news to hosts', () => {
  const { world, host } = given();
  world.install('fake', ONE, { description: 'another one', start: 'always' });
  world.advance(5000);
  expect(notices(host)).toEqual([]);
});

test('install, disable, enable and uninstall are one notice each', () => {
  const { world, host } = given();
  const after = (change: () => void) => {
    const before = notices(host).length;
    change();
    world.advance(2000);
    return notices(host).length - before;
  };
  expect(after(() => world.install('more', ONE))).toBe(1);
  expect(after(() => world.install('more', ONE, { enabled: false }))).toBe(1);
  expect(after(() => world.install('more', ONE))).toBe(1);
  expect(after(() => world.post({ type: 'server-removed', server: 'more' }))).toBe(1);
});

test('a server whose lists are not known is started once to tell them, and hosts hear of it', () => {
  const world = new World();
  const host = world.legacyHost('host');
  expect(toolsOf(world, host)).toEqual([]);
  world.post({ type: 'server-defined', definition: definitionOf('fresh'), memory: null });
  expect(world.status('fresh')).toMatchObject({ state: 'starting', listed: false });
  world.ready('fresh', ONE);
  world.advance(60);
  expect(notices(host)).toEqual(['notifications/tools/list_changed']);
  expect(toolsOf(world, host)).toEqual(['fresh__one']);
  expect(world.effectsOf('save-memory')[0]).toMatchObject({
    server: 'fresh',
    memory: { fingerprint: 'print-of-fresh', era: 'legacy', protocolVersion: '2025-11-25' },
  });
  expect(world.effectsOf('save-names')[0]?.names).toEqual([
    { kind: 'tool', server: 'fresh', raw: 'one', exposed: 'fresh__one' },
  ]);
});

test('lists are read after the calls that a server was started for, and not before', () => {
  const world = new World();
  world.install('fake', ONE);
  const host = world.legacyHost('host');
  world.request(host, 'tools/call', { name: 'fake__one' });
  const process = world.ready('fake', ONE);
  expect(process.received.map(({ method }) => method)).not.toContain('tools/list');
  world.serverAnswers(process, 'tools/call', { result: {} });
  world.advance(250);
  expect(process.received.map(({ method }) => method)).toContain('tools/list');
});

test('a call that never ends puts the reading off for some seconds only', () => {
  const world = new World();
  world.install('fake', ONE);
  const host = world.legacyHost('host');
  world.request(host, 'tools/call', { name: 'fake__one' });
  const process = world.ready('fake', ONE);
  world.advance(5000);
  expect(process.received.map(({ method }) => method)).toContain('tools/list');
});

test('a list that cannot be read keeps what is cached, degrades the health, and is asked for again', () => {
  const { world, process, host } = given({ ...ONE, resources: ['a://1'] });
  changed(world, process, 'resources');
  world.advance(100);
  world.serverAnswers(process, 'resources/list', { error: { code: -32_603, message: 'the database is down' } });
  answerOwn(world, process, { ...ONE, resources: ['a://1'] });
  expect(world.status('fake')).toMatchObject({
    health: 'degraded',
    findings: [expect.stringMatching(/^resources\/list failed: .*the database is down/)],
  });
  expect(world.ask(host, 'resources/list').result).toMatchObject({ resources: [{ uri: 'a://1' }] });
  for (let second = 0; second < 60; second++) {
    world.advance(1000);
    answerOwn(world, process, { ...ONE, resources: ['a://1'] });
  }
  expect(world.status('fake')).toMatchObject({ health: 'ok', findings: [] });
});

test('of a server whose tools could not be read nothing is kept, so that it is asked again', () => {
  const world = new World();
  world.post({ type: 'server-defined', definition: definitionOf('fresh'), memory: null });
  const process = world.spawned('fresh');
  world.serverAnswers(process, 'server/discover', { error: { code: -32_601, message: 'x' } });
  const capabilities = { tools: {} };
  world.serverAnswers(process, 'initialize', { result: { protocolVersion: '2025-06-18', capabilities } });
  world.advance(15_000);
  expect(world.status('fresh')).toMatchObject({ listed: false, health: 'degraded', state: 'running' });
  expect(world.effectsOf('save-memory')).toEqual([]);
  world.advance(60_000);
  answerOwn(world, process, ONE);
  expect(world.status('fresh')).toMatchObject({ listed: true, health: 'ok' });
});

test('what the old process still tells after a changed launch is not taken for the new one', () => {
  const { world, process } = given();
  changed(world, process);
  world.advance(100);
  const [question] = process.inbox.splice(0);
  world.post({ type: 'server-defined', definition: definitionOf('fake', 'on-demand', 'new-print'), memory: null });
  world.serverSends(process, {
    jsonrpc: '2.0',
    id: question?.id ?? null,
    result: { tools: [{ name: 'old', inputSchema: { type: 'object' } }] },
  });
  expect(world.effectsOf('save-memory')).toEqual([]);
  world.advance(0);
  world.serverExits(process, 0);
  world.ready('fake', TWO);
  expect(world.effectsOf('save-memory').map(({ memory }) => memory.fingerprint)).toEqual(['new-print']);
});

test('a server that crashes before it has told its lists is started again, until it has failed', () => {
  const world = new World();
  world.post({ type: 'server-defined', definition: definitionOf('fresh'), memory: null });
  let crashes = 0;
  while (world.status('fresh').state !== 'failed' && crashes < 20) {
    if (world.processes.has('fresh')) {
      world.serverExits(world.spawned('fresh'), 1);
      crashes += 1;
    } else world.advance(1000);
  }
  // The first exit was the probe's doing.
  expect(crashes).toBe(6);
  expect(world.status('fresh')).toMatchObject({
    listed: false,
    health: 'degraded',
    fix: expect.stringContaining('logs'),
  });
  world.advance(10 * 60_000);
  world.ready('fresh', ONE);
  expect(world.status('fresh')).toMatchObject({ listed: true, state: 'running' });
});

test('one that crashed after it had told them rests until it is called', () => {
  const { world, process } = given();
  world.post({ type: 'command', server: 'fake', command: 'stop' });
  world.advance(0);
  world.serverExits(process, 0);
  const host = world.legacyHost('other');
  world.request(host, 'tools/call', { name: 'fake__one' });
  world.serverExits(world.ready('fake', ONE), 1);
  world.advance(3600_000);
  expect(world.status('fake')).toMatchObject({ state: 'stopped', health: 'degraded', reason: 'exit code 1' });
  expect(world.status('fake').fix).toBe('mcpd logs fake; then mcpd start fake');
});

test('a server that was started for its lists alone rests when it has told them; one that was called meanwhile stays', () => {
  const world = new World();
  const host = world.legacyHost('host');
  for (const name of ['alone', 'called']) {
    world.post({ type: 'server-defined', definition: definitionOf(name), memory: null });
    world.ready(name, ONE);
  }
  world.request(host, 'tools/call', { name: 'called__one' });
  world.advance(5000);
  expect(world.processes.get('alone')?.stopping).toBe('asked');
  expect(world.processes.get('called')?.stopping).toBe('no');
});
