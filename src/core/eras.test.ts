import { expect, test } from 'vitest';
import { modernMeta } from '../../test/simulated/messages.ts';
import type { Character } from '../../test/simulated/servers.ts';
import { World } from '../../test/simulated/world.ts';

const FAKE: Character = { tools: ['echo'], prompts: ['p'], resources: ['file:///a'] };
type Era = 'legacy' | 'modern';

/** A host of one era and a running server of another. */
function given(hostEra: Era, serverEra: Era) {
  const world = new World();
  const process = world.running('fake', { ...FAKE, era: serverEra });
  process.inbox.length = 0;
  const host = hostEra === 'modern' ? world.openHost('host', 'modern') : world.legacyHost('host');
  const call = (params: Record<string, unknown> = {}) =>
    world.request(host, 'tools/call', { name: 'fake__echo', ...params });
  const meta = () => world.asked(process, 'tools/call').params?.['_meta'];
  return { world, process, host, call, meta };
}

test('a legacy host at a modern server: the envelope is added, with what the host said of itself', () => {
  const { world, host, call, meta } = given('legacy', 'modern');
  call({ _meta: { vendor: 1, progressToken: 'mine' } });
  expect(meta()).toEqual({
    vendor: 1,
    progressToken: expect.any(Number),
    'io.modelcontextprotocol/protocolVersion': '2026-07-28',
    'io.modelcontextprotocol/clientInfo': { name: 'legacy-host', version: '1' },
    'io.modelcontextprotocol/clientCapabilities': {},
  });
  world.request(host, 'logging/setLevel', { level: 'warning' });
  call();
  expect(meta()).toMatchObject({ 'io.modelcontextprotocol/logLevel': 'warning' });
  world.hostSendsText(host, '{"jsonrpc":"2.0","id":99,"method":"tools/call","params":{ "name":"fake__echo"}}');
  expect(meta()).toMatchObject({ 'io.modelcontextprotocol/protocolVersion': '2026-07-28' });
});

test('a modern host at a legacy server: the envelope is taken out, the rest of `_meta` stays', () => {
  const { call, meta } = given('modern', 'legacy');
  call({ _meta: { traceparent: '00-1', progressToken: 5, 'io.modelcontextprotocol/logLevel': 'info' } });
  expect(meta()).toEqual({ traceparent: '00-1', progressToken: expect.any(Number) });
  call();
  expect(meta()).toEqual({});
});

test('a modern host at a modern server: its own envelope passes, but for the extension that mcpd cannot carry', () => {
  const { call, meta } = given('modern', 'modern');
  const capabilities = (extensions: object) => ({
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} }, extensions, sampling: {} },
  });
  call({ _meta: capabilities({ 'io.modelcontextprotocol/tasks': {}, 'x/y': { z: 1 } }) });
  expect(meta()).toEqual(modernMeta(capabilities({ 'x/y': { z: 1 } })));
  call({ _meta: capabilities({ 'io.modelcontextprotocol/tasks': {} }) });
  expect(meta()).toEqual(modernMeta(capabilities({})));
});

test('a modern host finds in a legacy result what every modern result has', () => {
  const { world, process, host, call } = given('modern', 'legacy');
  const key = call();
  world.serverAnswers(process, 'tools/call', { result: { content: [] } });
  expect(world.answerTo(host, key).result).toEqual({ resultType: 'complete', content: [] });
  const empty = call();
  world.serverAnswers(process, 'tools/call', { result: {} });
  expect(world.answerTo(host, empty).result).toEqual({ resultType: 'complete' });
  const read = world.request(host, 'resources/read', { uri: 'file:///a' });
  world.serverAnswers(process, 'resources/read', { result: { contents: [] } });
  expect(world.answerTo(host, read).result).toEqual({
    resultType: 'complete',
    ttlMs: 0,
    cacheScope: 'private',
    contents: [],
  });
});

test('a legacy host is spared what only modern results have', () => {
  const { world, process, host, call } = given('legacy', 'modern');
  const key = call();
  const id = world.asked(process, 'tools/call').id;
  world.serverSendsText(
    process,
    `{"jsonrpc":"2.0","id":${id},"result":{"resultType":"complete","content":[],"n":1.0,"ttlMs":5, "cacheScope":"public"}}`,
  );
  expect(host.lines.at(-1)).toBe(`{"jsonrpc":"2.0","id":${key},"result":{"content":[],"n":1.0}}\n`);
});

test.each([
  [{ resultType: 'input_required', inputRequests: { a: {} } }, 'not valid', 'invalid-answer'],
  [
    { resultType: 'input_required', inputRequests: { a: { method: 'roots/list' } } },
    'this host does not support',
    'host-lacks',
  ],
  [{ resultType: 'task', taskId: '1' }, 'of the type "task"', 'result-type'],
])('a legacy host cannot be given %j, and is told so', (result, message, reason) => {
  const { world, process, host, call } = given('legacy', 'modern');
  const key = call();
  world.serverAnswers(process, 'tools/call', { result });
  expect(world.answerTo(host, key).error).toMatchObject({
    code: -32_603,
    message: expect.stringContaining(message),
    data: { reason, server: 'fake' },
  });
});

test('what a modern server asks for passes to a modern host, and its retry comes back, byte for byte', () => {
  const { world, process, host, call } = given('modern', 'modern');
  const key = call();
  const result =
    '{"resultType":"input_required","inputRequests":{"k":{"method":"elicitation/create"}},"requestState":"s=="}';
  world.serverSendsText(process, `{"jsonrpc":"2.0","id":${world.asked(process, 'tools/call').id},"result":${result}}`);
  expect(host.lines.at(-1)).toBe(`{"jsonrpc":"2.0","id":${key},"result":${result}}\n`);
  call({ inputResponses: { k: { action: 'accept' } }, requestState: 's==' });
  expect(world.asked(process, 'tools/call').params).toMatchObject({
    name: 'echo',
    inputResponses: { k: { action: 'accept' } },
    requestState: 's==',
  });
});

test.each<[Era, Era, number, number]>([
  ['modern', 'legacy', -32_002, -32_602],
  ['modern', 'legacy', -32_042, -32_603],
  ['modern', 'modern', -32_020, -32_603],
  ['modern', 'modern', -32_022, -32_603],
  ['modern', 'modern', -32_021, -32_021],
  ['legacy', 'modern', -32_021, -32_603],
  ['legacy', 'modern', -32_020, -32_603],
  ['legacy', 'legacy', -32_002, -32_002],
  ['legacy', 'legacy', -32_042, -32_042],
  ['modern', 'legacy', -32_601, -32_601],
])('a %s host gets the error of a %s server with code %i as %i', (hostEra, serverEra, code, expected) => {
  const { world, process, host, call } = given(hostEra, serverEra);
  const key = call();
  world.serverAnswers(process, 'tools/call', { error: { code, message: 'own words', data: { n: 1 } } });
  expect(world.answerTo(host, key).error).toEqual({ code: expected, message: 'own words', data: { n: 1 } });
});

test.each<[Era, Era]>([
  ['legacy', 'legacy'],
  ['modern', 'modern'],
])('between %s and %s a result passes byte for byte', (hostEra, serverEra) => {
  const { world, process, host, call } = given(hostEra, serverEra);
  const key = call();
  const result =
    '{ "resultType":"of tomorrow","content":[{"type":"new","n":1e999}],"ttlMs":1,"x":{"__proto__":12345678901234567890} }';
  world.serverSendsText(process, `{"jsonrpc":"2.0","id":${world.asked(process, 'tools/call').id},"result":${result}}`);
  expect(host.lines.at(-1)).toBe(`{"jsonrpc":"2.0","id":${key},"result":${result}}\n`);
});

test('a result of megabytes crosses the eras without being walked through', () => {
  const text = 'x'.repeat(3 * 1024 * 1024);
  for (const [hostEra, serverEra] of [
    ['modern', 'legacy'],
    ['legacy', 'modern'],
  ] as const) {
    const { world, process, host, call } = given(hostEra, serverEra);
    const key = call();
    world.serverAnswers(process, 'tools/call', { result: { content: [{ type: 'text', text }] } });
    expect(world.answerTo(host, key).result).toMatchObject({
      content: [{ text }],
      ...(hostEra === 'modern' ? { resultType: 'complete' } : {}),
    });
  }
});
