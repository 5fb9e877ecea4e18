import { expect, test } from 'vitest';
import type { SimulatedHost } from '../../test/simulated/hosts.ts';
import type { Message } from '../../test/simulated/messages.ts';
import type { SimulatedProcess } from '../../test/simulated/processes.ts';
import { World } from '../../test/simulated/world.ts';
import { TASK_HOLDS_MS, TASK_LIST_TIMEOUT_MS, TASK_LISTINGS_MAX } from '../input-limits.ts';
import { IDLE_STOP_MS } from '../limits.ts';

const RELATED = 'io.modelcontextprotocol/related-task';
const WITH_TASKS = {
  tools: ['dig', 'add'],
  capabilities: { tasks: { list: {}, cancel: {}, requests: { tools: { call: {} } } } },
};

const stateOf = (taskId: string, status = 'working', more: object = {}) => ({
  taskId,
  status,
  createdAt: '2026-01-01T00:00:00Z',
  lastUpdatedAt: '2026-01-01T00:00:00Z',
  ttl: 12_345_678,
  pollInterval: 1000,
  ...more,
});

/** A host has `dig` of a server run as a task; what it got for that. */
function dig(world: World, host: SimulatedHost, process: SimulatedProcess, raw: string): Message {
  const key = world.request(host, 'tools/call', {
    name: `${process.instance.split('@')[0]}__dig`,
    task: { ttl: 60_000 },
  });
  world.serverAnswers(process, 'tools/call', { result: { task: stateOf(raw) } });
  return world.answerTo(host, key);
}

function given() {
  const world = new World();
  const process = world.running('mine', WITH_TASKS);
  return { world, process, host: world.legacyHost('host') };
}

test('a call becomes a task, and its id says of which server', () => {
  const { world, process, host } = given();
  const answer = dig(world, host, process, 't1');
  expect(process.received.at(-1)?.params).toEqual({ name: 'dig', task: { ttl: 60_000 } });
  expect(answer.result).toEqual({ task: stateOf('mine~t1') });
});

test('what is asked about a task reaches its server under its own id, and comes back under the other', () => {
  const { world, process, host } = given();
  dig(world, host, process, 't1');
  for (const method of ['tasks/get', 'tasks/cancel']) {
    const key = world.request(host, method, { taskId: 'mine~t1' });
    expect(process.inbox.at(-1)).toMatchObject({ method, params: { taskId: 't1' } });
    world.serverAnswers(process, method, { result: stateOf('t1') });
    expect(world.answerTo(host, key).result).toEqual(stateOf('mine~t1'));
  }
  const key = world.request(host, 'tasks/result', { taskId: 'mine~t1' });
  const result = (taskId: string) => ({ content: [], taskId: 't1', _meta: { [RELATED]: { taskId }, other: 1 } });
  world.serverAnswers(process, 'tasks/result', { result: result('t1') });
  expect(world.answerTo(host, key).result).toEqual(result('mine~t1'));
});

test('equal ids of two servers are two tasks', () => {
  const { world, process, host } = given();
  const other = world.running('other', WITH_TASKS);
  dig(world, host, process, 'one');
  dig(world, host, other, 'one');
  world.request(host, 'tasks/get', { taskId: 'other~one' });
  expect(other.inbox).toMatchObject([{ method: 'tasks/get', params: { taskId: 'one' } }]);
  expect(process.inbox).toEqual([]);
});

test('a host behind the door of one server uses its ids as they are', () => {
  const { world, process } = given();
  const host = world.legacyHost('own', {}, { scope: { kind: 'server', server: 'mine' } });
  const called = world.request(host, 'tools/call', { name: 'dig', task: {} });
  world.serverAnswers(process, 'tools/call', { result: { task: stateOf('a~b') } });
  expect(world.answerTo(host, called).result).toEqual({ task: stateOf('a~b') });
  world.request(host, 'tasks/get', { taskId: 'a~b' });
  expect(process.inbox.at(-1)?.params).toEqual({ taskId: 'a~b' });
});

test('a task that is nobody’s, another principal’s or of no server is unknown; one of an earlier daemon is asked for', () => {
  const { world, process, host } = given();
  dig(world, host, process, 't1');
  const stranger = world.legacyHost('stranger', {}, { principal: 'client:other' });
  world.running('plain', { tools: ['x'] });
  for (const taskId of ['t1', 'nobody~t1', '~t1', '', 'plain~t1'])
    expect(world.ask(host, 'tasks/get', { taskId }).error?.code, taskId).toBe(-32_602);
  for (const method of ['tasks/get', 'tasks/result', 'tasks/cancel'])
    expect(world.ask(stranger, method, { taskId: 'mine~t1' }).error?.code, method).toBe(-32_602);
  expect(world.ask(host, 'tasks/get', {}).error?.code).toBe(-32_602);
  expect(process.inbox).toEqual([]);
  world.request(host, 'tasks/get', { taskId: 'mine~before' });
  expect(process.inbox).toMatchObject([{ method: 'tasks/get', params: { taskId: 'before' } }]);
});

test('the news of a task are for the session that made it', () => {
  const { world, process, host } = given();
  const neighbour = world.legacyHost('neighbour');
  dig(world, host, process, 't1');
  world.serverNotifies(process, 'notifications/tasks/status', stateOf('t1', 'completed'));
  expect(host.notices.at(-1)?.params).toEqual(stateOf('mine~t1', 'completed'));
  world.serverNotifies(process, 'notifications/message', {
    level: 'info',
    data: 'digging',
    _meta: { [RELATED]: { taskId: 't1' } },
  });
  expect(host.notices.at(-1)?.params).toMatchObject({ data: 'digging', _meta: { [RELATED]: { taskId: 'mine~t1' } } });
  expect(neighbour.notices).toEqual([]);
});

test('progress goes on for as long as the task', () => {
  const { world, process, host } = given();
  world.request(host, 'tools/call', { name: 'mine__dig', task: {}, _meta: { progressToken: 'mine' } });
  const progressToken = process.inbox.at(-1)?.id;
  world.serverAnswers(process, 'tools/call', { result: { task: stateOf('t1') } });
  world.serverNotifies(process, 'notifications/progress', {
    progressToken,
    progress: 1,
    _meta: { [RELATED]: { taskId: 't1' } },
  });
  expect(host.notices.at(-1)?.params).toEqual({
    progressToken: 'mine',
    progress: 1,
    _meta: { [RELATED]: { taskId: 'mine~t1' } },
  });
});

test('what a task needs is asked of its host, though others’ calls are open, and both know the task by their own id', () => {
  const { world, process } = given();
  const host = world.legacyHost('asked', { elicitation: {} });
  dig(world, host, process, 't1');
  world.request(world.legacyHost('neighbour'), 'tools/call', { name: 'mine__add' });
  world.serverSends(process, {
    jsonrpc: '2.0',
    id: 'q',
    method: 'elicitation/create',
    params: { message: 'Where?', requestedSchema: {}, _meta: { [RELATED]: { taskId: 't1' } } },
  });
  const question = host.questions.at(-1);
  expect(question?.params?.['_meta']).toEqual({ [RELATED]: { taskId: 'mine~t1' } });
  const answer = (taskId: string) => ({ action: 'decline', _meta: { [RELATED]: { taskId } } });
  world.hostSends(host, { jsonrpc: '2.0', id: question?.id ?? null, result: answer('mine~t1') });
  expect(process.received.at(-1)).toEqual({ jsonrpc: '2.0', id: 'q', result: answer('t1') });
});

test('a list of tasks has those of this principal, from the servers where there are any', () => {
  const { world, process, host } = given();
  const other = world.running('other', WITH_TASKS);
  world.running('idle', WITH_TASKS);
  const stranger = world.legacyHost('stranger', {}, { principal: 'client:other' });
  dig(world, host, process, 'a');
  dig(world, stranger, process, 'b');
  dig(world, host, other, 'c');
  const key = world.request(host, 'tasks/list');
  world.serverAnswers(other, 'tasks/list', { result: { tasks: [stateOf('c')] } });
  world.serverAnswers(process, 'tasks/list', { result: { tasks: [stateOf('b')], nextCursor: 'more' } });
  expect(process.inbox.at(-1)?.params).toEqual({ cursor: 'more' });
  world.serverAnswers(process, 'tasks/list', { result: { tasks: [stateOf('a')] } });
  expect(world.answerTo(host, key).result).toEqual({ tasks: [stateOf('mine~a'), stateOf('other~c')] });
  expect(world.ask(world.legacyHost('new', {}, { principal: 'x' }), 'tasks/list').result).toEqual({
    tasks: [],
  });
  expect(world.ask(host, 'tasks/list', { cursor: 'more' }).error?.code).toBe(-32_602);
});

test('a server that does not answer, or ends, is missing in the list, and nothing waits for it longer', () => {
  const { world, process, host } = given();
  const other = world.running('other', WITH_TASKS);
  dig(world, host, process, 'a');
  dig(world, host, other, 'c');
  const first = world.request(host, 'tasks/list');
  world.serverAnswers(process, 'tasks/list', { result: { tasks: [stateOf('a')] } });
  world.advance(TASK_LIST_TIMEOUT_MS);
  expect(world.answerTo(host, first).result).toEqual({ tasks: [stateOf('mine~a')] });
  world.asked(other, 'tasks/list');
  const second = world.request(host, 'tasks/list');
  world.serverAnswers(other, 'tasks/list', { error: { code: -32_603, message: 'no' } });
  world.serverExits(process);
  expect(world.answerTo(host, second).result).toEqual({ tasks: [] });
});

test('a list that is cancelled, or one too many, is not made', () => {
  const { world, process, host } = given();
  dig(world, host, process, 'a');
  world.cancel(host, world.request(host, 'tasks/list'));
  world.serverAnswers(process, 'tasks/list', { result: { tasks: [stateOf('a')] } });
  for (let open = 0; open < TASK_LISTINGS_MAX; open++) world.request(host, 'tasks/list');
  expect(world.ask(host, 'tasks/list').error?.data).toEqual({ reason: 'overloaded' });
});

test('a process with tasks is not stopped for idleness until they are fetched, or too old', () => {
  const { world, process, host } = given();
  world.post({ type: 'command', server: 'mine', command: 'stop' });
  world.serverExits(process);
  world.request(host, 'tools/call', { name: 'mine__dig', task: {} });
  const again = world.ready('mine', WITH_TASKS);
  world.serverAnswers(again, 'tools/call', { result: { task: stateOf('t1', 'working', { ttl: null }) } });
  world.advance(2 * IDLE_STOP_MS);
  expect(world.status('mine').state).toBe('running');
  world.request(host, 'tasks/result', { taskId: 'mine~t1' });
  world.serverAnswers(again, 'tasks/result', { result: { content: [] } });
  world.advance(2 * IDLE_STOP_MS);
  expect(again.stopping).toBe('asked');
});

test('a task that nobody asks for holds its process for a bounded time', () => {
  const { world, process, host } = given();
  world.post({ type: 'command', server: 'mine', command: 'stop' });
  world.serverExits(process);
  world.request(host, 'tools/call', { name: 'mine__dig', task: {} });
  const again = world.ready('mine', WITH_TASKS);
  world.serverAnswers(again, 'tools/call', { result: { task: stateOf('t1', 'working', { ttl: null }) } });
  world.advance(TASK_HOLDS_MS + 2 * IDLE_STOP_MS);
  expect(again.stopping).toBe('asked');
});

test('a task of a process that ended is asked of the new one', () => {
  const { world, process, host } = given();
  dig(world, host, process, 't1');
  world.serverExits(process);
  const key = world.request(host, 'tasks/get', { taskId: 'mine~t1' });
  world.advance(2000);
  const next = world.ready('mine', WITH_TASKS);
  world.serverAnswers(next, 'tasks/get', { error: { code: -32_602, message: 'Task not found' } });
  expect(world.answerTo(host, key).error).toEqual({ code: -32_602, message: 'Task not found' });
});

test('a server without tasks is called plainly, whatever the host wants', () => {
  const world = new World();
  const process = world.running('mine', { tools: ['dig'] });
  const host = world.legacyHost('host');
  world.request(host, 'tools/call', { name: 'mine__dig', task: {}, arguments: { a: 1 } });
  expect(process.inbox.at(-1)?.params).toEqual({ name: 'dig', arguments: { a: 1 } });
});

test('only hosts of 2025-11-25 are offered tasks of that kind', () => {
  const world = new World();
  world.running('mine', { ...WITH_TASKS, taskTools: ['dig'] });
  const ask = (session: string, version: string) => {
    const host = world.openHost(session);
    const clientInfo = { name: 'h', version: '1' };
    const { result } = world.ask(host, 'initialize', { protocolVersion: version, capabilities: {}, clientInfo });
    const { tools } = world.ask(host, 'tools/list').result as { tools: object[] };
    const { capabilities } = result as { capabilities: object };
    return [Object.hasOwn(capabilities, 'tasks'), tools.some((tool) => Object.hasOwn(tool, 'execution'))];
  };
  expect(ask('new', '2025-11-25')).toEqual([true, true]);
  for (const version of ['2024-11-05', '2025-03-26', '2025-06-18'])
    expect(ask(version, version), version).toEqual([false, false]);
  const older = world.legacyHost('older', {}, {}, '2025-06-18');
  for (const method of ['tasks/get', 'tasks/list', 'tasks/result', 'tasks/cancel'])
    expect(world.ask(older, method, { taskId: 'mine~t1' }).error?.code, method).toBe(-32_601);
});

test('a call that was cancelled before its task was known has the task cancelled', () => {
  const { world, process, host } = given();
  const key = world.request(host, 'tools/call', { name: 'mine__dig', task: {} });
  world.cancel(host, key);
  world.serverAnswers(process, 'tools/call', { result: { task: stateOf('t1') } });
  expect(process.received.at(-1)).toMatchObject({ method: 'tasks/cancel', params: { taskId: 't1' } });
});
