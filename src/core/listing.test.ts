import { expect, test } from 'vitest';
import { definitionOf, memoryOf } from '../../test/simulated/servers.ts';
import { World } from '../../test/simulated/world.ts';
import { NO_ABILITIES } from '../protocol/abilities.ts';
import { audienceOf, MergedLists } from './listing.ts';
import { NameTable } from './names.ts';
import type { KnownServer } from './state.ts';
import { UriTable } from './uris.ts';

const LEGACY = audienceOf('legacy', NO_ABILITIES, true, { kind: 'all' });

/** The list of one server with these raw tools, as a legacy host gets it. */
function listed(...tools: string[]): string {
  const names = new NameTable([]);
  names.assign('notes', [['tool', tools.map((tool) => (JSON.parse(tool) as { name: string }).name)]]);
  const known = { definition: { enabled: true }, memory: { lists: [{ kind: 'tools', entries: tools }], variants: [] } };
  const servers = new Map([['notes', known as unknown as KnownServer]]);
  return Buffer.from(new MergedLists(names, new UriTable([])).result('tools', LEGACY, servers)).toString();
}

test('an entry keeps every byte but its name, however the server prints JSON', () => {
  expect(listed('{"name":"add","inputSchema":{"type":"object","maximum":12345678901234567890},"é":"\\u00e9"}')).toBe(
    '{"tools":[{"name":"notes__add","inputSchema":{"type":"object","maximum":12345678901234567890},"é":"\\u00e9"}]}',
  );
  expect(listed('{"title":"Add","name":"add","inputSchema":{"properties":{"name":{}}}}')).toBe(
    '{"tools":[{"title":"Add","name":"notes__add","inputSchema":{"properties":{"name":{}}}}]}',
  );
  expect(listed('{"name":"a\\"d","inputSchema":{}}')).toMatch(
    /^{"tools":\[{"name":"notes__a_d_\w{8}","inputSchema":{}}\]}$/,
  );
  expect(listed('{ "name" : "add", "inputSchema" : {"type": "object"} }')).toBe(
    '{"tools":[{"name":"notes__add","inputSchema" : {"type": "object"}}]}',
  );
});

test('a name given twice is replaced twice, so that no reader finds the raw one', () => {
  const twice = '{"tools":[{"name":"notes__add","name":"notes__add"}]}';
  expect(listed('{"name":"add","name":"add"}')).toBe(twice);
  expect(listed('{"name":"add","n\\u0061me":"add"}')).toBe(twice);
});

test('an output schema without an object at its root is kept from legacy hosts alone', () => {
  expect(listed('{"name":"add","outputSchema":{"type":"array"}}')).toBe('{"tools":[{"name":"notes__add"}]}');
  expect(listed('{"name":"add","outputSchema":{"type":"object"}}')).toBe(
    '{"tools":[{"name":"notes__add","outputSchema":{"type":"object"}}]}',
  );
});

test('members that look like those of the language are members like any other', () => {
  const odd = '{"name":"add","__proto__":{"a":1},"constructor":1}';
  expect(listed(odd)).toBe('{"tools":[{"name":"notes__add","__proto__":{"a":1},"constructor":1}]}');
});

// — as hosts see it —

/** Installs a server with these raw entries in one list. */
function install(world: World, name: string, kind: 'tools' | 'prompts' | 'resources' | 'templates', entries: string[]) {
  const definition = definitionOf(name);
  const memory = memoryOf(definition, {});
  const lists = memory.lists.map((list) => (list.kind === kind ? { ...list, entries } : list));
  world.post({ type: 'server-defined', definition, memory: { ...memory, lists } });
}

/** The text of an answer's result. */
function resultText(world: World, method: string, era: 'legacy' | 'modern' = 'legacy'): string {
  const host = world.hosts.get(era) ?? (era === 'legacy' ? world.legacyHost(era) : world.openHost(era, era));
  world.request(host, method);
  return /"result":(.*)\}\n$/s.exec(host.lines.at(-1) ?? '')?.[1] ?? '';
}

test('lists of all servers are one, in the order of their names and in their own order, the same each time', () => {
  const world = new World();
  world.install('b', { tools: ['z', 'a'] });
  world.install('a', { tools: ['m'] });
  const names = (JSON.parse(resultText(world, 'tools/list')) as { tools: { name: string }[] }).tools;
  expect(names.map(({ name }) => name)).toEqual(['a__m', 'b__z', 'b__a']);
  expect(resultText(world, 'tools/list')).toBe(resultText(world, 'tools/list'));
});

test('an entry keeps its bytes but for its name', () => {
  const world = new World();
  const rest = '"inputSchema":{"type":"object","maximum":12345678901234567890},"x-new":[1.0e3],"__proto__":{"a":1}';
  install(world, 'fake', 'tools', [`{ "name" : "a.b", ${rest} }`]);
  const [entry] = resultText(world, 'tools/list').match(/\{"name".*\}(?=\])/s) ?? [];
  expect(entry).toMatch(/^\{"name":"fake__a_b_[0-9a-z]{8}",/);
  expect(entry?.slice(entry.indexOf(',') + 1)).toBe(`${rest}}`);
});

test('what one era does not know is left out for it', () => {
  const world = new World();
  install(world, 'fake', 'tools', [
    '{"name":"a","inputSchema":{"type":"object"},"outputSchema":{"type":"array"},"execution":{"taskSupport":"optional"}}',
    '{"name":"b","inputSchema":{"type":"object"},"outputSchema":{"type":"object"}}',
  ]);
  const keys = (era: 'legacy' | 'modern') =>
    (JSON.parse(resultText(world, 'tools/list', era)) as { tools: object[] }).tools.map((tool) => Object.keys(tool));
  expect(keys('legacy')).toEqual([
    ['name', 'inputSchema'],
    ['name', 'inputSchema', 'outputSchema'],
  ]);
  expect(keys('modern')).toEqual([
    ['name', 'inputSchema', 'outputSchema'],
    ['name', 'inputSchema', 'outputSchema'],
  ]);
});

test('only modern hosts are told how long a list may be kept, and by whom', () => {
  const world = new World();
  world.install('fake', { resources: ['a://1'] });
  expect(JSON.parse(resultText(world, 'resources/list'))).toEqual({ resources: [{ uri: 'a://1', name: 'a://1' }] });
  expect(Object.keys(JSON.parse(resultText(world, 'resources/list', 'modern')) as object)).toEqual([
    'resultType',
    'resources',
    'ttlMs',
    'cacheScope',
  ]);
});

test('a disabled server is in no list', () => {
  const world = new World();
  world.install(
    'fake',
    { tools: ['a'], prompts: ['b'], resources: ['c://'], templates: ['c://{x}'] },
    { enabled: false },
  );
  for (const method of ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'])
    expect(resultText(world, method)).toMatch(/^\{"[a-zA-Z]+":\[\]\}$/);
});

test('a URI that two servers list is there twice, each time with its server', () => {
  const world = new World();
  for (const name of ['a', 'b']) world.install(name, { resources: ['shared://doc'], templates: ['shared://{id}'] });
  expect(resultText(world, 'resources/list').match(/"uri":"[^"]*"/g)).toEqual([
    '"uri":"shared://doc#mcpd=a"',
    '"uri":"shared://doc#mcpd=b"',
  ]);
  expect(resultText(world, 'resources/templates/list').match(/"uriTemplate":"[^"]*"/g)).toEqual([
    '"uriTemplate":"shared://{id}#mcpd=a"',
    '"uriTemplate":"shared://{id}#mcpd=b"',
  ]);
});

test('a tool whose page has a shared URI names the page by its mark', () => {
  const world = new World();
  const tool = (meta: string) => `{"name":"t","inputSchema":{"type":"object"},"_meta":{${meta},"keep":1}}`;
  install(world, 'a', 'resources', ['{"uri":"ui://app","name":"x"}']);
  install(world, 'b', 'resources', ['{"uri":"ui://app","name":"x"}']);
  const known = world.gateway.view.servers.get('b')?.memory;
  const lists = known?.lists.map((list) =>
    list.kind === 'tools'
      ? {
          ...list,
          entries: [tool('"ui":{"resourceUri":"ui://app"}'), tool('"ui/resourceUri":"ui://app"').replace('"t"', '"u"')],
        }
      : list,
  );
  world.post({
    type: 'server-defined',
    definition: definitionOf('b'),
    memory: { ...memoryOf(definitionOf('b')), lists: lists ?? [] },
  });
  expect(resultText(world, 'tools/list').match(/"_meta":\{.*?"keep":1\}/g)).toEqual([
    '"_meta":{"ui":{"resourceUri":"ui://app#mcpd=b"},"keep":1}',
    '"_meta":{"ui/resourceUri":"ui://app#mcpd=b","keep":1}',
  ]);
});

test('a host that comes after a change was told of it by its first list', () => {
  const world = new World();
  world.install('fake', { tools: ['a'] });
  world.closeHost(world.legacyHost('early'));
  world.install('more', { tools: ['b'] });
  const host = world.legacyHost('late');
  world.request(host, 'tools/list');
  world.install('more', { tools: ['b'] }, { description: 'other words' });
  world.advance(5000);
  expect(host.notices).toEqual([]);
});

test('who was given a list in the middle of a change is told, even if the change is taken back', () => {
  const world = new World();
  world.install('fake', { tools: ['a'] });
  const host = world.legacyHost('host');
  world.request(host, 'tools/list');
  world.install('fake', { tools: ['a'] }, { enabled: false });
  world.request(host, 'tools/list');
  world.install('fake', { tools: ['a'] });
  world.advance(60);
  expect(host.notices.map(({ method }) => method)).toEqual(['notifications/tools/list_changed']);
});

test('a host that is still in its handshake is told of no change', () => {
  const world = new World();
  world.install('fake', { tools: ['a'] });
  const other = world.legacyHost('other');
  world.request(other, 'tools/list');
  const host = world.openHost('host');
  world.ask(host, 'initialize', { protocolVersion: '2025-11-25' });
  world.install('more', { tools: ['b'] });
  world.advance(60);
  expect(other.notices).toHaveLength(1);
  expect(host.notices).toEqual([]);
});

test('a host that sees one server alone gets its lists as they are, and hears of its changes only', () => {
  const world = new World();
  const odd = '{ "name" : "a.b", "inputSchema":{"type":"object"} }';
  install(world, 'one', 'tools', [odd]);
  install(world, 'two', 'tools', ['{"name":"c","inputSchema":{"type":"object"}}']);
  const host = world.legacyHost('scoped', {}, { scope: { kind: 'server', server: 'one' } });
  const all = world.legacyHost('all');
  for (const each of [host, all]) world.request(each, 'tools/list');
  expect(host.lines.at(-1)).toContain(`"result":{"tools":[${odd}]}`);
  install(world, 'two', 'tools', []);
  world.advance(1000);
  expect(host.notices).toEqual([]);
  expect(all.notices.map(({ method }) => method)).toEqual(['notifications/tools/list_changed']);
});

test('what its era does not know is left out there too', () => {
  const world = new World();
  install(world, 'one', 'tools', ['{"name":"a","execution":{},"outputSchema":{"type":"array"},"x":1.0}']);
  for (const [era, entry] of [
    ['legacy', '{"name":"a","execution":{},"x":1.0}'],
    ['modern', '{"name":"a","outputSchema":{"type":"array"},"x":1.0}'],
  ] as const) {
    const host = world.openHost(era, era, null, era, { scope: { kind: 'server', server: 'one' } });
    world.request(host, 'tools/list');
    expect(host.lines.at(-1)).toContain(`"tools":[${entry}]`);
  }
});
