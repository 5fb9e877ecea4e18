import { expect, test } from 'vitest';
import type { SimulatedProcess } from '../../test/simulated/processes.ts';
import { answerOwn, type Character, definitionOf, memoryOf } from '../../test/simulated/servers.ts';
import { World } from '../../test/simulated/world.ts';

const TOOLS: Character = { tools: ['echo'] };
const MODERN: Character = { ...TOOLS, era: 'modern' };
const INITIALIZED = { result: { protocolVersion: '2025-06-18', capabilities: {}, serverInfo: { name: 'x' } } };
const DISCOVERED = { result: { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: {} } };
const REFUSED = { error: { code: -32_601, message: 'method not found' } };

/** A server of which nothing is known, with its process just spawned. */
function given() {
  const world = new World();
  world.post({ type: 'server-defined', definition: definitionOf('fake'), memory: null });
  return { world, process: world.spawned('fake') };
}

const methods = ({ received }: SimulatedProcess) => received.map(({ method }) => method);

test('an unknown server is probed with server/discover, and a modern one is ready with its answer', () => {
  const { world, process } = given();
  expect(methods(process)).toEqual(['server/discover']);
  expect(process.received[0]?.params?.['_meta']).toMatchObject({
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'mcpd' },
    'io.modelcontextprotocol/clientCapabilities': {},
  });
  answerOwn(world, process, MODERN);
  expect(world.status('fake')).toMatchObject({ state: 'running', era: 'modern', protocolVersion: '2026-07-28' });
  expect(methods(process)).not.toContain('initialize');
});

test.each([-32_601, -32_602, -32_000, -32_603, 7])(
  'an answer of error %i to the probe means legacy, on the same pipe',
  (code) => {
    const { world, process } = given();
    world.serverAnswers(process, 'server/discover', { error: { code, message: 'x' } });
    world.serverAnswers(process, 'initialize', INITIALIZED);
    expect(world.status('fake')).toMatchObject({ state: 'running', era: 'legacy', protocolVersion: '2025-06-18' });
    expect(methods(process).slice(0, 3)).toEqual(['server/discover', 'initialize', 'notifications/initialized']);
    expect(world.spawns).toHaveLength(1);
  },
);

test('a server that names a legacy revision in its refusal is spoken to in it; one that names none is unusable', () => {
  const legacy = given();
  const unsupported = (supported: string[]) => ({ error: { code: -32_022, message: 'x', data: { supported } } });
  legacy.world.serverAnswers(legacy.process, 'server/discover', unsupported(['2025-11-25']));
  legacy.world.serverAnswers(legacy.process, 'initialize', INITIALIZED);
  expect(legacy.world.status('fake').state).toBe('running');
  const other = given();
  other.world.serverAnswers(other.process, 'server/discover', unsupported(['2027-01-01']));
  expect(methods(other.process)).toEqual(['server/discover']);
  expect(other.world.status('fake')).toMatchObject({
    state: 'stopping',
    reason: expect.stringContaining('2026-07-28'),
  });
});

test('a server that refuses the revision it says it serves is asked once more, and not a third time', () => {
  const refused = { error: { code: -32_022, message: 'x', data: { supported: ['2026-07-28'] } } };
  const moody = given();
  moody.world.serverAnswers(moody.process, 'server/discover', refused);
  moody.world.serverAnswers(moody.process, 'server/discover', {
    result: { resultType: 'complete', supportedVersions: ['2026-07-28'], capabilities: {} },
  });
  expect(moody.world.status('fake')).toMatchObject({ state: 'running', era: 'modern' });
  const stubborn = given();
  stubborn.world.serverAnswers(stubborn.process, 'server/discover', refused);
  stubborn.world.serverAnswers(stubborn.process, 'server/discover', refused);
  expect(methods(stubborn.process)).toEqual(['server/discover', 'server/discover']);
  expect(stubborn.world.status('fake')).toMatchObject({ state: 'stopping', reason: expect.stringContaining('-32022') });
});

test('after three seconds of silence the same pipe gets initialize', () => {
  const { world, process } = given();
  world.advance(2999);
  expect(methods(process)).toEqual(['server/discover']);
  world.advance(1);
  world.serverAnswers(process, 'initialize', INITIALIZED);
  expect(world.status('fake')).toMatchObject({ state: 'running', era: 'legacy' });
  expect(world.spawns).toHaveLength(1);
});

test.each([true, false])(
  'a modern server that was slow to start is modern all the same (initialize refused first: %s)',
  (first) => {
    const { world, process } = given();
    world.advance(3000);
    if (first) world.serverAnswers(process, 'initialize', REFUSED);
    expect(world.status('fake').state).toBe('starting');
    answerOwn(world, process, MODERN);
    expect(world.status('fake')).toMatchObject({ state: 'running', era: 'modern', findings: [] });
  },
);

test('a server of both eras that was slow to start keeps to the old one, since initialize came last', () => {
  const { world, process } = given();
  world.advance(3000);
  world.serverAnswers(process, 'server/discover', DISCOVERED);
  expect(world.status('fake').state).toBe('starting');
  world.serverAnswers(process, 'initialize', INITIALIZED);
  expect(world.status('fake')).toMatchObject({ state: 'running', era: 'legacy' });
  world.advance(3000);
  expect(world.status('fake').era).toBe('legacy');
});

test('a modern server that was slow to start, and says nothing to initialize, is waited for no longer than the probe', () => {
  const { world, process } = given();
  world.advance(3000);
  world.serverAnswers(process, 'server/discover', DISCOVERED);
  world.advance(2999);
  expect(world.status('fake').state).toBe('starting');
  world.advance(1);
  expect(world.status('fake')).toMatchObject({ state: 'running', era: 'modern' });
});

test('a server that is remembered as modern is given more time before it gets initialize', () => {
  const world = new World();
  world.install('fake', MODERN);
  world.post({ type: 'command', server: 'fake', command: 'start' });
  const process = world.spawned('fake');
  world.advance(9999);
  expect(methods(process)).toEqual(['server/discover']);
  world.advance(1);
  expect(methods(process)).toEqual(['server/discover', 'initialize']);
});

test('a legacy server that was slow to start answers both, and is legacy', () => {
  const { world, process } = given();
  world.advance(3000);
  answerOwn(world, process, TOOLS);
  expect(world.status('fake')).toMatchObject({ state: 'running', era: 'legacy' });
});

test('a server that dies of the probe is started afresh with initialize, and that exit is no crash', () => {
  const { world, process } = given();
  world.serverExits(process, 1);
  expect(world.status('fake')).toMatchObject({ state: 'starting', lastExit: null });
  const second = world.ready('fake', TOOLS);
  expect(methods(second)[0]).toBe('initialize');
  expect(world.status('fake').state).toBe('running');
});

test('so is one that dies of it after the three seconds', () => {
  const { world, process } = given();
  world.advance(4000);
  world.serverExits(process, 1);
  expect(world.status('fake')).toMatchObject({ state: 'starting', lastExit: null });
  expect(methods(world.ready('fake', TOOLS))[0]).toBe('initialize');
});

test('a server that exits again then has crashed', () => {
  const { world, process } = given();
  world.serverExits(process, 1);
  world.serverExits(world.spawned('fake'), 1);
  expect(world.status('fake').lastExit?.cause).toBe('exit code 1');
  expect(world.spawns).toHaveLength(2);
});

test('a remembered era is spoken at once, without a probe', () => {
  const world = new World();
  const host = world.legacyHost('host');
  for (const [name, character] of [
    ['old', TOOLS],
    ['new', MODERN],
  ] as const) {
    world.install(name, character);
    world.request(host, 'tools/call', { name: `${name}__echo` });
  }
  expect(methods(world.spawned('old'))).toEqual(['initialize']);
  expect(methods(world.spawned('new'))).toEqual(['server/discover']);
});

test('a server that has become modern refuses initialize, is probed, and is remembered as modern', () => {
  const world = new World();
  world.install('fake', TOOLS);
  world.post({ type: 'command', server: 'fake', command: 'start' });
  const process = world.ready('fake', MODERN);
  expect(methods(process).slice(0, 2)).toEqual(['initialize', 'server/discover']);
  expect(world.status('fake')).toMatchObject({ state: 'running', era: 'modern' });
  expect(world.effectsOf('save-memory')[0]?.memory.era).toBe('modern');
});

test('a server that has become legacy again answers the probe with an error, and is initialized', () => {
  const world = new World();
  world.install('fake', MODERN);
  world.post({ type: 'command', server: 'fake', command: 'start' });
  world.ready('fake', TOOLS);
  expect(world.status('fake')).toMatchObject({ state: 'running', era: 'legacy' });
});

test('a server that refuses both cannot be used, and its own words are told', () => {
  const { world, process } = given();
  world.serverAnswers(process, 'server/discover', REFUSED);
  world.serverAnswers(process, 'initialize', { error: { code: -32_000, message: 'the licence has expired' } });
  expect(world.status('fake')).toMatchObject({
    state: 'stopping',
    reason: expect.stringMatching(/refused initialize: .*the licence has expired/),
  });
});

test.each([
  [{ protocolVersion: '1999-01-01' }, 'speaks protocol revision "1999-01-01"'],
  [{}, 'names no protocolVersion'],
  [[], 'is not an object'],
  [{ protocolVersion: '2025-11-25', instructions: 'x'.repeat(2 * 1024 * 1024) }, 'cannot be read'],
])('an answer to initialize like %.40j is no greeting', (result, reason) => {
  const { world, process } = given();
  world.serverAnswers(process, 'server/discover', REFUSED);
  world.serverAnswers(process, 'initialize', { result });
  expect(world.status('fake').reason).toContain(reason);
});

test('initialized is said after the answer to initialize, and before anything else', () => {
  const { world, process } = given();
  world.serverAnswers(process, 'server/discover', REFUSED);
  expect(methods(process)).toEqual(['server/discover', 'initialize']);
  world.serverAnswers(process, 'initialize', { result: { ...INITIALIZED.result, capabilities: { tools: {} } } });
  expect(methods(process).slice(2)).toEqual(['notifications/initialized', 'tools/list']);
});

test('notices before the handshake are taken calmly', () => {
  const { world, process } = given();
  for (const method of ['tools/list_changed', 'message', 'resources/updated', 'progress'])
    world.serverNotifies(process, `notifications/${method}`, { level: 'info', data: 1, uri: 'a://', progressToken: 1 });
  answerOwn(world, process, TOOLS);
  expect(world.status('fake').state).toBe('running');
});

test('a trial believes nothing that is known of an installed server of its name', () => {
  const world = new World();
  world.install('fake', MODERN);
  world.post({ type: 'trial', trial: 't', definition: definitionOf('fake', 'on-demand', 'another') });
  const process = world.spawned('fake@trial-t');
  expect(methods(process)).toEqual(['server/discover']);
  world.advance(3000);
  answerOwn(world, process, TOOLS);
  world.advance(0);
  world.serverExits(process, 0);
  world.compared('fake@trial-t', TOOLS);
  expect(world.effectsOf('trial-finished')[0]?.outcome).toMatchObject({ ok: true, memory: { era: 'legacy' } });
});

test('a changed launch is probed anew, whatever its last one died of', () => {
  const { world, process } = given();
  world.serverExits(process, 1);
  world.ready('fake', TOOLS);
  const changed = definitionOf('fake', 'on-demand', 'new-print');
  world.post({ type: 'server-defined', definition: changed, memory: null });
  world.advance(0);
  world.serverExits(world.process('fake'), 0);
  expect(methods(world.spawned('fake'))).toEqual(['server/discover']);
});

test('a modern server is asked for its notices, and again some time after it ended them; one that refuses is left alone', () => {
  const { world, process } = given();
  answerOwn(world, process, MODERN);
  const listens = () => process.received.filter(({ method }) => method === 'subscriptions/listen');
  expect(listens()[0]?.params?.['notifications']).toEqual({
    toolsListChanged: true,
    promptsListChanged: false,
    resourcesListChanged: false,
  });
  const id = process.inbox.find(({ method }) => method === 'subscriptions/listen')?.id;
  world.serverNotifies(process, 'notifications/cancelled', { requestId: id });
  world.serverAnswers(process, 'subscriptions/listen', { result: { resultType: 'complete' } });
  expect(world.status('fake').findings).toEqual([]);
  world.advance(5000);
  expect(listens()).toHaveLength(2);
  world.serverAnswers(process, 'subscriptions/listen', REFUSED);
  world.advance(60_000);
  expect(listens()).toHaveLength(2);
});

test('a modern server must not ask, and is not answered', () => {
  const { world, process } = given();
  answerOwn(world, process, MODERN);
  const before = process.received.length;
  world.serverSends(process, { jsonrpc: '2.0', id: 1, method: 'sampling/createMessage' });
  world.serverSends(process, { jsonrpc: '2.0', id: 2, method: 'ping' });
  expect(process.received).toHaveLength(before);
  expect(world.status('fake').findings).toHaveLength(1);
});

test('the era is in what is saved, so that it is known after a restart of mcpd', () => {
  const { world, process } = given();
  answerOwn(world, process, MODERN);
  const memory = world.effectsOf('save-memory')[0]?.memory ?? null;
  expect(memory).toMatchObject({ era: 'modern', protocolVersion: '2026-07-28', fingerprint: 'print-of-fake' });
  expect(memory).toMatchObject({ capabilities: memoryOf(definitionOf('fake'), MODERN).capabilities });
});
