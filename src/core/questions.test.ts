import { expect, test } from 'vitest';
import type { Character } from '../../test/simulated/servers.ts';
import { World } from '../../test/simulated/world.ts';

const ASKS: Character = { tools: ['ask', 'other'] };
const ALL = { elicitation: { form: {}, url: {} }, roots: { listChanged: true }, sampling: {} };
const FORM = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };

/** A running legacy server that all hosts share, and hosts that can be asked everything. */
function given(sharing: 'auto' | 'shared' = 'auto') {
  const world = new World();
  const process = world.running('fake', ASKS, { sharing });
  const host = (session: string, capabilities: object = ALL) => world.legacyHost(session, capabilities);
  const call = (at: ReturnType<typeof host>, tool = 'ask', id?: number | string) =>
    world.request(at, 'tools/call', { name: `fake__${tool}` }, id);
  const asks = (id: number | string, method = 'elicitation/create', params: object = FORM) =>
    world.serverSendsText(process, JSON.stringify({ jsonrpc: '2.0', id, method, params }));
  /** What the server was answered to its own request. */
  const told = (id: number | string) =>
    process.received.filter((message) => message.id === id && message.method === undefined);
  return { world, process, host, call, asks, told };
}

test('what a server asks during a call goes to the host whose call it is, says who asks, and its answer comes back byte for byte', () => {
  const { world, process, host, call, asks } = given();
  const [one, two] = [host('one'), host('two')];
  call(one);
  asks(1);
  const [question] = one.questions;
  expect(question).toMatchObject({ method: 'elicitation/create', params: { ...FORM, message: 'fake: Who?' } });
  expect(two.questions).toEqual([]);
  world.hostSendsText(
    one,
    `{"jsonrpc":"2.0","id":${JSON.stringify(question?.id)},"result":{"action":"accept","n":12345678901234567890}}`,
  );
  expect(process.lines.at(-1)).toBe('{"jsonrpc":"2.0","id":1,"result":{"action":"accept","n":12345678901234567890}}\n');
});

test('ids of both sides may be equal: numbers, texts and nought', () => {
  const { world, host, call, asks, told } = given();
  const one = host('one');
  for (const id of [1, '1', 0]) {
    const key = call(one, 'ask', id);
    asks(id, 'roots/list', {});
    world.hostAnswers(one, { roots: [{ uri: `file:///${id}` }] });
    expect(told(id)).toMatchObject([{ result: { roots: [{ uri: `file:///${id}` }] } }]);
    world.serverAnswers(world.process('fake'), 'tools/call', { result: { content: [] } });
    expect(world.answerTo(one, key).result).toEqual({ content: [] });
    world.process('fake').received.length = 0;
  }
});

test('an answer that nobody asked for, a second one, and one of another host go nowhere', () => {
  const { world, process, host, call, asks, told } = given();
  const [one, two] = [host('one'), host('two')];
  call(one);
  asks(7);
  const id = one.questions[0]?.id ?? null;
  world.hostSends(two, { jsonrpc: '2.0', id, result: { action: 'accept', by: 'two' } });
  world.hostSends(one, { jsonrpc: '2.0', id: 'made-up', result: {} });
  expect(told(7)).toEqual([]);
  world.hostSends(one, { jsonrpc: '2.0', id, result: { action: 'decline' } });
  world.hostSends(one, { jsonrpc: '2.0', id, result: { action: 'accept' } });
  expect(told(7)).toMatchObject([{ result: { action: 'decline' } }]);
  expect(process.inbox.filter(({ method }) => method === 'tools/call')).toHaveLength(1);
});

test.each([
  ['that cannot do it', {}, 'the host does not support elicitation.form'],
  ['that knows forms only', { elicitation: {} }, 'the host does not support elicitation.url'],
])('a host %s is not asked, and the server is told what is missing', (_, capabilities, message) => {
  const { host, call, asks, told } = given('shared');
  const one = host('one', capabilities);
  call(one);
  asks(1, 'elicitation/create', message.endsWith('url') ? { mode: 'url', url: 'https://a.b', message: 'm' } : FORM);
  expect(told(1)).toMatchObject([{ error: { code: -32_601, message } }]);
  expect(one.questions).toEqual([]);
});

test('with calls of two hosts open nobody can know whose a question is: it is refused, and a person can see why', () => {
  const { world, host, call, asks, told } = given('shared');
  const [one, two] = [host('one'), host('two')];
  call(one, 'ask');
  call(two, 'other');
  world.advance(1000);
  asks(1);
  expect(told(1)).toMatchObject([{ error: { code: -32_603, message: expect.stringContaining('several hosts') } }]);
  expect([...one.questions, ...two.questions]).toEqual([]);
  expect(world.status('fake').findings).toEqual([expect.stringContaining('AMBIGUOUS_OWNER')]);
});

test('a question outside any call is refused by a process that all hosts share', () => {
  const { host, asks, told } = given();
  const one = host('one');
  asks(1, 'roots/list', {});
  expect(told(1)).toMatchObject([{ error: { message: expect.stringContaining('no call is open') } }]);
  expect(one.questions).toEqual([]);
});

test('when the call ends, is cancelled, or its server dies, what was asked for its sake is withdrawn', () => {
  for (const end of ['answer', 'cancel', 'death'] as const) {
    const { world, process, host, call, asks, told } = given();
    const one = host('one');
    const key = call(one);
    asks(1);
    const requestId = one.questions[0]?.id;
    if (end === 'answer') world.serverAnswers(process, 'tools/call', { result: { content: [] } });
    else if (end === 'cancel') world.cancel(one, key);
    else world.serverExits(process);
    expect(one.notices.at(-1), end).toMatchObject({ method: 'notifications/cancelled', params: { requestId } });
    if (end !== 'death') expect(told(1), end).toMatchObject([{ error: { message: 'the call has ended' } }]);
    expect(world.gateway.view.questions.size, end).toBe(0);
  }
});

test.each([
  ['leaves', 'the host has left'],
  ['does not answer', 'did not answer in time'],
  ['does not read', 'cannot be asked'],
])('a host that %s: the server gets an error and is not left waiting', (how, message) => {
  const { world, host, call, asks, told } = given();
  const one = host('one');
  call(one);
  asks(1);
  const question = JSON.stringify(one.questions[0]?.id);
  if (how === 'leaves') world.closeHost(one);
  else if (how === 'does not read') world.post({ type: 'host-deaf', session: 'one', question });
  else world.advance(600_000);
  expect(told(1)).toMatchObject([{ error: { message: expect.stringContaining(message) } }]);
  expect(world.gateway.view.questions.size).toBe(0);
});

test('a server that takes its question back: the host is told, and its late answer is dropped', () => {
  const { world, process, host, call, asks, told } = given();
  const one = host('one');
  call(one);
  asks('q');
  world.serverNotifies(process, 'notifications/cancelled', { requestId: 'q' });
  expect(one.notices.at(-1)).toMatchObject({ method: 'notifications/cancelled' });
  world.hostAnswers(one, { action: 'accept' });
  expect(told('q')).toEqual([]);
});

test('progress on a question goes to the server under its own token', () => {
  const { world, process, host, call, asks } = given();
  const one = host('one');
  call(one);
  asks(1, 'sampling/createMessage', { messages: [], maxTokens: 1, _meta: { progressToken: 'theirs', vendor: 1 } });
  const params = one.questions[0]?.params as { _meta: { progressToken: string; vendor: number } };
  expect(params._meta).toEqual({ progressToken: one.questions[0]?.id, vendor: 1 });
  const progressToken = params._meta.progressToken;
  world.hostSends(one, { jsonrpc: '2.0', method: 'notifications/progress', params: { progressToken, progress: 1 } });
  expect(process.received.at(-1)).toMatchObject({ params: { progressToken: 'theirs', progress: 1 } });
});

test('the tools of a sampling request are private to it: their names stay', () => {
  const { host, call, asks } = given();
  const one = host('one', { sampling: { tools: {} } });
  call(one);
  const tools = [{ name: 'ask', inputSchema: { type: 'object' } }];
  asks(1, 'sampling/createMessage', { messages: [], maxTokens: 1, tools });
  expect(one.questions[0]?.params).toEqual({ messages: [], maxTokens: 1, tools });
});

test('a waiting person is a sign of life: the call is not given up while its host has a question', () => {
  const { world, host, call, asks } = given();
  const one = host('one');
  const key = call(one);
  world.advance(500_000);
  asks(1);
  world.advance(500_000);
  expect(one.open.has(key)).toBe(true);
});

test('of several calls of one host any may be the one that asks: the question outlives the others and is withdrawn with the last', () => {
  const { world, process, host, call, asks, told } = given();
  const one = host('one');
  const first = call(one, 'ask');
  const second = call(one, 'other');
  asks(1);
  world.serverSends(process, { jsonrpc: '2.0', id: process.inbox.at(-1)?.id ?? null, result: { content: [] } });
  expect(world.answerTo(one, second).result).toEqual({ content: [] });
  expect(one.notices).toEqual([]);
  world.hostAnswers(one, { action: 'accept' });
  expect(told(1)).toMatchObject([{ result: { action: 'accept' } }]);

  const third = call(one, 'other');
  asks(2);
  world.cancel(one, third);
  expect(one.notices).toEqual([]);
  world.cancel(one, first);
  expect(one.notices).toMatchObject([
    { method: 'notifications/cancelled', params: { requestId: one.questions[1]?.id } },
  ]);
  expect(told(2)).toHaveLength(1);
});
