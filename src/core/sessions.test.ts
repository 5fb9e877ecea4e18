import { expect, test } from 'vitest';
import { modernMeta } from '../../test/simulated/messages.ts';
import type { Character } from '../../test/simulated/servers.ts';
import { World } from '../../test/simulated/world.ts';

const FAKE: Character = { tools: ['echo'], prompts: ['ask'], resources: ['file:///a'] };

/** A server that is installed and does not run, and a host. */
function given() {
  const world = new World();
  world.install('fake', FAKE);
  return { world, host: world.legacyHost('host') };
}

test('initialize, lists, ping and discover are answered at once, and start nothing', () => {
  const { world, host } = given();
  const modern = world.openHost('modern', 'modern');
  for (const list of ['tools', 'prompts', 'resources', 'resources/templates']) {
    expect(world.ask(host, `${list}/list`).result).toBeDefined();
    expect(world.ask(modern, `${list}/list`).result).toMatchObject({
      resultType: 'complete',
      ttlMs: 60_000,
      cacheScope: 'private',
    });
  }
  expect(world.ask(host, 'ping').result).toEqual({});
  expect(world.ask(modern, 'server/discover').result).toMatchObject({
    resultType: 'complete',
    supportedVersions: ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'],
    capabilities: { tools: { listChanged: true }, resources: { subscribe: true } },
    _meta: { 'io.modelcontextprotocol/serverInfo': { name: 'mcpd' } },
  });
  expect(world.spawns).toEqual([]);
});

test.each([
  ['2024-11-05', '2024-11-05'],
  ['2025-06-18', '2025-06-18'],
  ['2026-07-28', '2025-11-25'],
  ['1.0', '2025-11-25'],
  [undefined, '2025-11-25'],
])('initialize with revision %s is answered with %s', (asked, given) => {
  const world = new World();
  const host = world.openHost('host');
  const params = { protocolVersion: asked, capabilities: {}, clientInfo: { name: 'Some Host', version: '1' } };
  expect(world.ask(host, 'initialize', params).result).toMatchObject({
    protocolVersion: given,
    capabilities: { tools: { listChanged: true }, prompts: { listChanged: true }, logging: {}, completions: {} },
    serverInfo: { name: 'mcpd' },
  });
  expect(world.gateway.sessions()[0]).toMatchObject({ era: 'legacy', protocolVersion: given });
});

test('a host is called what its entry says, else what it calls itself', () => {
  const world = new World();
  const named = world.openHost('s1', 'legacy', null, 'zed');
  const nameless = world.openHost('s2', 'legacy', null, '');
  for (const host of [named, nameless])
    world.ask(host, 'initialize', { protocolVersion: '2025-11-25', clientInfo: { name: 'itself' } });
  expect(world.gateway.sessions().map(({ host }) => host)).toEqual(['zed', 'itself']);
});

test('a host may probe as a modern one and then fall back to initialize on the same pipe', () => {
  const world = new World();
  const host = world.openHost('host');
  const probe = { _meta: modernMeta({ 'io.modelcontextprotocol/protocolVersion': '2027-01-01' }) };
  expect(world.ask(host, 'server/discover', probe).error).toMatchObject({
    code: -32_022,
    data: { requested: '2027-01-01', supported: expect.arrayContaining(['2026-07-28']) },
  });
  expect(world.ask(host, 'server/discover', { _meta: modernMeta() }).result).toBeDefined();
  expect(world.ask(host, 'initialize', { protocolVersion: '2025-06-18' }).result).toBeDefined();
  expect(world.ask(host, 'ping').result).toEqual({});
});

test.each([
  ['io.modelcontextprotocol/protocolVersion', 'io.modelcontextprotocol/clientCapabilities'],
  ['io.modelcontextprotocol/clientCapabilities', 'io.modelcontextprotocol/protocolVersion'],
])('a modern request without %s is refused; one without clientInfo is served', (missing, present) => {
  const world = new World();
  const host = world.openHost('host');
  const _meta = { ...modernMeta(), [missing]: undefined };
  const { error } = world.ask(host, 'tools/list', { _meta });
  expect(error).toMatchObject({ code: -32_602, message: expect.stringContaining(missing) });
  expect(error?.message).not.toContain(present);
  const anonymous = { ...modernMeta(), 'io.modelcontextprotocol/clientInfo': undefined };
  expect(world.ask(host, 'tools/list', { _meta: anonymous }).result).toBeDefined();
});

test('after its first modern request a host must go on so', () => {
  const world = new World();
  const host = world.openHost('host', 'modern');
  world.request(host, 'tools/list');
  world.hostSends(host, { jsonrpc: '2.0', id: 'x', method: 'tools/list', params: {} });
  expect(world.answerTo(host, '"x"').error).toMatchObject({ code: -32_602 });
});

test.each(['initialize', 'ping', 'logging/setLevel', 'resources/subscribe', 'resources/unsubscribe', 'made/up'])(
  'a modern host has no %s',
  (method) => {
    const world = new World();
    const host = world.openHost('host', 'modern');
    expect(world.ask(host, method, { uri: 'file:///a', level: 'info' }).error?.code).toBe(-32_601);
  },
);

test.each(['made/up', 'tasks/update', 'tools/Call', '__proto__', 'constructor'])(
  'an unknown method %s is refused',
  (method) => {
    const { world, host } = given();
    expect(world.ask(host, method).error).toMatchObject({ code: -32_601, message: `method not found: ${method}` });
  },
);

test('an id that is in use is refused, and its first request is answered all the same', () => {
  const { world, host } = given();
  world.request(host, 'tools/call', { name: 'fake__echo' }, 'same');
  const frame = '{"jsonrpc":"2.0","id":"\\u0073ame","method":"ping"}';
  world.hostSendsText(host, frame);
  expect(JSON.parse(host.lines.at(-1) ?? '')).toMatchObject({ id: 'same', error: { code: -32_600 } });
  host.open.set('"same"', 'tools/call');
  world.serverAnswers(world.ready('fake', FAKE), 'tools/call', { result: { content: [] } });
  expect(world.answerTo(host, '"same"').result).toEqual({ content: [] });
});

test('an id may be used again after its answer', () => {
  const { world, host } = given();
  for (let n = 0; n < 3; n++) expect(world.answerTo(host, world.request(host, 'ping', {}, 1)).result).toEqual({});
});

test('a member of params that is there twice is refused: mcpd and the server might read different ones', () => {
  const { world, host } = given();
  for (const params of ['{"name":"fake__echo","name":"x"}', '{"name":"fake__echo","\\u006eame":"x"}']) {
    world.hostSendsText(host, `{"jsonrpc":"2.0","id":5,"method":"tools/call","params":${params}}`);
    expect(world.answerTo(host, '5').error).toMatchObject({ code: -32_602, message: 'params.name is there twice' });
  }
  world.hostSendsText(
    host,
    '{"jsonrpc":"2.0","id":6,"method":"completion/complete","params":{"ref":{"type":"ref/prompt","name":"fake__ask","name":"x"}}}',
  );
  expect(world.answerTo(host, '6').error?.message).toBe('params.ref.name is there twice');
});

test('a cursor is refused, since lists have one page; null is no cursor', () => {
  const { world, host } = given();
  expect(world.ask(host, 'tools/list', { cursor: '' }).error).toMatchObject({ code: -32_602 });
  expect(world.ask(host, 'tools/list', { cursor: null }).result).toBeDefined();
});

test.each([
  ['not-json', -32_700],
  ['invalid-utf8', -32_700],
  ['not-jsonrpc', -32_600],
  ['ambiguous-envelope', -32_600],
  ['too-long', -32_600],
  ['batch', -32_600],
] as const)('a line that is %s is answered with %i', (reason, code) => {
  const { world, host } = given();
  world.post({ type: 'host-noise', session: 'host', reason, id: null });
  expect(JSON.parse(host.lines.at(-1) ?? '')).toMatchObject({ id: null, error: { code, data: { reason } } });
});

test('noise with the id of a request is its answer, but never a second one to an open request', () => {
  const { world, host } = given();
  host.open.set('7', 'noise');
  world.post({ type: 'host-noise', session: 'host', reason: 'too-long', id: '7' });
  expect(world.answerTo(host, '7').error?.code).toBe(-32_600);
  world.request(host, 'tools/call', { name: 'fake__echo' }, 8);
  world.post({ type: 'host-noise', session: 'host', reason: 'too-long', id: '8.0' });
  expect(host.open.has('8')).toBe(true);
  expect(JSON.parse(host.lines.at(-1) ?? '').id).toBeNull();
});

test('answers of a host answer nothing, and unknown notices of it go nowhere', () => {
  const { world, host } = given();
  const before = world.effects.length;
  world.hostSends(host, { jsonrpc: '2.0', id: 1, result: {} });
  world.hostSends(host, { jsonrpc: '2.0', id: null, error: { code: 1, message: 'x' } });
  world.hostSends(host, { jsonrpc: '2.0', method: 'notifications/roots/list_changed' });
  for (const params of [undefined, {}, { requestId: { a: 1 } }, { requestId: null }])
    world.hostSends(host, { jsonrpc: '2.0', method: 'notifications/cancelled', ...(params ? { params } : {}) });
  expect(world.effects).toHaveLength(before);
});

test('a level that is none of MCP is refused', () => {
  const { world, host } = given();
  for (const level of ['loud', 7, undefined, 'x'.repeat(10_000)]) {
    const { error } = world.ask(host, 'logging/setLevel', { level });
    expect(error?.code).toBe(-32_602);
    expect(error?.message.length).toBeLessThan(300);
  }
});

test('a modern host is on the list of sessions with its era and its name', () => {
  const world = new World();
  world.request(world.openHost('s1', 'modern', null, ''), 'tools/list');
  expect(world.gateway.sessions()[0]).toMatchObject({
    era: 'modern',
    protocolVersion: '2026-07-28',
    host: 'modern-host',
  });
});
