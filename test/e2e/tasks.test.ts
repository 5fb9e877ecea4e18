import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { HttpCall } from '../harness/event-source.ts';
import type { Host } from '../harness/host.ts';
import { type Machine, test } from '../harness/machine.ts';
import { type Message, textOf } from '../harness/message.ts';
import { askModern, listenModern } from '../harness/modern.ts';
import { placeOf, Try, tool } from '../harness/trying.ts';
import { until } from '../harness/until.ts';

const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json');
const EVERYTHING = [process.execPath, join(dirname(manifest), 'dist', 'index.js'), 'stdio'];
const RESEARCH = 'everything__simulate-research-query';
const RELATED = 'io.modelcontextprotocol/related-task';
const TAKES_TASKS = { extensions: { 'io.modelcontextprotocol/tasks': {} } };
/** The server works for four seconds at each of its tasks. */
const TASK_MS = 60_000;

test('a task of a real server runs to its end, asks its own host on the way, and is nobody else’s news', async ({
  machine,
}) => {
  await withEverything(machine);
  const host = await machine.connected({ capabilities: { elicitation: {} } });
  const neighbour = await machine.connected({ capabilities: { elicitation: {} } });
  host.onRequest = ({ params }) => ({
    result: { action: 'accept', content: { interpretation: 'snake' }, _meta: params?.['_meta'] },
  });
  const args = { topic: 'python', ambiguous: true };
  const made = (await host.result('tools/call', { name: RESEARCH, arguments: args, task: { ttl: 60_000 } }))[
    'task'
  ] as { taskId: string; status: string };
  expect(made).toMatchObject({ status: 'working', taskId: expect.stringMatching(/^everything~[\w-]+$/) });
  const { taskId } = made;

  const result = await host.result('tasks/result', { taskId }, { timeoutMs: TASK_MS });
  expect(textOf({ result })).toContain('python (snake)');
  expect(result['_meta']).toMatchObject({ [RELATED]: { taskId } });
  expect(host.requests.map(({ method, params }) => [method, params?.['_meta']])).toEqual([
    ['elicitation/create', { [RELATED]: { taskId } }],
  ]);
  expect(await host.result('tasks/get', { taskId })).toMatchObject({ taskId, status: 'completed' });
  const listed = (await host.result('tasks/list'))['tasks'] as { taskId: string }[];
  expect(listed.map((task) => task.taskId)).toContain(taskId);
  expect((await host.ask('tasks/cancel', { taskId })).error?.code).toBe(-32_602);
  expect(neighbour.requests).toEqual([]);
  expect(statusNews(neighbour)).toEqual([]);
  for (const { params } of statusNews(host)) expect(params?.['taskId']).toBe(taskId);
});

test('hosts that have no tasks call the same tool and get its result', async ({ machine }) => {
  await withEverything(machine);
  const older = machine.host();
  await older.init('2025-06-18');
  const args = { name: RESEARCH, arguments: { topic: 'rivers' } };
  const answers = await Promise.all([
    older.ask('tools/call', args, { timeoutMs: TASK_MS }),
    askModern(machine.host(), 'tools/call', args, { timeoutMs: TASK_MS }),
  ]);
  for (const answer of answers) {
    expect(textOf(answer)).toContain('# Research Report: rivers');
    expect(JSON.stringify(answer)).not.toContain('taskId"');
  }
  const { tools = [] } = await older.result('tools/list');
  expect(tools.find(({ name }) => name === RESEARCH)).not.toHaveProperty('execution');
});

test('after a restart of the daemon the id of a task still finds its server', async ({ machine }) => {
  await withEverything(machine);
  const host = await machine.connected();
  const { task } = (await host.result('tools/call', { name: RESEARCH, arguments: { topic: 'a' }, task: {} })) as {
    task?: { taskId: string };
  };
  const ask = () => host.ask('tasks/get', { taskId: task?.taskId });
  expect((await ask()).result?.['status']).toBe('working');
  await machine.killDaemon();
  const { error } = await ask();
  // Its process, which alone knew it, went with the daemon: the new one says so itself.
  expect(error?.message).toContain('Task not found');
  expect((await host.ask('tasks/get', { taskId: 'nobody~1' })).error?.code).toBe(-32_602);
});

test('a modern server with the extension gives tasks to the hosts that take them', async ({ machine }) => {
  await machine.add('mine', 'task-extension');
  await machine.add('yours', 'task-extension');
  const host = machine.host();
  const ask = (method: string, params: Record<string, unknown>) =>
    askModern(host, method, params, { capabilities: TAKES_TASKS });
  for (const server of ['mine', 'yours'])
    expect((await ask('tools/call', { name: `${server}__dig` })).result).toMatchObject({
      resultType: 'task',
      taskId: `${server}~t1`,
    });
  const listening = listenModern(host, { taskIds: ['yours~t1'] }, { capabilities: TAKES_TASKS });
  await until('the acknowledgement', () => listening.received().length === 1);
  const state = (await ask('tasks/get', { taskId: 'yours~t1' })).result;
  expect(state).toMatchObject({
    taskId: 'yours~t1',
    status: 'input_required',
    inputRequests: { where: { params: { message: 'yours: Where?' } } },
  });
  await ask('tasks/update', { taskId: 'yours~t1', inputResponses: { where: { action: 'decline' } } });
  await until('the news', () => listening.received().length === 2);
  expect(listening.received()[1]).toMatchObject({
    method: 'notifications/tasks',
    params: { taskId: 'yours~t1', status: 'completed' },
  });
  expect((await ask('tasks/cancel', { taskId: 'mine~t1' })).result).toEqual({ resultType: 'complete' });
  expect((await ask('tasks/get', { taskId: 'mine~t1' })).result).toMatchObject({ status: 'cancelled' });
});

test('whoever has not got the extension calls a tool that demands it, and gets its result', async ({ machine }) => {
  await machine.add('mine', 'task-extension');
  const accept = { action: 'accept', content: { deep: 1 } };
  const dig = { name: 'mine__dig', arguments: {} };

  const legacy = await machine.connected({ capabilities: { elicitation: {} } });
  legacy.onRequest = () => ({ result: accept });
  expect(JSON.parse(textOf(await legacy.ask('tools/call', dig)))).toEqual({ where: accept });
  expect(legacy.requests.map(({ method, params }) => [method, params?.['message']])).toEqual([
    ['elicitation/create', 'mine: Where?'],
  ]);

  const host = machine.host();
  const capabilities = { elicitation: { form: {} } };
  const { result: asked } = await askModern(host, 'tools/call', dig, { capabilities });
  expect(asked).toMatchObject({
    resultType: 'input_required',
    inputRequests: { where: { method: 'elicitation/create', params: { message: 'mine: Where?' } } },
  });
  const retry = { ...dig, requestState: asked?.['requestState'], inputResponses: { where: accept } };
  const answer = await askModern(host, 'tools/call', retry, { capabilities });
  expect(answer.result).toMatchObject({ resultType: 'complete' });
  expect(JSON.parse(textOf(answer))).toEqual({ where: accept });

  expect(await machine.ok('call', 'mine__dig', 'where=the garden')).toBe('found in the garden\n');
  const tried = new Try(placeOf(machine.home), 'mine', tool('dig', { where: 'the cellar' }));
  expect(await tried.texts()).toEqual(['found in the cellar']);

  // It was refused once, and known from then on.
  expect(machine.records('dig').map(({ declared }) => declared)).toEqual([false, true, true, true, true]);
});

test('a host without the abilities that a task needs is told so, and the task is cancelled', async ({ machine }) => {
  await machine.add('mine', 'task-extension');
  const legacy = await machine.connected();
  const { error } = await legacy.ask('tools/call', { name: 'mine__dig', arguments: {} });
  expect(error).toMatchObject({ code: -32_603, message: expect.stringContaining('elicitation.form') });
  const able = await askModern(machine.host(), 'tasks/get', { taskId: 'mine~t1' }, { capabilities: TAKES_TASKS });
  expect(able.result).toMatchObject({ status: 'cancelled' });
});

test('by HTTP a task is named in Mcp-Name as hosts know it, and is not to be seen by another client', async ({
  machine,
}) => {
  await machine.add('mine', 'task-extension');
  const ann = (await machine.ok('token', 'add', 'ann', '--json')).token;
  const bob = (await machine.ok('token', 'add', 'bob', '--json')).token;
  const made = await modernCall(machine, ann, 'tools/call', 'mine__dig', { name: 'mine__dig', arguments: {} });
  expect(made.json.result).toMatchObject({ resultType: 'task', taskId: 'mine~t1' });
  const get = (token: string, name: string) => modernCall(machine, token, 'tasks/get', name, { taskId: 'mine~t1' });
  expect((await get(ann, 'mine~t1')).json.result).toMatchObject({ taskId: 'mine~t1' });
  expect(await get(ann, 't1')).toMatchObject({ status: 400, json: { error: { code: -32_020 } } });
  expect((await get(bob, 'mine~t1')).json.error?.code).toBe(-32_602);
});

// — internal —

async function withEverything(machine: Machine): Promise<void> {
  await machine.startDaemon();
  await machine.ok('add', 'everything', '--', ...EVERYTHING);
}

function statusNews(host: Host): Message[] {
  return host.notifications.filter(({ method }) => method === 'notifications/tasks/status');
}

function modernCall(machine: Machine, token: string, method: string, name: string, params: object): Promise<HttpCall> {
  const revision = '2026-07-28';
  const _meta = {
    'io.modelcontextprotocol/protocolVersion': revision,
    'io.modelcontextprotocol/clientCapabilities': TAKES_TASKS,
  };
  const headers = {
    authorization: `Bearer ${token}`,
    accept: 'application/json, text/event-stream',
    'content-type': 'application/json',
    'mcp-protocol-version': revision,
    'mcp-method': method,
    'mcp-name': name,
  };
  const body = { jsonrpc: '2.0', id: 1, method, params: { ...params, _meta } };
  return new HttpCall(machine.home.port, { headers, body }).whole();
}
