import { expect, test } from 'vitest';
import { World } from '../../test/simulated/world.ts';

const instructionsOf = (world: World) =>
  (world.ask(world.openHost(`s${world.hosts.size}`), 'initialize').result as { instructions?: string }).instructions;

test('the instructions of all enabled servers are one text, labelled by server', () => {
  const world = new World();
  expect(instructionsOf(world)).toBeUndefined();
  world.install('weather', { instructions: 'Ask for a city.' });
  world.install('notes', { instructions: 'Write\nshort.' });
  world.install('silent', {});
  world.install('off', { instructions: 'never seen' }, { enabled: false });
  expect(instructionsOf(world)).toBe('# notes\nWrite\nshort.\n\n# weather\nAsk for a city.');
});

test('together they stay within their limit: what is too long is cut between characters, and said to be', () => {
  const world = new World();
  world.install('a', { instructions: 'short' });
  world.install('b', { instructions: 'ü'.repeat(20_000) });
  world.install('c', { instructions: 'no room' });
  const text = instructionsOf(world) ?? '';
  expect(Buffer.byteLength(text)).toBeLessThan(17 * 1024);
  expect(text).not.toContain('\ufffd');
  expect(text.startsWith('# a\nshort\n\n# b\nüüü')).toBe(true);
  expect(text.match(/\(cut: the instructions of all servers together are too long\)/g)).toHaveLength(2);
  expect(text.endsWith('# c\n(cut: the instructions of all servers together are too long)')).toBe(true);
});

test('modern hosts get the same text from server/discover', () => {
  const world = new World();
  world.install('weather', { instructions: 'Ask for a city.' });
  const host = world.openHost('modern', 'modern');
  expect(world.ask(host, 'server/discover').result).toMatchObject({ instructions: '# weather\nAsk for a city.' });
});
