import { expect, test } from 'vitest';
import type { SimulatedHost } from '../../test/simulated/hosts.ts';
import type { Message } from '../../test/simulated/messages.ts';
import type { SimulatedProcess } from '../../test/simulated/processes.ts';
import type { Character } from '../../test/simulated/servers.ts';
import { World } from '../../test/simulated/world.ts';
import type { Door } from './model.ts';

const ASKS: Character = { tools: ['ask', 'other'], prompts: ['form'], capabilities: { completions: {} } };
const ALL = { elicitation: { form: {}, url: {} }, roots: {}, sampling: {} };
const FORM = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };

interface Asked {
  resultType: string;
  inputRequests: Record<string, { method: string; params: Record<string, unknown> }>;
  requestState: string;
}

/** A running legacy server, and a modern host that can be asked everything. */
function given(door: Partial<Door> = {}) {
  const world = new World();
  const process = world.running('fake', ASKS, { sharing: 'shared' });
  const host = world.modernHost('one', ALL, door);
  return { world, process, host };
}

/** What the server asks, each in a moment of its own event. */
function asks(
  world: World,
  process: SimulatedProcess,
  id: number | string,
  method = 'elicitation/create',
  params = {},
) {
  world.serverSends(process, { jsonrpc: '2.0', id, method, params: { ...FORM, ...params } });
}

function call(world: World, host: SimulatedHost, more: Record<string, unknown> = {}) {
  return world.request(host, 'tools/call', { name: 'fake__ask', arguments: { a: 1 }, ...more });
}

/** The call is made, the server asks, and the host has been told. */
function parked(world: World, process: SimulatedProcess, host: SimulatedHost, ids: (number | string)[] = [0]) {
  const key = call(world, host);
  for (const id of ids) asks(world, process, id);
  world.advance(5);
  return world.answerTo(host, key).result as Asked;
}

const told = (process: SimulatedProcess, id: number | string): Message[] =>
  process.received.filter((message) => message.id === id && message.method === undefined);
const calls = (process: SimulatedProcess) => process.received.filter(({ method }) => method === 'tools/call');
const cancels = (process: SimulatedProcess) =>
  process.received.filter(({ method }) => method === 'notifications/cancelled');

/** Nothing of it is kept. */
function expectNothingKept(world: World) {
  const { parked, instances } = world.gateway.view;
  expect(parked.size).toBe(0);
  for (const { link, key } of instances.values()) {
    expect(link?.asked.size ?? 0, key).toBe(0);
    expect(link?.needy ?? 0, key).toBe(0);
  }
  expect([...world.timers.keys()].filter((timer) => timer.startsWith('park:'))).toEqual([]);
}

test('questions that come in one moment end the request with one wish for input, which says who asks', () => {
  const { world, process, host } = given();
  const key = call(world, host);
  asks(world, process, 0);
  asks(world, process, 'x', 'sampling/createMessage', { messages: [], maxTokens: 1 });
  expect(host.answers.has(key)).toBe(false);
  world.advance(5);
  expect(world.answerTo(host, key).result).toEqual({
    resultType: 'input_required',
    inputRequests: {
      q1: { method: 'elicitation/create', params: { ...FORM, message: 'fake: Who?' } },
      q2: { method: 'sampling/createMessage', params: { ...FORM, messages: [], maxTokens: 1 } },
    },
    requestState: expect.stringMatching(/^mcpd\./),
  });
  expect(host.questions).toEqual([]);
});

test('a question that the server has named keeps its name, unless it cannot be one or is taken', () => {
  const { world, process, host } = given();
  const key = call(world, host);
  const names = ['user_name', 'user_name', 'q1', 'two words', '', 7, '__proto__'];
  for (const [id, name] of names.entries())
    asks(world, process, id, 'elicitation/create', { ...FORM, _meta: { 'mcpd/input-key': name } });
  world.advance(5);
  const { inputRequests, requestState } = world.answerTo(host, key).result as Asked;
  expect(Object.keys(inputRequests)).toEqual(['user_name', 'q1', 'q2', 'q3', 'q4', 'q5', 'q6']);
  call(world, host, { inputResponses: { user_name: { action: 'decline' } }, requestState });
  expect(told(process, 0)).toEqual([{ jsonrpc: '2.0', id: 0, result: { action: 'decline' } }]);
});

test('a question is told without what only a host with a handshake can do: send progress, make a task of it', () => {
  const { world, process, host } = given();
  const key = call(world, host);
  asks(world, process, 0, 'sampling/createMessage', {
    messages: [],
    maxTokens: 1,
    task: { ttl: 60_000 },
    _meta: { progressToken: 7, traceparent: 'kept', 'io.modelcontextprotocol/related-task': { taskId: 'none' } },
  });
  asks(world, process, 1, 'roots/list', { _meta: { progressToken: 'alone' } });
  world.advance(5);
  const { inputRequests } = world.answerTo(host, key).result as Asked;
  expect(inputRequests['q1']?.params).toEqual({ ...FORM, messages: [], maxTokens: 1, _meta: { traceparent: 'kept' } });
  expect(inputRequests['q2']?.params).toEqual({ ...FORM, _meta: {} });
});

test('the retry brings the answers to the server, goes on with the same call, and has its result: the tool runs once', () => {
  const { world, process, host } = given();
  const { requestState } = parked(world, process, host, [0, '1']);
  const answers = { q1: { action: 'accept', content: { n: 1 } }, q2: { action: 'decline' } };
  const key = call(world, host, { inputResponses: answers, requestState });
  expect(told(process, 0)).toEqual([{ jsonrpc: '2.0', id: 0, result: answers.q1 }]);
  expect(told(process, '1')).toEqual([{ jsonrpc: '2.0', id: '1', result: answers.q2 }]);
  world.serverAnswers(process, 'tools/call', { result: { content: [] } });
  expect(world.answerTo(host, key).result).toEqual({ resultType: 'complete', content: [] });
  expect(calls(process)).toHaveLength(1);
  expectNothingKept(world);
});

test('what the retry leaves out is asked once more, under the same key and a fresh state', () => {
  const { world, process, host } = given();
  const first = parked(world, process, host, [0, 1]);
  const key = call(world, host, { inputResponses: { q2: { action: 'decline' } }, requestState: first.requestState });
  const second = world.answerTo(host, key).result as Asked;
  expect(Object.keys(second.inputRequests)).toEqual(['q1']);
  expect(second.requestState).not.toBe(first.requestState);
  expect(told(process, 1)).toHaveLength(1);
  const answers = { q1: { action: 'accept' } };
  const third = call(world, host, { inputResponses: answers, requestState: second.requestState });
  world.serverAnswers(process, 'tools/call', { result: { content: [] } });
  expect(world.answerTo(host, third).result).toMatchObject({ content: [] });
  expectNothingKept(world);
});

test('one question after another: each is a round of its own', () => {
  const { world, process, host } = given();
  let { requestState } = parked(world, process, host);
  for (const id of [1, 2]) {
    const key = call(world, host, { inputResponses: { [`q${id}`]: { action: 'accept' } }, requestState });
    asks(world, process, id);
    world.advance(5);
    ({ requestState } = world.answerTo(host, key).result as Asked);
  }
  expect(calls(process)).toHaveLength(1);
});

test('progress after the retry goes under its own token, and none while the host has the questions', () => {
  const { world, process, host } = given();
  const key = call(world, host, { _meta: { progressToken: 'first' } });
  const progressToken = calls(process)[0]?.params?.['_meta'] as { progressToken: number };
  const progress = (value: number) =>
    world.serverNotifies(process, 'notifications/progress', { ...progressToken, progress: value });
  asks(world, process, 0);
  world.advance(5);
  progress(1);
  expect(host.notices).toEqual([]);
  const { requestState } = world.answerTo(host, key).result as Asked;
  call(world, host, { _meta: { progressToken: 'second' }, inputResponses: { q1: {} }, requestState });
  progress(2);
  expect(host.notices).toMatchObject([{ params: { progressToken: 'second', progress: 2 } }]);
});

const FORGED = 'params.requestState was not given by mcpd for this request';
const GONE = 'the call of fake that waited for this input is gone';
test.each<[string, (state: string) => Record<string, unknown>, string]>([
  ['was changed', (state) => ({ requestState: `${state.slice(0, -1)}${state.endsWith('A') ? 'B' : 'A'}` }), FORGED],
  ['has another round', (state) => ({ requestState: state.replace('.1.', '.2.') }), FORGED],
  ['only begins like one', () => ({ requestState: 'mcpd.' }), FORGED],
  ['belongs to another tool', (requestState) => ({ name: 'fake__other', requestState }), FORGED],
  ['belongs to other arguments', (requestState) => ({ arguments: { a: 2 }, requestState }), FORGED],
])('a requestState that %s is refused, and nothing is sent', (_, change, message) => {
  const { world, process, host } = given();
  const { requestState } = parked(world, process, host);
  const key = call(world, host, { inputResponses: { q1: {} }, ...change(requestState) });
  expect(world.answerTo(host, key).error).toMatchObject({ code: -32_602, message });
  expect(told(process, 0)).toEqual([]);
  expect(calls(process)).toHaveLength(1);
});

test('the state of one client is of no use to another one, and the same client may come by another connection', () => {
  const { world, process, host } = given({ principal: 'client:a' });
  const { requestState } = parked(world, process, host);
  world.closeHost(host);
  const retry = { inputResponses: { q1: { action: 'accept' } }, requestState };
  const stranger = world.modernHost('two', ALL, { principal: 'client:b' });
  expect(world.answerTo(stranger, call(world, stranger, retry)).error).toMatchObject({
    code: -32_602,
    message: FORGED,
  });
  const again = world.modernHost('three', ALL, { principal: 'client:a' });
  const key = call(world, again, retry);
  world.serverAnswers(process, 'tools/call', { result: { content: [] } });
  expect(world.answerTo(again, key).result).toMatchObject({ content: [] });
});

test('a state that was used, and one of an earlier daemon, are told apart from forged ones: the outcome is unknown', () => {
  const { world, process, host } = given();
  const { requestState } = parked(world, process, host);
  const retry = { inputResponses: { q1: { action: 'accept' } }, requestState };
  call(world, host, retry);
  const used = world.answerTo(host, call(world, host, retry));
  expect(used.error).toMatchObject({ code: -32_602, message: expect.stringContaining(GONE) });
  const next = given();
  const old = next.world.answerTo(next.host, call(next.world, next.host, retry));
  expect(old.error).toMatchObject({ code: -32_602, data: { reason: 'state-expired', outcome: 'unknown' } });
  expect(calls(next.process)).toEqual([]);
});

test('a retry is never a call of its own, not even where nobody knows the server any more', () => {
  const { world, process, host } = given();
  const { requestState } = parked(world, process, host);
  const { definition } = world.gateway.view.instances.get('fake') ?? {};
  world.serverExits(process);
  if (definition !== undefined)
    world.post({ type: 'server-defined', definition: { ...definition, fingerprint: 'new' }, memory: null });
  const key = call(world, host, { inputResponses: { q1: {} }, requestState });
  expect(world.answerTo(host, key).error).toMatchObject({ data: { reason: 'crashed' } });
  expect(world.processes.get('fake')?.received.filter(({ method }) => method === 'tools/call') ?? []).toEqual([]);
});

test('an answer of the server before the retry is held for it', () => {
  const { world, process, host } = given();
  const { requestState } = parked(world, process, host);
  world.serverAnswers(process, 'tools/call', { result: { content: [], early: true } });
  const key = call(world, host, { inputResponses: { q1: {} }, requestState });
  expect(world.answerTo(host, key).result).toEqual({ resultType: 'complete', content: [], early: true });
  expectNothingKept(world);
});

test('a host that does not come back: the server is answered, its call cancelled, and nothing is kept', () => {
  const { world, process, host } = given();
  call(world, host);
  asks(world, process, 0);
  asks(world, process, 1, 'roots/list');
  world.advance(5);
  world.advance(600_000);
  expect(told(process, 0)).toMatchObject([{ result: { action: 'cancel' } }]);
  expect(told(process, 1)).toMatchObject([{ error: { message: 'the host did not come back with an answer' } }]);
  expect(cancels(process)).toHaveLength(1);
  expect(world.effectsOf('record-call').map(({ record }) => record.outcome)).toEqual(['cancelled']);
  expectNothingKept(world);
});

test('a call that the host cancels before it was told of the questions: the server hears both', () => {
  const { world, process, host } = given();
  const key = call(world, host);
  asks(world, process, 0);
  world.cancel(host, key);
  world.advance(1000);
  expect(told(process, 0)).toMatchObject([{ result: { action: 'cancel' } }]);
  expect(cancels(process)).toHaveLength(1);
  expectNothingKept(world);
});

test('a server that dies while its call is parked: the retry says so, and the next process is left alone', () => {
  const { world, process, host } = given();
  const { requestState } = parked(world, process, host);
  world.serverExits(process);
  // Another host's call at the next process gets the same id there, and that process asks under the same id.
  const other = world.legacyHost('other', ALL);
  const theirs = world.request(other, 'tools/call', { name: 'fake__ask', arguments: {} });
  world.advance(2000);
  const next = world.ready('fake', ASKS);
  asks(world, next, 0);
  const key = call(world, host, { inputResponses: { q1: {} }, requestState });
  expect(world.answerTo(host, key).error).toMatchObject({ code: -32_603, data: { reason: 'crashed' } });
  expect(told(next, 0)).toEqual([]);
  expect(cancels(next)).toEqual([]);
  world.hostAnswers(other, { action: 'accept' });
  world.serverAnswers(next, 'tools/call', { result: { content: [] } });
  expect(world.answerTo(other, theirs).result).toEqual({ content: [] });
  expectNothingKept(world);
});

test('also when nobody comes for it any more', () => {
  const { world, process, host } = given();
  parked(world, process, host);
  world.serverExits(process);
  const other = world.legacyHost('other', ALL);
  const theirs = world.request(other, 'tools/call', { name: 'fake__ask', arguments: {} });
  world.advance(2000);
  const next = world.ready('fake', ASKS);
  world.advance(600_000);
  expect(cancels(next).filter(({ params }) => params?.['reason'] !== 'timeout')).toEqual([]);
  expect(host.open.size).toBe(0);
  expect(world.gateway.view.parked.size).toBe(0);
  expect(other.answers.get(theirs)?.error?.data).toMatchObject({ reason: 'timeout' });
});

test('a session whose process is its own may leave: its call ends with the process, and is forgotten in time', () => {
  const world = new World();
  world.install('fake', ASKS, { sharing: 'per-session' });
  const host = world.modernHost('one', ALL);
  call(world, host);
  const process = world.ready('fake@one', ASKS);
  asks(world, process, 0);
  world.advance(5);
  world.closeHost(host);
  world.advance(10_000);
  world.serverExits(process, null, 'SIGTERM');
  expect(world.gateway.view.instances.has('fake@one')).toBe(false);
  world.advance(600_000);
  expectNothingKept(world);
});

test('an id that was answered may be used again while its call is parked', () => {
  const { world, process, host } = given();
  world.request(host, 'tools/call', { name: 'fake__ask' }, 'same');
  asks(world, process, 0);
  world.advance(5);
  world.advance(580_000);
  const key = world.request(host, 'prompts/get', { name: 'fake__form' }, 'same');
  world.advance(25_000);
  expect(world.gateway.view.sessions.get('one')?.open.size).toBe(1);
  world.serverAnswers(process, 'prompts/get', { result: { messages: [] } });
  expect(world.answerTo(host, key).result).toMatchObject({ messages: [] });
});

test('what the server takes back is not asked for', () => {
  const { world, process, host } = given();
  const key = call(world, host);
  asks(world, process, 0);
  world.serverNotifies(process, 'notifications/cancelled', { requestId: 0 });
  world.advance(5);
  expect(host.answers.has(key)).toBe(false);
  world.serverAnswers(process, 'tools/call', { result: { content: [] } });
  expect(world.answerTo(host, key).result).toMatchObject({ resultType: 'complete' });
  expectNothingKept(world);
});

test('a host that cannot be asked so is not: the server is told what is missing', () => {
  const { world, process } = given();
  const host = world.modernHost('poor', { elicitation: {} });
  const key = call(world, host);
  asks(world, process, 0, 'elicitation/create', { mode: 'url', url: 'https://a.b' });
  asks(world, process, 1, 'roots/list');
  expect(told(process, 0)).toMatchObject([{ error: { message: 'the host does not support elicitation.url' } }]);
  expect(told(process, 1)).toMatchObject([{ error: { message: 'the host does not support roots' } }]);
  world.advance(5);
  expect(host.answers.has(key)).toBe(false);
});

test('only calls of tools, prompts and resources end with a wish for input', () => {
  const { world, process, host } = given();
  const ref = { type: 'ref/prompt', name: 'fake__form' };
  const key = world.request(host, 'completion/complete', { ref, argument: { name: 'a', value: '' } });
  asks(world, process, 0);
  world.advance(5);
  expect(host.answers.has(key)).toBe(false);
  expect(told(process, 0)).toMatchObject([{ error: { message: expect.stringContaining('completion/complete') } }]);
  const prompt = world.request(host, 'prompts/get', { name: 'fake__form' });
  expect(process.inbox.filter(({ method }) => method === 'prompts/get')).toEqual([]);
  world.serverAnswers(process, 'completion/complete', { result: { completion: { values: [] } } });
  world.advance(0);
  asks(world, process, 1);
  world.advance(5);
  expect(world.answerTo(host, prompt).result).toMatchObject({ resultType: 'input_required' });
});

test('a host that sees one server alone reads its words as they are', () => {
  const { world, process, host } = given({ scope: { kind: 'server', server: 'fake' } });
  const key = world.request(host, 'tools/call', { name: 'ask' });
  asks(world, process, 0);
  world.advance(5);
  expect((world.answerTo(host, key).result as Asked).inputRequests['q1']?.params).toEqual(FORM);
});

const PAGE = { mode: 'url', url: 'https://a.b/login', elicitationId: 'e1', message: 'Log in' };
const refusesForPages = (world: World, process: SimulatedProcess, elicitations: unknown) =>
  world.serverAnswers(process, 'tools/call', {
    error: { code: -32_042, message: 'log in first', data: { elicitations } },
  });

test('a refusal until a person was at some pages is a wish for input; its retry is a call of its own, without what the server does not know', () => {
  const { world, process, host } = given();
  const key = call(world, host);
  refusesForPages(world, process, [PAGE]);
  const line = host.lines.at(-1) ?? '';
  expect(line.match(/"resultType"/g)).toHaveLength(1);
  const { inputRequests, requestState } = world.answerTo(host, key).result as Asked;
  expect(inputRequests).toEqual({
    q0: {
      method: 'elicitation/create',
      params: { mode: 'url', url: 'https://a.b/login', message: 'fake: Log in' },
    },
  });
  const again = call(world, host, { inputResponses: { q0: { action: 'accept' } }, requestState });
  expect(calls(process).at(-1)?.params).toEqual({ name: 'ask', arguments: { a: 1 }, _meta: {} });
  world.serverAnswers(process, 'tools/call', { result: { content: [] } });
  expect(world.answerTo(host, again).result).toMatchObject({ content: [] });
  expect(calls(process)).toHaveLength(2);
  const forged = call(world, host, { arguments: { a: 2 }, requestState });
  expect(world.answerTo(host, forged).error).toMatchObject({ code: -32_602, message: FORGED });
  expectNothingKept(world);
});

test.each([
  ['names no pages', []],
  ['names none at all', undefined],
])('such a refusal that %s is an error', (_, elicitations) => {
  const { world, process, host } = given();
  const key = call(world, host);
  refusesForPages(world, process, elicitations);
  expect(world.answerTo(host, key).error).toMatchObject({ code: -32_603 });
});

test('a host that comes back in the place of another one is asked only for what it can do', () => {
  const { world, process, host } = given();
  const { requestState } = parked(world, process, host, [0]);
  asks(world, process, 1, 'roots/list');
  const other = world.modernHost('two', { elicitation: {} });
  const key = call(world, other, { requestState });
  expect(Object.keys((world.answerTo(other, key).result as Asked).inputRequests)).toEqual(['q1']);
  expect(told(process, 1)).toMatchObject([{ error: { message: 'the host does not support roots' } }]);
});

test('one host of a client may go on where another one was asked: its cancel reaches the server', () => {
  const world = new World();
  world.install('fake', ASKS, { sharing: 'per-session' });
  const host = world.modernHost('one', ALL);
  const first = call(world, host);
  const process = world.ready('fake@one', ASKS);
  asks(world, process, 0);
  world.advance(5);
  const { requestState } = world.answerTo(host, first).result as Asked;
  const other = world.modernHost('two', ALL);
  world.cancel(other, call(world, other, { inputResponses: { q1: {} }, requestState }));
  expect(cancels(process)).toHaveLength(1);
  expectNothingKept(world);
});

test('such a refusal after a question is held too, and is written once', () => {
  const { world, process, host } = given();
  const { requestState } = parked(world, process, host);
  refusesForPages(world, process, [PAGE]);
  const key = call(world, host, { inputResponses: { q1: {} }, requestState });
  expect(world.answerTo(host, key).result).toMatchObject({ resultType: 'input_required' });
  expect(host.lines.at(-1)?.match(/"resultType"/g)).toHaveLength(1);
  expectNothingKept(world);
});
