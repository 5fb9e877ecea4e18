import { expect, test } from 'vitest';
import type { SimulatedHost } from '../../test/simulated/hosts.ts';
import type { SimulatedProcess } from '../../test/simulated/processes.ts';
import { World } from '../../test/simulated/world.ts';
import { INPUT_ROUNDS_MAX, PARKED_MS, TASK_POLL_MAX_MS, TASK_POLL_MIN_MS } from '../input-limits.ts';
import { CALL_TOTAL_MS } from '../limits.ts';

const TASKS = 'io.modelcontextprotocol/tasks';
const DECLARED = { extensions: { [TASKS]: {} } };
const CAPABILITIES = 'io.modelcontextprotocol/clientCapabilities';
const DIGS = { era: 'modern', tools: ['dig', 'other'], capabilities: DECLARED } as const;
const REFUSED = {
  error: { code: -32_021, message: 'tasks only', data: { requiredCapabilities: DECLARED } },
};
const CONTENT = [{ type: 'text', text: 'gold' }];
const FORM = { message: 'Where?', requestedSchema: { type: 'object', properties: {} } };
const WHERE = { where: { method: 'elicitation/create', params: FORM } };
const ELICITS = { elicitation: { form: {} } };

const state = (status: string, more: object = {}) => ({
  result: { resultType: 'complete', taskId: 't1', status, ttlMs: null, pollIntervalMs: 500, ...more },
});
const made = (status = 'working') => ({ result: { ...state(status).result, resultType: 'task' } });
const calls = ({ received }: SimulatedProcess) => received.filter(({ method }) => method === 'tools/call');
const sent = ({ received }: SimulatedProcess, wanted: string) => received.filter(({ method }) => method === wanted);
const declaredIn = (params: Record<string, unknown> | undefined) =>
  (params?.['_meta'] as Record<string, unknown> | undefined)?.[CAPABILITIES];

function given(era: 'legacy' | 'modern' = 'legacy', capabilities: object = {}) {
  const world = new World();
  const process = world.running('mine', DIGS);
  // mcpd's own listen stays open.
  process.inbox.length = 0;
  const host = era === 'modern' ? world.modernHost('host', capabilities) : world.legacyHost('host', capabilities);
  const call = (more: object = {}) =>
    world.request(host, 'tools/call', { name: 'mine__dig', arguments: { a: 1 }, ...more });
  return { world, process, host, call };
}

/** A call whose task has been made. */
function running(era: 'legacy' | 'modern' = 'legacy', capabilities: object = {}) {
  const all = given(era, capabilities);
  const key = all.call();
  all.world.serverAnswers(all.process, 'tools/call', REFUSED);
  all.world.serverAnswers(all.process, 'tools/call', made());
  return { ...all, key };
}

/** The task is looked at, and is in this state. */
function look(world: World, process: SimulatedProcess, answer: ReturnType<typeof state>) {
  world.advance(500);
  world.serverAnswers(process, 'tasks/get', answer);
}

test.each(['legacy', 'modern'] as const)('a %s host without the extension gets what the task came to', (era) => {
  const { world, process, host, call } = given(era, ELICITS);
  const key = call();
  expect(declaredIn(process.inbox.at(-1)?.params)).toEqual(ELICITS);
  world.serverAnswers(process, 'tools/call', REFUSED);
  expect(process.inbox).toMatchObject([{ method: 'tools/call', params: { name: 'dig', arguments: { a: 1 } } }]);
  expect(declaredIn(process.inbox[0]?.params)).toEqual({ ...ELICITS, ...DECLARED });
  world.serverAnswers(process, 'tools/call', made());
  world.advance(499);
  expect(process.inbox).toEqual([]);
  world.advance(1);
  expect(process.inbox).toMatchObject([
    {
      method: 'tasks/get',
      params: {
        taskId: 't1',
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientInfo': { name: `${era}-host` },
          [CAPABILITIES]: { ...ELICITS, ...DECLARED },
        },
      },
    },
  ]);
  world.serverAnswers(process, 'tasks/get', state('working'));
  look(world, process, state('completed', { result: { content: CONTENT, _meta: { x: 1 } } }));
  expect(world.answerTo(host, key).result).toEqual({
    ...(era === 'modern' ? { resultType: 'complete' } : {}),
    content: CONTENT,
    _meta: { x: 1 },
  });
  expect(world.gateway.view.tasks.size).toBe(0);
  expect(world.effectsOf('record-call')).toMatchObject([{ record: { target: 'dig', outcome: 'ok' } }]);
});

test('the bytes of the result are those of the server', () => {
  const { world, process, host } = running();
  world.advance(500);
  const { id } = world.asked(process, 'tasks/get');
  const result = '{"content":[], "n":12345678901234567890.0 ,"s":"\\u0061"}';
  const task = `"taskId":"t1","status":"completed","result":${result},"ttlMs":1`;
  world.serverSendsText(process, `{"jsonrpc":"2.0","id":${id},"result":{"resultType":"complete",${task}}}`);
  expect(host.lines.at(-1)).toContain(result.slice(1));
});

test('an isError in the task is a tool error in the history', () => {
  const { world, process } = running();
  look(world, process, state('completed', { result: { content: CONTENT, isError: true } }));
  expect(world.effectsOf('record-call')).toMatchObject([{ record: { outcome: 'tool-error' } }]);
});

test('a later call of the tool costs no refusal, and one of another tool is as it was', () => {
  const { world, process, host, call } = running();
  look(world, process, state('completed', { result: { content: [] } }));
  call();
  expect(declaredIn(process.inbox.at(-1)?.params)).toEqual(DECLARED);
  world.request(host, 'tools/call', { name: 'mine__other' });
  expect(declaredIn(process.inbox.at(-1)?.params)).toEqual({});
});

test('a changed launch may be another tool', () => {
  const { world, process, call } = running();
  look(world, process, state('completed', { result: { content: [] } }));
  world.install('mine', DIGS, { fingerprint: 'another' });
  world.serverExits(process, 0);
  call();
  const next = world.ready('mine', DIGS);
  expect(declaredIn(calls(next)[0]?.params)).toEqual({});
});

test('a host that has the extension gets the task itself, also of a tool that is known to demand it', () => {
  const { world, process } = running();
  const host = world.modernHost('able', DECLARED);
  const key = world.request(host, 'tools/call', { name: 'mine__dig' });
  world.serverAnswers(process, 'tools/call', made());
  expect(world.answerTo(host, key).result).toMatchObject({ resultType: 'task', taskId: 'mine~t1' });
});

test('the wish of a host of 2025-11-25 for a task does not reach the server, and its call gets the result', () => {
  const { world, process, host, call } = given();
  const key = call({ task: { ttl: 1 } });
  world.serverAnswers(process, 'tools/call', REFUSED);
  expect(calls(process).map(({ params }) => params?.['task'])).toEqual([undefined, undefined]);
  world.serverAnswers(process, 'tools/call', made());
  look(world, process, state('completed', { result: { content: [] } }));
  expect(world.answerTo(host, key).result).toEqual({ content: [] });
});

test('a second refusal is the host’s answer', () => {
  const { world, process, host, call } = given('modern');
  const key = call();
  world.serverAnswers(process, 'tools/call', REFUSED);
  world.serverAnswers(process, 'tools/call', REFUSED);
  expect(world.answerTo(host, key).error).toEqual(REFUSED.error);
  expect(calls(process)).toHaveLength(2);
});

test.each([
  ['names something else', { sampling: {} }, DIGS],
  ['comes from a server that has no such extension', DECLARED, { ...DIGS, capabilities: {} }],
])('a refusal that %s is passed on', (_, requiredCapabilities, character) => {
  const world = new World();
  const process = world.running('mine', character);
  const host = world.modernHost('host');
  const key = world.request(host, 'tools/call', { name: 'mine__dig' });
  world.serverAnswers(process, 'tools/call', {
    error: { code: -32_021, message: 'm', data: { requiredCapabilities } },
  });
  expect(world.answerTo(host, key).error?.code).toBe(-32_021);
  expect(calls(process)).toHaveLength(1);
});

test('a server that answers at once after all is believed', () => {
  const { world, process, host, call } = given();
  const key = call();
  world.serverAnswers(process, 'tools/call', REFUSED);
  world.serverAnswers(process, 'tools/call', { result: { resultType: 'complete', content: CONTENT } });
  expect(world.answerTo(host, key).result).toEqual({ content: CONTENT });
});

test('a failed task is the error that it holds, in the words of the host’s era', () => {
  const { world, process, host, key } = running();
  look(world, process, state('failed', { error: { code: -32_603, message: 'broke', data: { a: 1 } } }));
  expect(world.answerTo(host, key).error).toEqual({ code: -32_603, message: 'broke', data: { a: 1 } });
});

test('a task that is cancelled at its server is a clear error', () => {
  const { world, process, host, key } = running();
  look(world, process, state('cancelled', { statusMessage: 'closing time' }));
  expect(world.answerTo(host, key).error).toMatchObject({
    message: expect.stringContaining('closing time'),
    data: { reason: 'task-cancelled' },
  });
});

test('a task that its server does not know any more is an unknown outcome', () => {
  const { world, process, host, key } = running();
  world.advance(500);
  world.serverAnswers(process, 'tasks/get', { error: { code: -32_602, message: 'Task has expired' } });
  expect(world.answerTo(host, key).error).toMatchObject({
    code: -32_603,
    message: expect.stringContaining('Task has expired'),
    data: { reason: 'task-lost', outcome: 'unknown' },
  });
});

test.each([
  ['a state that is none', state('asleep')],
  ['a result that names no task', { result: { resultType: 'complete', content: [] } }],
])('%s ends the call, and the task is cancelled', (_, answer) => {
  const { world, process, host, key } = running();
  world.advance(500);
  world.serverAnswers(process, 'tasks/get', answer);
  expect(world.answerTo(host, key).error?.data).toMatchObject({ reason: 'invalid-answer' });
  expect(sent(process, 'tasks/cancel')).toMatchObject([{ params: { taskId: 't1' } }]);
});

test('a handle without an id ends the call', () => {
  const { world, process, host, call } = given();
  const key = call();
  world.serverAnswers(process, 'tools/call', REFUSED);
  world.serverAnswers(process, 'tools/call', { result: { resultType: 'task', status: 'working' } });
  expect(world.answerTo(host, key).error?.message).toContain('a task without an id');
});

test('one that has ended already is looked at once, without a wait', () => {
  const { world, process, host, call } = given();
  const key = call();
  world.serverAnswers(process, 'tools/call', REFUSED);
  world.serverAnswers(process, 'tools/call', made('completed'));
  world.serverAnswers(process, 'tasks/get', state('completed', { result: { content: [] } }));
  expect(world.answerTo(host, key).result).toEqual({ content: [] });
});

test('the server’s interval is kept within bounds', () => {
  const { world, process } = running();
  look(world, process, state('working', { pollIntervalMs: 0 }));
  world.advance(TASK_POLL_MIN_MS - 1);
  expect(process.inbox).toEqual([]);
  world.advance(1);
  world.serverAnswers(process, 'tasks/get', state('working', { pollIntervalMs: 1e9 }));
  world.advance(TASK_POLL_MAX_MS);
  expect(process.inbox).toMatchObject([{ method: 'tasks/get' }]);
});

test('a status that the server tells saves the wait', () => {
  const { world, process, host } = running();
  world.serverNotifies(process, 'notifications/tasks', state('completed').result);
  expect(process.inbox.at(-1)?.method).toBe('tasks/get');
  expect(host.notices).toEqual([]);
});

test('the host hears of progress under its own token, of the call and of its task', () => {
  const { world, process, host, call } = given();
  call({ _meta: { progressToken: 'p' } });
  world.serverAnswers(process, 'tools/call', REFUSED);
  const progressToken = process.inbox.at(-1)?.id;
  world.serverAnswers(process, 'tools/call', made());
  world.serverNotifies(process, 'notifications/progress', { progressToken, progress: 1 });
  expect(host.notices.at(-1)?.params).toEqual({ progressToken: 'p', progress: 1 });
});

test.each(['waiting', 'looking'])('a cancelled call cancels its task while mcpd is %s', (stage) => {
  const { world, process, host, key } = running();
  if (stage === 'looking') world.advance(500);
  world.cancel(host, key);
  expect(sent(process, 'tasks/cancel')).toMatchObject([
    { params: { taskId: 't1', _meta: { [CAPABILITIES]: DECLARED } } },
  ]);
  expect(world.gateway.view.tasks.size).toBe(0);
});

test('a call that is cancelled while its task is made is cancelled, and its task too when it comes all the same', () => {
  const { world, process, host, call } = given();
  const key = call();
  world.serverAnswers(process, 'tools/call', REFUSED);
  world.cancel(host, key);
  const { id } = calls(process)[1] ?? {};
  expect(process.received.at(-1)).toMatchObject({ method: 'notifications/cancelled', params: { requestId: id } });
  world.serverAnswers(process, 'tools/call', made());
  expect(process.received.at(-1)).toMatchObject({
    method: 'tasks/cancel',
    params: { taskId: 't1', _meta: { [CAPABILITIES]: DECLARED } },
  });
});

test('a process that ends takes the call along', () => {
  const { world, process, host, key } = running();
  world.serverExits(process);
  expect(world.answerTo(host, key).error?.data).toMatchObject({ outcome: 'unknown' });
});

test('a task without an end is given up after the longest time that a call may take', () => {
  const { world, process, host, key } = running();
  for (let ms = 0; ms < CALL_TOTAL_MS && !host.answers.has(key); ms += TASK_POLL_MAX_MS) {
    world.advance(TASK_POLL_MAX_MS);
    if (process.inbox.some(({ method }) => method === 'tasks/get'))
      world.serverAnswers(process, 'tasks/get', state('working', { pollIntervalMs: 1e9 }));
  }
  world.advance(TASK_POLL_MAX_MS);
  expect(world.answerTo(host, key).error?.data).toMatchObject({ reason: 'timeout' });
  expect(sent(process, 'tasks/cancel')).toHaveLength(1);
});

test('a legacy host is asked what the task needs, once for each key, and its answer goes there as an update', () => {
  const { world, process, host, key } = running('legacy', ELICITS);
  look(world, process, state('input_required', { inputRequests: WHERE }));
  expect(host.questions).toMatchObject([{ method: 'elicitation/create', params: { message: 'mine: Where?' } }]);
  world.hostAnswers(host, { action: 'accept', content: { n: 1 } });
  expect(process.inbox).toMatchObject([
    {
      method: 'tasks/update',
      params: {
        taskId: 't1',
        inputResponses: { where: { action: 'accept', content: { n: 1 } } },
        _meta: { [CAPABILITIES]: { ...ELICITS, ...DECLARED } },
      },
    },
  ]);
  world.serverAnswers(process, 'tasks/update', { result: { resultType: 'complete' } });
  // It has not noticed yet.
  look(world, process, state('input_required', { inputRequests: WHERE }));
  expect(host.questions).toHaveLength(1);
  look(world, process, state('completed', { result: { content: CONTENT } }));
  expect(world.answerTo(host, key).result).toEqual({ content: CONTENT });
});

test('rounds before the task is made keep the extension declared', () => {
  const { world, process, host, call } = given('legacy', ELICITS);
  const key = call();
  world.serverAnswers(process, 'tools/call', REFUSED);
  world.serverAnswers(process, 'tools/call', { result: { resultType: 'input_required', inputRequests: WHERE } });
  world.hostAnswers(host, { action: 'decline' });
  world.advance(0);
  expect(calls(process)[2]?.params).toMatchObject({ inputResponses: { where: { action: 'decline' } } });
  expect(declaredIn(calls(process)[2]?.params)).toMatchObject(DECLARED);
  world.serverAnswers(process, 'tools/call', made());
  look(world, process, state('completed', { result: { content: [] } }));
  expect(world.answerTo(host, key).result).toEqual({ content: [] });
});

test.each([
  ['has no such ability', {}, 'host-lacks', () => undefined],
  [
    'answers with an error',
    { sampling: {} },
    'input-refused',
    (world: World, host: SimulatedHost) =>
      world.hostSends(host, { jsonrpc: '2.0', id: host.questions[0]?.id ?? null, error: { code: 1, message: 'no' } }),
  ],
])('a legacy host that %s has its call ended and the task cancelled', (_, capabilities, reason, act) => {
  const { world, process, host, key } = running('legacy', capabilities);
  const params = { messages: [], maxTokens: 1 };
  look(world, process, state('input_required', { inputRequests: { s: { method: 'sampling/createMessage', params } } }));
  act(world, host);
  expect(world.answerTo(host, key).error?.data).toMatchObject({ reason });
  expect(sent(process, 'tasks/cancel')).toHaveLength(1);
});

test('a call that is cancelled while its host is asked cancels the task', () => {
  const { world, process, host, key } = running('legacy', ELICITS);
  look(world, process, state('input_required', { inputRequests: WHERE }));
  world.cancel(host, key);
  expect(sent(process, 'tasks/cancel')).toHaveLength(1);
  expect(host.notices.at(-1)?.method).toBe('notifications/cancelled');
});

test('a process that ends while its host is asked takes the call along', () => {
  const { world, process, host, key } = running('legacy', ELICITS);
  look(world, process, state('input_required', { inputRequests: WHERE }));
  world.serverExits(process);
  expect(world.answerTo(host, key).error?.data).toMatchObject({ outcome: 'unknown' });
});

test('an update that the server does not take ends the call', () => {
  const { world, process, host, key } = running('legacy', ELICITS);
  look(world, process, state('input_required', { inputRequests: WHERE }));
  world.hostAnswers(host, { action: 'decline' });
  world.serverAnswers(process, 'tasks/update', { error: { code: -32_602, message: 'no such place' } });
  expect(world.answerTo(host, key).error?.message).toContain('tasks/update');
  expect(sent(process, 'tasks/cancel')).toHaveLength(1);
});

test('a task that asks without end is given up', () => {
  const { world, process, host, key } = running('legacy', ELICITS);
  for (let round = 0; round <= INPUT_ROUNDS_MAX; round++) {
    look(world, process, state('input_required', { inputRequests: { [`k${round}`]: WHERE.where } }));
    if (host.answers.has(key)) break;
    world.hostAnswers(host, { action: 'decline' });
    world.serverAnswers(process, 'tasks/update', { result: { resultType: 'complete' } });
  }
  expect(world.answerTo(host, key).error?.data).toMatchObject({ reason: 'input-rounds' });
  expect(sent(process, 'tasks/cancel')).toHaveLength(1);
});

/** A modern host whose call was answered with what its task needs. */
function asked(more: object = {}) {
  const all = running('modern', ELICITS);
  look(all.world, all.process, state('input_required', { inputRequests: { ...WHERE, ...more } }));
  const result = all.world.answerTo(all.host, all.key).result as { requestState: string; inputRequests: object };
  const retry = (inputResponses: object, state: string = result.requestState) =>
    all.call({ requestState: state, inputResponses });
  return { ...all, result, retry };
}

test('a modern host is asked by ending its call, and its retry gets what the task came to', () => {
  const { world, process, host, result, retry } = asked();
  expect(result).toMatchObject({
    resultType: 'input_required',
    inputRequests: { where: { method: 'elicitation/create', params: { message: 'mine: Where?' } } },
  });
  const key = retry({ where: { action: 'decline' } });
  expect(process.inbox).toMatchObject([
    { method: 'tasks/update', params: { taskId: 't1', inputResponses: { where: { action: 'decline' } } } },
  ]);
  world.serverAnswers(process, 'tasks/update', { result: { resultType: 'complete' } });
  look(world, process, state('completed', { result: { content: CONTENT } }));
  expect(world.answerTo(host, key).result).toEqual({ resultType: 'complete', content: CONTENT });
  expect(calls(process)).toHaveLength(2);
  expect(world.gateway.view.parked.size).toBe(0);
});

test('an answer that comes while a look is out follows it', () => {
  const { world, process, retry } = asked();
  world.advance(500);
  retry({ where: { action: 'decline' } });
  expect(process.inbox).toMatchObject([{ method: 'tasks/get' }]);
  world.serverAnswers(process, 'tasks/get', state('input_required', { inputRequests: WHERE }));
  expect(process.inbox).toMatchObject([{ method: 'tasks/update' }]);
});

test('what a modern host leaves out it is asked once more', () => {
  const { world, process, host, retry } = asked({ how: WHERE.where });
  const key = retry({ where: { action: 'decline' } });
  const { requestState, inputRequests } = world.answerTo(host, key).result as {
    requestState: string;
    inputRequests: object;
  };
  expect(Object.keys(inputRequests)).toEqual(['how']);
  world.serverAnswers(process, 'tasks/update', { result: { resultType: 'complete' } });
  const last = retry({ how: { action: 'cancel' } }, requestState);
  expect(process.inbox).toMatchObject([{ params: { inputResponses: { how: { action: 'cancel' } } } }]);
  world.serverAnswers(process, 'tasks/update', { result: { resultType: 'complete' } });
  look(world, process, state('completed', { result: { content: [] } }));
  expect(world.answerTo(host, last).result).toMatchObject({ content: [] });
});

test('a task that ends while its modern host is away waits for it', () => {
  const { world, process, host, retry } = asked();
  look(world, process, state('completed', { result: { content: CONTENT } }));
  expect(world.answerTo(host, retry({})).result).toEqual({ resultType: 'complete', content: CONTENT });
});

test('a modern host that does not come back has its task cancelled', () => {
  const { world, process } = asked();
  for (let ms = 0; ms < PARKED_MS; ms += TASK_POLL_MAX_MS) {
    world.advance(TASK_POLL_MAX_MS);
    for (const _ of sent(process, 'tasks/get').filter((one) => process.inbox.includes(one)))
      world.serverAnswers(process, 'tasks/get', state('input_required', { inputRequests: WHERE, pollIntervalMs: 1e9 }));
  }
  expect(sent(process, 'tasks/cancel')).toHaveLength(1);
  expect([world.gateway.view.parked.size, world.gateway.view.tasks.size]).toEqual([0, 0]);
});

test('a modern host that lacks what the task needs is told so, and the task is cancelled', () => {
  const { world, process, host, key } = running('modern');
  look(world, process, state('input_required', { inputRequests: WHERE }));
  expect(world.answerTo(host, key).error).toMatchObject({
    code: -32_021,
    data: { requiredCapabilities: { elicitation: { form: {} } } },
  });
  expect(sent(process, 'tasks/cancel')).toHaveLength(1);
});

test('a state of the server itself passes, also one that begins like mcpd’s', () => {
  const { process, call } = given('modern');
  call({ requestState: 'mcpd.1-1.1.other', inputResponses: {} });
  expect(process.inbox.at(-1)?.params).toMatchObject({ requestState: 'mcpd.1-1.1.other' });
});

test('a stopped server finishes the task first, within the time of a drain', () => {
  const { world, process, host, key } = running();
  world.post({ type: 'command', server: 'mine', command: 'stop' });
  world.advance(0);
  expect(process.stopping).toBe('no');
  look(world, process, state('completed', { result: { content: [] } }));
  world.advance(0);
  expect(world.answerTo(host, key).result).toEqual({ content: [] });
  expect(process.stopping).toBe('asked');
});
