import { expect, test } from 'vitest';
import type { SimulatedHost } from '../../test/simulated/hosts.ts';
import type { SimulatedProcess } from '../../test/simulated/processes.ts';
import { answerOwn, type Character } from '../../test/simulated/servers.ts';
import { World } from '../../test/simulated/world.ts';

const FAKE: Character = { tools: ['x'], resources: ['file:///a', 'file:///b'] };
const MODERN: Character = { ...FAKE, era: 'modern' };

function given(character: Character = FAKE) {
  const world = new World();
  const process = world.running('fake', character);
  return { world, process, one: world.legacyHost('one'), two: world.legacyHost('two') };
}

/** Subscribes, lets the server accept it, and returns the key of the request. */
function subscribe(world: World, process: SimulatedProcess, host: SimulatedHost, uri: string): string {
  const key = world.request(host, 'resources/subscribe', { uri });
  for (const asked of process.inbox.splice(0).filter(({ method }) => method === 'resources/subscribe'))
    world.serverSends(process, { jsonrpc: '2.0', id: asked.id ?? null, result: {} });
  return key;
}

const asked = ({ received }: SimulatedProcess) =>
  received.flatMap(({ method, params }) =>
    method?.startsWith('resources/') ? [`${method.slice('resources/'.length)} ${params?.['uri']}`] : [],
  );

const updates = (host: SimulatedHost) =>
  host.notices.flatMap(({ method, params }) => (method === 'notifications/resources/updated' ? [params?.['uri']] : []));

const update = (world: World, process: SimulatedProcess, uri: string) =>
  world.serverNotifies(process, 'notifications/resources/updated', { uri });

test('a server hears of the first subscriber and of the last, and each gets the updates', () => {
  const { world, process, one, two } = given();
  const first = world.request(one, 'resources/subscribe', { uri: 'file:///a' });
  expect(one.answers.has(first)).toBe(false);
  world.serverAnswers(process, 'resources/subscribe', { result: {} });
  expect(world.answerTo(one, first).result).toEqual({});
  expect(world.ask(two, 'resources/subscribe', { uri: 'file:///a' }).result).toEqual({});
  update(world, process, 'file:///a');
  expect(world.ask(one, 'resources/unsubscribe', { uri: 'file:///a' }).result).toEqual({});
  update(world, process, 'file:///a');
  expect(asked(process)).toEqual(['subscribe file:///a']);
  expect(world.ask(two, 'resources/unsubscribe', { uri: 'file:///a' }).result).toEqual({});
  expect(asked(process)).toEqual(['subscribe file:///a', 'unsubscribe file:///a']);
  update(world, process, 'file:///a');
  expect(updates(one)).toEqual(['file:///a']);
  expect(updates(two)).toEqual(['file:///a', 'file:///a']);
});

test('who subscribes while another gives up is not left out', () => {
  const { world, process, one, two } = given();
  subscribe(world, process, one, 'file:///a');
  world.request(one, 'resources/unsubscribe', { uri: 'file:///a' });
  subscribe(world, process, two, 'file:///a');
  expect(asked(process)).toEqual(['subscribe file:///a', 'unsubscribe file:///a', 'subscribe file:///a']);
});

test('a host that leaves has unsubscribed', () => {
  const { world, process, one, two } = given();
  subscribe(world, process, one, 'file:///a');
  subscribe(world, process, one, 'file:///b');
  subscribe(world, process, two, 'file:///b');
  world.closeHost(one);
  expect(asked(process).slice(2)).toEqual(['unsubscribe file:///a']);
});

test('a subscription that is cancelled on its way is taken back', () => {
  const { world, process, one } = given();
  world.cancel(one, world.request(one, 'resources/subscribe', { uri: 'file:///a' }));
  expect(asked(process)).toEqual(['subscribe file:///a', 'unsubscribe file:///a']);
});

test('what the server refuses is not subscribed', () => {
  const { world, process, one } = given();
  const key = world.request(one, 'resources/subscribe', { uri: 'file:///a' });
  world.serverAnswers(process, 'resources/subscribe', { error: { code: -32_002, message: 'not there' } });
  expect(world.answerTo(one, key).error?.code).toBe(-32_002);
  update(world, process, 'file:///a');
  expect(updates(one)).toEqual([]);
});

test('a server without subscriptions refuses them', () => {
  const { world, one } = given({ ...FAKE, capabilities: { resources: {} } });
  expect(world.ask(one, 'resources/subscribe', { uri: 'file:///a' }).error).toMatchObject({ code: -32_601 });
});

test('an update below a subscribed URI is told, once to each host; one that fits none is told to all of that server', () => {
  const { world, process, one, two } = given();
  subscribe(world, process, one, 'file:///a');
  subscribe(world, process, one, 'file:///a/deep');
  subscribe(world, process, two, 'file:///b');
  update(world, process, 'file:///a/deep/er');
  expect([updates(one), updates(two)]).toEqual([['file:///a/deep/er'], []]);
  update(world, process, 'file:///ab');
  expect([updates(one), updates(two)]).toEqual([['file:///a/deep/er', 'file:///ab'], ['file:///ab']]);
});

test('after a crash the server is started for its subscribers, and told of them again', () => {
  const { world, process, one } = given();
  subscribe(world, process, one, 'file:///a');
  world.post({ type: 'command', server: 'fake', command: 'stop' });
  world.advance(0);
  world.serverExits(process, 0);
  expect(world.status('fake').state).toBe('stopped');
  world.request(one, 'tools/call', { name: 'fake__x' });
  const second = world.ready('fake', FAKE);
  expect(asked(second)).toContain('subscribe file:///a');
  world.serverExits(second, 1);
  world.advance(1000);
  const third = world.ready('fake', FAKE);
  expect(asked(third)).toContain('subscribe file:///a');
  update(world, third, 'file:///a');
  expect(updates(one)).toEqual(['file:///a']);
});

test('a server is not stopped for idleness while somebody watches its resources', () => {
  const world = new World();
  world.install('fake', FAKE);
  const host = world.legacyHost('host');
  world.request(host, 'resources/subscribe', { uri: 'file:///a' });
  const process = world.ready('fake', FAKE);
  world.serverAnswers(process, 'resources/subscribe', { result: {} });
  const rest = () => {
    for (let minute = 0; minute < 20; minute++) {
      answerOwn(world, process, FAKE);
      world.advance(60_000);
    }
  };
  rest();
  expect(process.stopping).toBe('no');
  world.request(host, 'resources/unsubscribe', { uri: 'file:///a' });
  rest();
  rest();
  expect(process.stopping).toBe('asked');
});

test('a shared URI is told to each host under the name that it subscribed to', () => {
  const { world, process, one, two } = given();
  subscribe(world, process, one, 'file:///a');
  // Now a second server lists it too, and it is marked in the lists.
  const other = world.running('other', FAKE);
  subscribe(world, process, two, 'file:///a#mcpd=fake');
  update(world, process, 'file:///a');
  update(world, process, 'file:///a/x');
  update(world, other, 'file:///a');
  expect(updates(one)).toEqual(['file:///a', 'file:///a/x']);
  expect(updates(two)).toEqual(['file:///a#mcpd=fake', 'file:///a/x#mcpd=fake']);
});

test('towards a modern server the watched URIs are part of the listen: the new one is opened before the old one ends', () => {
  const { world, process, one } = given(MODERN);
  expect(world.ask(one, 'resources/subscribe', { uri: 'file:///a' }).result).toEqual({});
  const [first, second, cancel] = process.received;
  expect(first).toMatchObject({ method: 'subscriptions/listen' });
  expect(first?.params?.['notifications']).toEqual({
    toolsListChanged: true,
    promptsListChanged: false,
    resourcesListChanged: true,
    resourceSubscriptions: ['file:///a'],
  });
  expect(second?.method).toBe('notifications/cancelled');
  expect(cancel).toBeUndefined();
  update(world, process, 'file:///a');
  expect(updates(one)).toEqual(['file:///a']);
  world.request(one, 'resources/unsubscribe', { uri: 'file:///a' });
  const last = process.received.filter(({ method }) => method === 'subscriptions/listen').at(-1);
  expect(last?.params?.['notifications']).not.toHaveProperty('resourceSubscriptions');
});

test('a fresh process of a modern server gets one listen with all that is watched', () => {
  const { world, process, one } = given(MODERN);
  world.ask(one, 'resources/subscribe', { uri: 'file:///a' });
  world.serverExits(process, 1);
  world.advance(1000);
  const listens = world.ready('fake', MODERN).received.filter(({ method }) => method === 'subscriptions/listen');
  expect(listens).toHaveLength(1);
  expect(listens[0]?.params?.['notifications']).toMatchObject({ resourceSubscriptions: ['file:///a'] });
});

test('what was watched at an uninstalled server is watched at the next one of that name', () => {
  const { world, process, one } = given();
  subscribe(world, process, one, 'file:///a');
  world.post({ type: 'server-removed', server: 'fake' });
  world.advance(0);
  world.serverExits(process, 0);
  const fresh = world.running('fake', FAKE);
  update(world, fresh, 'file:///a');
  expect(updates(one)).toEqual(['file:///a']);
});

test('one host watches a thousand resources at most', () => {
  const resources = Array.from({ length: 1000 }, (_, n) => `file:///${n}`);
  const { world, process, one } = given({ resources });
  for (const uri of resources) subscribe(world, process, one, uri);
  expect(world.ask(one, 'resources/subscribe', { uri: 'file:///more' }).error?.message).toContain('1000 resources');
});
