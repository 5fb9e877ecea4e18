import { expect, test } from 'vitest';
import type { SimulatedHost } from '../../test/simulated/hosts.ts';
import { World } from '../../test/simulated/world.ts';

const EXTENSION = 'io.modelcontextprotocol/tasks';
const TAKES_TASKS = { 'io.modelcontextprotocol/clientCapabilities': { extensions: { [EXTENSION]: {} } } };
const DIGS = { era: 'modern', tools: ['dig'], capabilities: { extensions: { [EXTENSION]: {} } } } as const;
const SUBSCRIPTION = 'io.modelcontextprotocol/subscriptionId';

const state = (taskId: string, status = 'working', more: object = {}) => ({ taskId, status, ttlMs: 60_000, ...more });

function given() {
  const world = new World();
  const process = world.running('mine', DIGS);
  const host = world.openHost('host', 'modern');
  return { world, process, host };
}

function ask(world: World, host: SimulatedHost, method: string, params: Record<string, unknown> = {}) {
  return world.request(host, method, { ...params, _meta: TAKES_TASKS });
}

/** The tasks of mcpd's own newest listen. */
function listened(world: World): unknown {
  const listens = world.process('mine').received.filter(({ method }) => method === 'subscriptions/listen');
  return (listens.at(-1)?.params?.['notifications'] as { taskIds?: unknown } | undefined)?.taskIds;
}

test('a server with the extension may answer with a task, and is asked about it by its own id', () => {
  const { world, process, host } = given();
  const call = ask(world, host, 'tools/call', { name: 'mine__dig' });
  const meta = process.inbox.at(-1)?.params?.['_meta'] as Record<string, unknown>;
  expect(meta['io.modelcontextprotocol/clientCapabilities']).toEqual({ extensions: { [EXTENSION]: {} } });
  world.serverAnswers(process, 'tools/call', { result: { resultType: 'task', ...state('t1') } });
  expect(world.answerTo(host, call).result).toEqual({ resultType: 'task', ...state('mine~t1') });
  for (const method of ['tasks/get', 'tasks/update', 'tasks/cancel']) {
    const key = ask(world, host, method, { taskId: 'mine~t1' });
    expect(process.inbox.at(-1)?.params).toMatchObject({ taskId: 't1' });
    world.serverAnswers(process, method, { result: { resultType: 'complete', ...state('t1') } });
    expect(world.answerTo(host, key).result).toEqual({ resultType: 'complete', ...state('mine~t1') });
  }
});

test('the extension is named to those servers only that have it, and never for a legacy host', () => {
  const world = new World();
  const plain = world.running('plain', { era: 'modern', tools: ['dig'] });
  const mine = world.running('mine', DIGS);
  const capabilitiesAt = (process: typeof plain) =>
    Object(process.inbox.at(-1)?.params?.['_meta'])['io.modelcontextprotocol/clientCapabilities'];
  ask(world, world.openHost('host', 'modern'), 'tools/call', { name: 'plain__dig' });
  expect(capabilitiesAt(plain)).toEqual({ extensions: {} });
  const legacy = world.legacyHost('legacy', { extensions: { [EXTENSION]: {}, other: {} } });
  world.request(legacy, 'tools/call', { name: 'mine__dig', task: {} });
  expect(capabilitiesAt(mine)).toEqual({ extensions: { other: {} } });
  expect(mine.inbox.at(-1)?.params).not.toHaveProperty('task');
});

test('a modern host without the extension, and a legacy one, cannot name a task of such a server', () => {
  const { world, process, host } = given();
  const call = ask(world, host, 'tools/call', { name: 'mine__dig' });
  world.serverAnswers(process, 'tools/call', { result: { resultType: 'task', ...state('t1') } });
  expect(world.answerTo(host, call).result).toMatchObject({ taskId: 'mine~t1' });
  const refused = world.ask(world.legacyHost('legacy'), 'tasks/get', { taskId: 'mine~t1' }).error;
  expect(refused).toMatchObject({ code: -32_602, data: { reason: 'unknown-task' } });
  const stranger = world.openHost('stranger', 'modern', null, 'stranger', { principal: 'client:other' });
  expect(world.ask(stranger, 'tasks/get', { taskId: 'mine~t1' }).error?.code).toBe(-32_602);
});

test('what a task needs names the server that asks', () => {
  const { world, process, host } = given();
  const key = ask(world, host, 'tasks/get', { taskId: 'mine~t1' });
  const inputRequests = (message: string) => ({ q: { method: 'elicitation/create', params: { message } } });
  const result = { resultType: 'complete', ...state('t1', 'input_required'), inputRequests: inputRequests('Where?') };
  world.serverAnswers(process, 'tasks/get', { result });
  expect(world.answerTo(host, key).result).toMatchObject({ inputRequests: inputRequests('mine: Where?') });
});

test('the news of a task reach the listens that asked for it, each under its own id', () => {
  const { world, process, host } = given();
  const neighbour = world.openHost('neighbour', 'modern');
  ask(world, neighbour, 'subscriptions/listen', { notifications: { taskIds: ['mine~t2'] } });
  ask(world, host, 'subscriptions/listen', { notifications: { taskIds: ['mine~t1', 'nobody~t1', 'gone'] } });
  expect(host.notices[0]?.params).toEqual({
    notifications: { taskIds: ['mine~t1'] },
    _meta: { [SUBSCRIPTION]: 1 },
  });
  expect(listened(world)).toEqual(['t2', 't1']);
  const own = process.received.filter(({ method }) => method === 'subscriptions/listen').at(-1);
  expect(own?.params?.['_meta']).toMatchObject(TAKES_TASKS);
  world.serverNotifies(process, 'notifications/tasks', {
    ...state('t1', 'completed', { result: { content: [] } }),
    _meta: { [SUBSCRIPTION]: own?.id },
  });
  expect(host.notices.at(-1)?.params).toEqual({
    ...state('mine~t1', 'completed', { result: { content: [] } }),
    _meta: { [SUBSCRIPTION]: 1 },
  });
  world.serverNotifies(process, 'notifications/tasks', state('t1'));
  expect(host.notices.at(-1)?.params).toEqual({ ...state('mine~t1'), _meta: { [SUBSCRIPTION]: 1 } });
  expect(neighbour.notices).toHaveLength(1);
});

test('a listen that ends is taken from mcpd’s own, and a new process is told what is left', () => {
  const { world, process, host } = given();
  const first = ask(world, host, 'subscriptions/listen', { notifications: { taskIds: ['mine~t1', 'mine~t2'] } });
  ask(world, host, 'subscriptions/listen', { notifications: { taskIds: ['mine~t2'] } });
  world.cancel(host, first);
  expect(listened(world)).toEqual(['t2']);
  world.serverExits(process);
  world.advance(2000);
  world.ready('mine', DIGS);
  expect(listened(world)).toEqual(['t2']);
  world.closeHost(host);
  expect(listened(world)).toBeUndefined();
});

test('to listen for tasks a host needs the extension', () => {
  const { world, host } = given();
  const { error } = world.ask(host, 'subscriptions/listen', { notifications: { taskIds: ['mine~t1'] } });
  expect(error).toMatchObject({
    code: -32_021,
    data: { requiredCapabilities: { extensions: { [EXTENSION]: {} } } },
  });
});

test('modern hosts are told of the extension', () => {
  const { world, host } = given();
  expect(world.ask(host, 'server/discover').result).toMatchObject({
    capabilities: { extensions: { [EXTENSION]: {} } },
  });
});
