import { expect, test } from 'vitest';
import type { SimulatedHost } from '../../test/simulated/hosts.ts';
import type { SimulatedProcess } from '../../test/simulated/processes.ts';
import type { Character } from '../../test/simulated/servers.ts';
import { World } from '../../test/simulated/world.ts';
import type { Door } from './model.ts';

const MODERN: Character = { era: 'modern', tools: ['ask'], prompts: ['form'] };
const ALL = { elicitation: { form: {}, url: {} }, roots: { listChanged: true }, sampling: {} };
const FORM = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };

/** A running modern server, and a legacy host that can be asked everything. */
function given(capabilities: object = ALL, door: Partial<Door> = {}) {
  const world = new World();
  const process = world.running('fake', MODERN);
  const host = world.legacyHost('one', capabilities, door);
  const call = () => world.request(host, 'tools/call', { name: 'fake__ask', arguments: { a: 1 } });
  return { world, process, host, call };
}

/** The server ends its request with a wish for input. `state` is raw JSON. */
function wants(world: World, process: SimulatedProcess, requests: object | null, state: string | null = null) {
  const { id } = world.asked(process, 'tools/call');
  const asked = requests === null ? '' : `,"inputRequests":${JSON.stringify(requests)}`;
  const kept = state === null ? '' : `,"requestState":${state}`;
  world.serverSendsText(
    process,
    `{"jsonrpc":"2.0","id":${id},"result":{"resultType":"input_required"${asked}${kept}}}`,
  );
}

const form = (message: string) => ({ method: 'elicitation/create', params: { ...FORM, message } });
const calls = (process: SimulatedProcess) => process.received.filter(({ method }) => method === 'tools/call');

function answer(world: World, host: SimulatedHost, at: number, result: unknown) {
  world.hostSends(host, { jsonrpc: '2.0', id: host.questions[at]?.id ?? null, result });
}

test('each thing a modern server wants is a real request to the legacy host, and all answers come in one retry', () => {
  const { world, process, host, call } = given();
  const key = call();
  wants(world, process, { who: form('Who?'), 'a "b"': { method: 'roots/list' } }, '"s\\u0061t"');
  expect(host.questions).toMatchObject([
    { method: 'elicitation/create', params: { ...FORM, message: 'fake: Who?' } },
    { method: 'roots/list', params: {} },
  ]);
  answer(world, host, 1, { roots: [] });
  expect(calls(process)).toHaveLength(1);
  answer(world, host, 0, { action: 'accept', content: { n: 1 } });
  world.advance(0);
  expect(calls(process)[1]?.params).toMatchObject({
    name: 'ask',
    arguments: { a: 1 },
    inputResponses: { who: { action: 'accept', content: { n: 1 } }, 'a "b"': { roots: [] } },
    requestState: 'sat',
  });
  expect(calls(process)[1]?.id).not.toBe(calls(process)[0]?.id);
  // Byte for byte, as it was spelled.
  expect(process.lines.at(-1)).toContain('"requestState":"s\\u0061t"');
  world.serverAnswers(process, 'tools/call', { result: { resultType: 'complete', content: [] } });
  expect(world.answerTo(host, key).result).toEqual({ content: [] });
  expect(world.effectsOf('record-call').map(({ record }) => record.outcome)).toEqual(['ok']);
});

test('answers belong to one round, and without a state the retry has none', () => {
  const { world, process, host, call } = given();
  call();
  wants(world, process, { one: form('1') }, '"x"');
  answer(world, host, 0, { action: 'accept' });
  world.advance(0);
  wants(world, process, { two: form('2') });
  answer(world, host, 1, { action: 'decline' });
  world.advance(0);
  expect(calls(process)[2]?.params).toMatchObject({ inputResponses: { two: { action: 'decline' } } });
  expect(calls(process)[2]?.params).not.toHaveProperty('requestState');
});

test('a state alone is brought back after a pause; another call does not put that off', () => {
  const { world, process, call } = given();
  call();
  wants(world, process, null, '"wait"');
  world.advance(200);
  expect(calls(process)).toHaveLength(1);
  call();
  wants(world, process, null, '"wait too"');
  world.advance(49);
  expect(calls(process)).toHaveLength(2);
  world.advance(1);
  expect(calls(process)).toHaveLength(4);
  expect(calls(process)[2]?.params).toMatchObject({ requestState: 'wait' });
  expect(calls(process)[2]?.params).not.toHaveProperty('inputResponses');
});

test('a server that never has enough is given up after ten rounds', () => {
  const { world, process, host, call } = given();
  const key = call();
  for (let round = 0; round <= 10; round++) {
    wants(world, process, null, '"more"');
    world.advance(250);
  }
  expect(world.answerTo(host, key).error).toMatchObject({ data: { reason: 'input-rounds' } });
  expect(calls(process)).toHaveLength(11);
});

test.each([
  ['sampling', { sampled: { method: 'sampling/createMessage', params: { messages: [], maxTokens: 1 } } }],
  ['elicitation.url', { page: { method: 'elicitation/create', params: { mode: 'url', url: 'https://a.b' } } }],
  ['who/knows', { odd: { method: 'who/knows' } }],
])('a host that lacks %s is asked nothing, and its call says what is missing', (capability, requests) => {
  const { world, process, host, call } = given({ elicitation: {} });
  const key = call();
  expect(calls(process)[0]?.params?.['_meta']).toMatchObject({
    'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } },
  });
  wants(world, process, { fine: form('?'), ...requests });
  expect(host.questions).toEqual([]);
  expect(world.answerTo(host, key).error?.data).toMatchObject({ reason: 'host-lacks', capability });
});

test('an error of the host ends the call, and what else it was asked is withdrawn', () => {
  const { world, process, host, call } = given();
  const key = call();
  wants(world, process, { s: { method: 'sampling/createMessage', params: {} }, f: form('?') });
  const [sampling, elicitation] = host.questions;
  world.hostSends(host, { jsonrpc: '2.0', id: sampling?.id ?? null, error: { code: -1, message: 'not now' } });
  expect(world.answerTo(host, key).error).toMatchObject({ message: expect.stringContaining('not now') });
  expect(host.notices.at(-1)).toMatchObject({
    method: 'notifications/cancelled',
    params: { requestId: elicitation?.id },
  });
  answer(world, host, 1, { action: 'accept' });
  world.advance(1000);
  expect(calls(process)).toHaveLength(1);
  expect(world.gateway.view.questions.size).toBe(0);
});

test('an elicitation that the host answers with an error is one that nobody filled in', () => {
  const { world, process, host, call } = given();
  call();
  wants(world, process, { f: form('?') });
  world.hostSends(host, { jsonrpc: '2.0', id: host.questions[0]?.id ?? null, error: { code: -1, message: 'no' } });
  world.advance(0);
  expect(calls(process)[1]?.params).toMatchObject({ inputResponses: { f: { action: 'cancel' } } });
});

test('an elicitation by URL gets the id that legacy hosts insist on', () => {
  const { world, process, host, call } = given();
  call();
  wants(world, process, {
    p: { method: 'elicitation/create', params: { mode: 'url', url: 'https://a', message: 'm' } },
  });
  const [question] = host.questions;
  expect(question?.params).toMatchObject({ mode: 'url', message: 'fake: m', elicitationId: question?.id });
});

test('the host may cancel, leave, or answer too late: the call ends, and nothing of it is kept', () => {
  for (const end of ['cancel', 'leave', 'late'] as const) {
    const { world, process, host, call } = given();
    const key = call();
    wants(world, process, { f: form('?'), g: form('!') });
    if (end === 'cancel') world.cancel(host, key);
    else if (end === 'leave') world.closeHost(host);
    else world.advance(600_000);
    if (end === 'late') expect(world.answerTo(host, key).error?.data).toMatchObject({ reason: 'input-refused' });
    expect(world.gateway.view.questions.size, end).toBe(0);
    expect(world.gateway.view.instances.get('fake')?.asking.size, end).toBe(0);
    expect(calls(process), end).toHaveLength(1);
  }
});

test('a server that dies between two rounds is started again for the next one', () => {
  const { world, process, host, call } = given();
  const key = call();
  wants(world, process, { f: form('?') }, '"kept"');
  world.serverExits(process);
  answer(world, host, 0, { action: 'accept' });
  world.advance(2000);
  const next = world.ready('fake', MODERN);
  expect(next.received.find(({ method }) => method === 'tools/call')?.params).toMatchObject({
    inputResponses: { f: { action: 'accept' } },
    requestState: 'kept',
  });
  world.serverAnswers(next, 'tools/call', { result: { content: [] } });
  expect(world.answerTo(host, key).result).toEqual({ content: [] });
});

test.each<[string, (world: World) => void]>([
  ['is uninstalled', (world) => world.post({ type: 'server-removed', server: 'fake' })],
  ['stops with mcpd', (world) => world.post({ type: 'shutdown', now: false })],
])('a call whose server %s between two rounds is answered', (_, end) => {
  const { world, process, host, call } = given();
  const key = call();
  wants(world, process, { f: form('?') });
  end(world);
  world.advance(10_000);
  if (world.processes.has('fake')) world.serverExits(process, null, 'SIGTERM');
  expect(world.answerTo(host, key).error?.data).toMatchObject({ reason: 'down' });
  expect(world.gateway.view.questions.size).toBe(0);
});

test.each([
  ['neither requests nor a state', '{"resultType":"input_required"}'],
  [
    'one key twice',
    '{"resultType":"input_required","inputRequests":{"a":{"method":"roots/list"},"\\u0061":{"method":"roots/list"}}}',
  ],
  ['a request without a method', '{"resultType":"input_required","inputRequests":{"a":{}}}'],
])('a wish for input with %s cannot be read', (_, result) => {
  const { world, process, host, call } = given();
  const key = call();
  const { id } = world.asked(process, 'tools/call');
  world.serverSendsText(process, `{"jsonrpc":"2.0","id":${id},"result":${result}}`);
  expect(world.answerTo(host, key).error?.data).toMatchObject({ reason: 'invalid-answer' });
  expect(host.questions).toEqual([]);
});

test('a host that sees one server alone reads its words as they are', () => {
  const { world, process, host } = given(ALL, { scope: { kind: 'server', server: 'fake' } });
  world.request(host, 'tools/call', { name: 'ask' });
  wants(world, process, { f: form('Who?') });
  expect(host.questions[0]?.params).toEqual(FORM);
});

test('between modern peers the wish passes as it is, but for the name of the server, however the bytes come', () => {
  for (const scope of [{ kind: 'all' } as const, { kind: 'server', server: 'fake' } as const]) {
    const world = new World();
    const process = world.running('fake', MODERN);
    const host = world.modernHost('one', ALL, { scope });
    const key = world.request(host, 'tools/call', { name: scope.kind === 'all' ? 'fake__ask' : 'ask' });
    wants(world, process, { f: form('Who?') }, '"s\\u0061t"');
    const message = scope.kind === 'all' ? 'fake: Who?' : 'Who?';
    expect(world.answerTo(host, key).result).toEqual({
      resultType: 'input_required',
      inputRequests: { f: { method: 'elicitation/create', params: { ...FORM, message } } },
      requestState: 'sat',
    });
    expect(host.lines.at(-1)).toContain('"requestState":"s\\u0061t"');
  }
});
