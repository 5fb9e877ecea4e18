import { expect, test } from 'vitest';
import { World } from '../../test/simulated/world.ts';
import { SESSION_USES_MS } from '../figures-limits.ts';
import { SessionUses } from './figure-sessions.ts';

const START = 1_700_000_000_000;

function given() {
  const world = new World();
  const character = { tools: ['look'] };
  world.running('weather', character);
  world.running('todo', character);
  const { view } = world.gateway;
  return { world, view, uses: new SessionUses() };
}

test('a session uses a server for ten minutes after its last call', () => {
  const { world, view, uses } = given();
  world.legacyHost('one');
  world.legacyHost('two');
  uses.called(view, 'one', 'weather', START);
  uses.called(view, 'two', 'weather', START + 1000);
  uses.called(view, 'two', 'todo', START + 1000);
  expect([...uses.byServer(view, START + SESSION_USES_MS)]).toEqual([
    ['weather', ['one', 'two']],
    ['todo', ['two']],
  ]);
  expect([...uses.byServer(view, START + SESSION_USES_MS + 1)]).toEqual([
    ['weather', ['two']],
    ['todo', ['two']],
  ]);
});

test('an open call is use, however long it takes', () => {
  const { world, view, uses } = given();
  const host = world.legacyHost('one');
  world.request(host, 'tools/call', { name: 'weather__look' });
  expect([...uses.byServer(view, START + 10 * SESSION_USES_MS)]).toEqual([['weather', ['one']]]);
});

test('a resource that is watched is use, by a subscription as by a listen', () => {
  const world = new World();
  const process = world.running('files', { resources: ['file:///a'] });
  const legacy = world.legacyHost('legacy');
  world.request(legacy, 'resources/subscribe', { uri: 'file:///a' });
  world.serverAnswers(process, 'resources/subscribe', { result: {} });
  const modern = world.modernHost('modern');
  world.request(modern, 'subscriptions/listen', { notifications: { resourceSubscriptions: ['file:///a'] } });
  const { view } = world.gateway;
  expect([...new SessionUses().byServer(view, START)]).toEqual([['files', ['legacy', 'modern']]]);
});

test('a session that has gone uses nothing, and another one of its id is not taken for it', () => {
  const { world, view, uses } = given();
  world.legacyHost('one');
  uses.called(view, 'one', 'weather', START);
  world.post({ type: 'host-closed', session: 'one' });
  expect(uses.byServer(view, START).size).toBe(0);
  world.legacyHost('one');
  expect(uses.byServer(view, START).size).toBe(0);
});

test('a request by HTTP that stands alone is no session', () => {
  const { world, view, uses } = given();
  world.modernHost('single', {}, { lasts: 'request', principal: 'client:one' });
  uses.called(view, 'single', 'weather', START);
  expect(uses.byServer(view, START).size).toBe(0);
});
