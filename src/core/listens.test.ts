import { expect, test } from 'vitest';
import { World } from '../../test/simulated/world.ts';

test('a modern host that listens is told of changed lists, also when it has asked for none on this connection', () => {
  const world = new World();
  world.install('weather', { tools: ['forecast'] });
  const host = world.openHost('s1', 'modern');
  world.request(host, 'subscriptions/listen', { notifications: { toolsListChanged: true } }, 'l1');
  world.install('todo', { tools: ['add'] });
  world.advance(5000);
  expect(host.notices.map(({ method }) => method)).toEqual([
    'notifications/subscriptions/acknowledged',
    'notifications/tools/list_changed',
  ]);
});

const FAKE = { tools: ['x'], prompts: ['p'], resources: ['file:///a'] };
const ID = 'io.modelcontextprotocol/subscriptionId';

function given() {
  const world = new World();
  const process = world.running('fake', FAKE);
  const host = world.openHost('modern', 'modern');
  const listen = (notifications: Record<string, unknown>, id?: string | number) =>
    world.request(host, 'subscriptions/listen', { notifications }, id);
  const seen = () =>
    host.notices.map(({ method, params = {} }) => {
      const meta = params['_meta'] as Record<string, unknown>;
      return [method?.replace('notifications/', ''), meta[ID], params['uri'] ?? params['notifications']];
    });
  return { world, process, host, listen, seen };
}

test('a listen is acknowledged first, under its own id, with what of it is granted', () => {
  const { world, host, listen, seen } = given();
  world.install('plain', { resources: ['plain://x'], capabilities: { resources: {} } });
  const uris = ['file:///a', 'plain://x', 'nobody://', 7];
  listen({ toolsListChanged: true, promptsListChanged: 'yes', resourceSubscriptions: uris, of: 'tomorrow' }, 'l');
  listen({}, 5);
  expect(seen()).toEqual([
    ['subscriptions/acknowledged', 'l', { toolsListChanged: true, resourceSubscriptions: ['file:///a'] }],
    ['subscriptions/acknowledged', 5, {}],
  ]);
  expect([...host.listening]).toEqual(['"l"', '5']);
});

test.each([undefined, null, 'all', 7])('a listen for %j is refused', (notifications) => {
  const { world, host } = given();
  const key = world.request(host, 'subscriptions/listen', { notifications });
  expect(world.answerTo(host, key).error?.code).toBe(-32_602);
});

test('each listen gets what it asked for and nothing else, until it is cancelled', () => {
  const { world, process, host, listen, seen } = given();
  const tools = listen({ toolsListChanged: true }, 'tools');
  listen({ resourcesListChanged: true, resourceSubscriptions: ['file:///a'] }, 'resources');
  host.notices.length = 0;
  world.install('more', { tools: ['x'], prompts: ['p'], resources: ['more://x'] });
  world.advance(60);
  world.serverNotifies(process, 'notifications/resources/updated', { uri: 'file:///a' });
  expect(seen()).toEqual([
    ['tools/list_changed', 'tools', undefined],
    ['resources/list_changed', 'resources', undefined],
    ['resources/updated', 'resources', 'file:///a'],
  ]);
  world.cancel(host, tools);
  host.notices.length = 0;
  world.post({ type: 'server-removed', server: 'more' });
  world.advance(2000);
  expect(seen()).toEqual([['resources/list_changed', 'resources', undefined]]);
});

test('an update below a watched URI is told on each listen once', () => {
  const { world, process, host, listen, seen } = given();
  listen({ resourceSubscriptions: ['file:///a'] }, 1);
  listen({ resourceSubscriptions: ['file:///a'] }, 2);
  host.notices.length = 0;
  world.serverNotifies(process, 'notifications/resources/updated', { uri: 'file:///a/b' });
  expect(seen()).toEqual([
    ['resources/updated', 1, 'file:///a/b'],
    ['resources/updated', 2, 'file:///a/b'],
  ]);
});

test('two listens for one URI are one subscription at the server, which ends with the second', () => {
  const { world, process, host, listen } = given();
  const [first, second] = [
    listen({ resourceSubscriptions: ['file:///a'] }),
    listen({ resourceSubscriptions: ['file:///a'] }),
  ];
  world.cancel(host, first);
  const methods = () => process.received.map(({ method }) => method);
  expect(methods()).toEqual(['resources/subscribe']);
  world.cancel(host, second);
  expect(methods()).toEqual(['resources/subscribe', 'resources/unsubscribe']);
});

test('a listen starts the server whose resources it watches, but not one that is started by hand', () => {
  const { world, listen } = given();
  world.install('asleep', { resources: ['asleep://x'] });
  world.install('by-hand', { resources: ['hand://x'] }, { start: 'manual' });
  listen({ resourceSubscriptions: ['asleep://x', 'hand://x'] });
  expect(world.status('asleep').state).toBe('starting');
  expect(world.status('by-hand').state).toBe('stopped');
  const process = world.ready('asleep', { resources: ['asleep://x'] });
  expect(process.received.map(({ method }) => method)).toContain('resources/subscribe');
});

test('the id of a listen is in use, and free after it', () => {
  const { world, host, listen } = given();
  const key = listen({}, 9);
  world.hostSends(host, { jsonrpc: '2.0', id: 9, method: 'tools/list', params: {} });
  expect(world.answerTo(host, '9').error?.code).toBe(-32_600);
  world.cancel(host, key);
  host.cancelled.clear();
  expect(world.answerTo(host, world.request(host, 'tools/list', {}, 9)).result).toBeDefined();
});

test('progress and log messages never travel on a listen', () => {
  const { world, process, host, listen, seen } = given();
  listen({ toolsListChanged: true }, 1);
  host.notices.length = 0;
  world.serverNotifies(process, 'notifications/message', { level: 'error', data: 'x' });
  world.serverNotifies(process, 'notifications/progress', { progressToken: 1, progress: 1 });
  expect(seen()).toEqual([]);
});
