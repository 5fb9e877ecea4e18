import { expect, test } from 'vitest';
import { World } from '../../test/simulated/world.ts';
import { exposedFor, NameTable } from './names.ts';

test('a short plain name only gets its server in front', () => {
  expect(exposedFor('weather', 'get_forecast')).toBe('weather__get_forecast');
});

test('a name with other characters gets a hash, so that it cannot be taken for another one', () => {
  expect(exposedFor('w', 'a.b')).toMatch(/^w__a_b_[0-9a-z]{8}$/);
  expect(exposedFor('w', 'a.b')).not.toBe(exposedFor('w', 'a/b'));
});

test('every exposed name is short, of safe characters, and unique', () => {
  const raws = [40, 63, 64, 65, 128, 200].map((length) => `x${length}`.padEnd(length, 'y'));
  raws.push(`${'p'.repeat(127)}a`, `${'p'.repeat(127)}b`, 'ü', '名前', '');
  for (const server of ['s', 'a-server-with-the-longest-name-32']) {
    const exposed = raws.map((raw) => exposedFor(server.slice(0, 32), raw));
    expect(new Set(exposed).size).toBe(raws.length);
    for (const name of exposed) expect(name).toMatch(/^[A-Za-z0-9_-]{1,48}$/);
  }
});

test('a name does not change when neighbours come, whatever the order', () => {
  const one = new NameTable([]);
  one.assign('a', [['tool', ['x.y', 'z']]]);
  one.assign('b', [['tool', ['z']]]);
  const other = new NameTable([]);
  other.assign('b', [['tool', ['z']]]);
  other.assign('a', [['tool', ['z', 'x.y']]]);
  for (const [server, raw] of [
    ['a', 'x.y'],
    ['a', 'z'],
    ['b', 'z'],
  ] as const) {
    expect(other.exposedName('tool', server, raw)).toBe(one.exposedName('tool', server, raw));
  }
});

test('a raw name that looks like an exposed one gets a name of its own', () => {
  const table = new NameTable([]);
  const taken = exposedFor('a', 'x.y').slice('a__'.length);
  table.assign('a', [['tool', ['x.y', taken]]]);
  const exposed = table.exposedName('tool', 'a', taken) ?? '';
  expect(exposed).not.toBe(exposedFor('a', 'x.y'));
  expect(table.target('tool', exposed)).toMatchObject({ server: 'a', raw: taken });
});

test('names of the registry are found again, and only new ones are handed out to be kept', () => {
  const rows = new NameTable([]).assign('a', [['tool', ['x.y']]]);
  const table = new NameTable(rows);
  expect(table.assign('a', [['tool', ['x.y']]])).toEqual([]);
  expect(table.target('tool', rows[0]?.exposed ?? '')).toMatchObject({ server: 'a', raw: 'x.y', rawJson: '"x.y"' });
});

test('names stay what they are when neighbours come and go, also after a restart of mcpd', () => {
  const world = new World();
  world.install('b', { tools: ['get.x', 'plain'] });
  const rows = world.effectsOf('save-names').flatMap(({ names }) => names);
  const toolsOf = (of: World) => {
    const { result } = of.ask(of.legacyHost(`host${of.hosts.size}`), 'tools/list');
    return (result as { tools: { name: string }[] }).tools.map(({ name }) => name);
  };
  const before = toolsOf(world);
  world.install('a', { tools: ['get.x', 'plain'] });
  world.post({ type: 'server-removed', server: 'a' });
  expect(toolsOf(world)).toEqual(before);
  const later = new World({ names: rows });
  later.install('a', { tools: ['get.x'] });
  later.install('b', { tools: ['plain', 'get.x'] });
  expect(
    toolsOf(later)
      .filter((name) => name.startsWith('b__'))
      .sort(),
  ).toEqual(before.sort());
});

test('a server that makes up new names for ever does not fill the memory', () => {
  const world = new World();
  for (let round = 0; round < 30; round++) {
    const tools = Array.from({ length: 1000 }, (_, n) => `tool-${round}-${n}`);
    world.install('fake', { tools: ['stays', ...tools] });
  }
  const { names } = world.gateway.view;
  expect(names.target('tool', 'fake__stays')).toMatchObject({ raw: 'stays' });
  expect(names.target('tool', 'fake__tool-29-999')).not.toBeNull();
  expect(names.target('tool', 'fake__tool-0-0')).toBeNull();
});
