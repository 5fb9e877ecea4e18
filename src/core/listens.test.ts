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
