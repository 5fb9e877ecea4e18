import { expect, test } from 'vitest';
import { World } from '../../test/simulated/world.ts';
import { TASK_POLL_MAX_MS } from '../input-limits.ts';
import { CALL_TOTAL_MS } from '../limits.ts';

const RELATED = 'io.modelcontextprotocol/related-task';
const DIGS = {
  tools: ['dig'],
  taskTools: ['dig'],
  capabilities: { tasks: { cancel: {}, requests: { tools: { call: {} } } } },
};
const state = (status: string, more: object = {}) => ({
  result: { taskId: 't1', status, ttl: null, pollInterval: 500, ...more },
});
const made = (status = 'working') => ({ result: { task: state(status).result } });

function given(era: 'legacy' | 'modern' = 'legacy') {
  const world = new World();
  const process = world.running('mine', DIGS);
  const host = era === 'modern' ? world.openHost('host', 'modern') : world.legacyHost('host', {}, {}, '2025-06-18');
  const key = world.request(host, 'tools/call', { name: 'mine__dig', arguments: { a: 1 } });
  return { world, process, host, key };
}

test.each(['legacy', 'modern'] as const)('a %s host without tasks gets the result of a tool that is a task', (era) => {
  const { world, process, host, key } = given(era);
  expect(process.inbox.at(-1)?.params).toMatchObject({ name: 'dig', arguments: { a: 1 }, task: {} });
  world.serverAnswers(process, 'tools/call', made());
  world.advance(499);
  expect(process.inbox).toEqual([]);
  world.advance(1);
  expect(process.inbox).toMatchObject([{ method: 'tasks/get', params: { taskId: 't1' } }]);
  world.serverAnswers(process, 'tasks/get', state('working'));
  world.advance(500);
  world.serverAnswers(process, 'tasks/get', state('completed'));
  expect(process.inbox).toMatchObject([{ method: 'tasks/result', params: { taskId: 't1' } }]);
  const content = [{ type: 'text', text: 'gold' }];
  world.serverAnswers(process, 'tasks/result', { result: { content, _meta: { [RELATED]: { taskId: 't1' }, x: 1 } } });
  expect(world.answerTo(host, key).result).toEqual({
    ...(era === 'modern' ? { resultType: 'complete' } : {}),
    content,
    _meta: { x: 1 },
  });
  expect(world.gateway.view.tasks.size).toBe(0);
  expect(world.effectsOf('record-call')).toMatchObject([
    { record: { method: 'tools/call', target: 'dig', outcome: 'ok' } },
  ]);
});

test('a host of 2025-11-25 that calls it plainly gets its result too', () => {
  const world = new World();
  const process = world.running('mine', DIGS);
  world.request(world.legacyHost('host'), 'tools/call', { name: 'mine__dig' });
  expect(process.inbox.at(-1)?.params).toEqual({ name: 'dig', task: {} });
});

test('an error of the task, and one in the place of a task, are the host’s answer', () => {
  const first = given();
  first.world.serverAnswers(first.process, 'tools/call', { error: { code: -32_602, message: 'no spade' } });
  expect(first.world.answerTo(first.host, first.key).error?.message).toBe('no spade');
  const { world, process, host, key } = given();
  world.serverAnswers(process, 'tools/call', made('failed'));
  world.serverAnswers(process, 'tasks/result', { error: { code: -32_603, message: 'broke' } });
  expect(world.answerTo(host, key).error?.message).toBe('broke');
});

test('a server that answers at once, without a task, is believed', () => {
  const { world, process, host, key } = given();
  world.serverAnswers(process, 'tools/call', { result: { content: [] } });
  expect(world.answerTo(host, key).result).toEqual({ content: [] });
});

test('a status that the server tells saves the wait', () => {
  const { world, process, host } = given();
  world.serverAnswers(process, 'tools/call', made());
  world.serverNotifies(process, 'notifications/tasks/status', state('completed').result);
  expect(process.inbox.at(-1)?.method).toBe('tasks/result');
  expect(host.notices).toEqual([]);
});

test('the host hears of progress under its own token', () => {
  const world = new World();
  const process = world.running('mine', DIGS);
  const host = world.legacyHost('host', {}, {}, '2025-06-18');
  world.request(host, 'tools/call', { name: 'mine__dig', _meta: { progressToken: 'p' } });
  const progressToken = process.inbox.at(-1)?.id;
  world.serverAnswers(process, 'tools/call', made());
  world.serverNotifies(process, 'notifications/progress', { progressToken, progress: 1 });
  expect(host.notices.at(-1)?.params).toEqual({ progressToken: 'p', progress: 1 });
});

test.each(['polling', 'fetching'])('a cancelled call cancels its task while mcpd is %s', (stage) => {
  const { world, process, host, key } = given();
  world.serverAnswers(process, 'tools/call', made(stage === 'polling' ? 'working' : 'completed'));
  world.cancel(host, key);
  expect(process.received).toContainEqual(
    expect.objectContaining({ method: 'tasks/cancel', params: { taskId: 't1' } }),
  );
  expect(world.gateway.view.tasks.size).toBe(0);
});

test('a call that is cancelled while its task is made has it cancelled once its id is known', () => {
  const { world, process, host, key } = given();
  world.cancel(host, key);
  expect(process.received.map(({ method }) => method)).toEqual(['tools/call']);
  world.serverAnswers(process, 'tools/call', made());
  expect(process.received.at(-1)).toMatchObject({ method: 'tasks/cancel', params: { taskId: 't1' } });
});

test('a process that ends takes the call along', () => {
  const { world, process, host, key } = given();
  world.serverAnswers(process, 'tools/call', made());
  world.serverExits(process);
  expect(world.answerTo(host, key).error?.data).toMatchObject({ outcome: 'unknown' });
});

test('a task without an end is given up after the longest time that a call may take', () => {
  const { world, process, host, key } = given();
  world.serverAnswers(process, 'tools/call', made());
  for (let ms = 0; ms < CALL_TOTAL_MS && !host.answers.has(key); ms += TASK_POLL_MAX_MS) {
    world.advance(TASK_POLL_MAX_MS);
    if (process.inbox.some(({ method }) => method === 'tasks/get'))
      world.serverAnswers(process, 'tasks/get', state('working', { pollInterval: 1e9 }));
  }
  world.advance(TASK_POLL_MAX_MS);
  expect(world.answerTo(host, key).error?.code).toBe(-32_603);
  expect(process.received.filter(({ method }) => method === 'tasks/cancel')).toHaveLength(1);
});

test('a stopped server finishes the task first, within the time of a drain', () => {
  const { world, process, host, key } = given();
  world.serverAnswers(process, 'tools/call', made());
  world.post({ type: 'command', server: 'mine', command: 'stop' });
  world.advance(500);
  expect(process.stopping).toBe('no');
  world.serverAnswers(process, 'tasks/get', state('completed'));
  world.serverAnswers(process, 'tasks/result', { result: { content: [] } });
  world.advance(0);
  expect(world.answerTo(host, key).result).toEqual({ content: [] });
  expect(process.stopping).toBe('asked');
});

test('what the task needs is asked of a legacy host, which learns nothing of the task', () => {
  const world = new World();
  const process = world.running('mine', DIGS);
  const host = world.legacyHost('host', { elicitation: {} }, {}, '2025-06-18');
  world.request(host, 'tools/call', { name: 'mine__dig' });
  world.serverAnswers(process, 'tools/call', made('input_required'));
  expect(process.inbox.at(-1)?.method).toBe('tasks/result');
  world.serverSends(process, question());
  expect(host.questions.at(-1)?.params).toEqual({ message: 'mine: Where?', requestedSchema: {}, _meta: {} });
});

test('a modern host is asked for it by ending its call, and its retry gets the result of the task', () => {
  const world = new World();
  const process = world.running('mine', DIGS);
  const host = world.openHost('host', 'modern');
  const call = (more: object) =>
    world.request(host, 'tools/call', {
      name: 'mine__dig',
      ...more,
      _meta: { 'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {} } } },
    });
  const first = call({});
  world.serverAnswers(process, 'tools/call', made());
  world.serverSends(process, question());
  world.advance(10);
  const asked = world.answerTo(host, first).result as { requestState: string; inputRequests: Record<string, object> };
  const second = call({ requestState: asked.requestState, inputResponses: { q1: { action: 'decline' } } });
  expect(process.received.at(-1)).toEqual({ jsonrpc: '2.0', id: 'q', result: { action: 'decline' } });
  world.advance(500);
  world.serverAnswers(process, 'tasks/get', state('completed'));
  world.serverAnswers(process, 'tasks/result', { result: { content: [] } });
  expect(world.answerTo(host, second).result).toEqual({ resultType: 'complete', content: [] });
});

function question() {
  return {
    jsonrpc: '2.0' as const,
    id: 'q',
    method: 'elicitation/create',
    params: { message: 'Where?', requestedSchema: {}, _meta: { [RELATED]: { taskId: 't1' } } },
  };
}
