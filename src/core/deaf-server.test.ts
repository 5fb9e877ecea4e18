import { expect, test } from 'vitest';
import type { Character } from '../../test/simulated/servers.ts';
import { World } from '../../test/simulated/world.ts';

const WEATHER: Character = { tools: ['forecast'] };

test('a call that comes while a dead process is cleared away is not sent to it, and is answered by the next one', () => {
  const world = new World();
  const host = world.legacyHost('s1');
  const process = world.running('weather', WEATHER);
  const call = () => world.request(host, 'tools/call', { name: 'weather__forecast', arguments: {} });
  const sent = call();
  world.post({ type: 'server-deaf', instance: 'weather', generation: process.generation });
  const waiting = call();
  expect(process.received.filter(({ method }) => method === 'tools/call')).toHaveLength(1);

  world.serverExits(process, 1);
  expect(world.answerTo(host, sent).error?.data).toMatchObject({ outcome: 'unknown' });
  world.advance(2000);
  world.serverAnswers(world.ready('weather', WEATHER), 'tools/call', { result: { content: [] } });
  expect(world.answerTo(host, waiting).result).toEqual({ content: [] });
});
