import { expect, test } from 'vitest';
import type { TrialOutcome } from '../../src/core/events.ts';
import type { SimulatedProcess } from '../../test/simulated/processes.ts';
import { definitionOf } from '../../test/simulated/servers.ts';
import { World } from '../../test/simulated/world.ts';

const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });

/** A server that was handshaken with and is asked for its lists for the first time. */
function given(capabilities: Record<string, unknown> = { tools: {} }) {
  const world = new World();
  world.post({ type: 'server-defined', definition: definitionOf('fake'), memory: null });
  const process = world.spawned('fake');
  world.serverAnswers(process, 'server/discover', { error: { code: -32_601, message: 'x' } });
  world.serverAnswers(process, 'initialize', { result: { protocolVersion: '2025-11-25', capabilities } });
  return { world, process };
}

const page = (world: World, process: SimulatedProcess, tools: unknown[], nextCursor?: unknown) => {
  const asked = world.asked(process, 'tools/list');
  world.serverSends(process, { jsonrpc: '2.0', id: asked.id ?? null, result: { tools, nextCursor } });
  return asked.params?.['cursor'];
};

const listed = (world: World) => {
  const memory = world.gateway.view.servers.get('fake')?.memory;
  return (memory?.lists[0]?.entries ?? []).map((entry) => (JSON.parse(entry) as { name: string }).name);
};

test('pages are followed to the last one, an empty cursor is one too, and an empty page ends nothing', () => {
  const { world, process } = given();
  const cursors = [
    page(world, process, [tool('a')], ''),
    page(world, process, [], 'opaque/+='),
    page(world, process, [tool('b')], 'last'),
    page(world, process, [tool('c')]),
  ];
  expect(cursors).toEqual([undefined, '', 'opaque/+=', 'last']);
  expect(listed(world)).toEqual(['a', 'b', 'c']);
  expect(world.status('fake').findings).toEqual([]);
});

test('a cursor that comes again ends the paging at once, and what came is kept', () => {
  const { world, process } = given();
  page(world, process, [tool('a')], 'x');
  page(world, process, [tool('b')], 'y');
  page(world, process, [tool('c')], 'x');
  expect(process.inbox).toEqual([]);
  expect(listed(world)).toEqual(['a', 'b', 'c']);
  expect(world.status('fake')).toMatchObject({
    health: 'degraded',
    findings: [expect.stringContaining('repeats its cursor "x"')],
  });
});

test('cursors without end stop at a hundred pages', () => {
  const { world, process } = given();
  let pages = 0;
  for (; process.inbox.length > 0; pages++) page(world, process, [tool(`t${pages}`)], `c${pages}`);
  expect(pages).toBe(100);
  expect(listed(world)).toHaveLength(100);
  expect(world.status('fake').findings).toEqual([expect.stringContaining('more than 100 pages')]);
});

test('a list stops at a thousand entries, and at eight megabytes', () => {
  const many = given();
  page(
    many.world,
    many.process,
    Array.from({ length: 1500 }, (_, n) => tool(`t${n}`)),
    'more',
  );
  expect(many.process.inbox).toEqual([]);
  expect(listed(many.world)).toHaveLength(1000);
  const big = given();
  const text = 'x'.repeat(1024 * 1024);
  page(
    big.world,
    big.process,
    Array.from({ length: 12 }, (_, n) => ({ ...tool(`t${n}`), description: text })),
  );
  expect(listed(big.world)).toHaveLength(7);
  for (const { world } of [many, big])
    expect(world.status('fake').findings.join()).toContain('is cut at 1000 entries or 8 MiB');
});

test('one odd entry among good ones costs no more than itself, and is named', () => {
  const { world, process } = given();
  page(world, process, [tool('good'), null, 7, { name: 'bad', inputSchema: { type: 'string' } }, { description: 'x' }]);
  expect(listed(world)).toEqual(['good']);
  expect(world.status('fake').findings.join()).toMatch(/bad: dropped, its inputSchema is of type "string"/);
});

test('of a name that is listed twice the first counts', () => {
  const { world, process } = given();
  page(world, process, [{ ...tool('a'), title: 'first' }, tool('b')], 'x');
  page(world, process, [{ ...tool('a'), title: 'second' }]);
  expect(listed(world)).toEqual(['a', 'b']);
  expect(world.gateway.view.servers.get('fake')?.memory?.lists[0]?.entries[0]).toContain('first');
});

test('thousands of odd entries leave a few findings and their number', () => {
  const { world, process } = given();
  page(
    world,
    process,
    Array.from({ length: 5000 }, (_, n) => ({ name: `bad${n}`, inputSchema: { type: 'null' } })),
  );
  const findings = world.gateway.view.servers.get('fake')?.memory?.lists[0]?.findings ?? [];
  expect(findings).toHaveLength(21);
  expect(findings.at(-1)).toBe('and 4980 more');
});

test('a page that is not answered in time fails the list, and its late answer is passed over', () => {
  const { world, process } = given();
  const { id = null } = world.asked(process, 'tools/list');
  world.advance(15_000);
  expect(world.status('fake').findings).toEqual([expect.stringContaining('not answered within 15 s')]);
  world.serverSends(process, { jsonrpc: '2.0', id, result: { tools: [tool('late')] } });
  expect(listed(world)).toEqual([]);
  expect(world.status('fake').findings).toHaveLength(1);
});

test('a page that is too long to read fails the list at once', () => {
  const { world, process } = given();
  const { instance, generation } = process;
  const id = String(world.asked(process, 'tools/list').id);
  world.post({ type: 'server-noise', instance, generation, reason: 'too-long', id, question: null, bytes: 1e8 });
  expect(world.status('fake').findings).toEqual([expect.stringContaining('tools/list failed: too-long')]);
});

test.each([{}, { tools: null }, { tools: { a: 1 } }, [], 'text', null])('an answer of %j is no list', (result) => {
  const { world, process } = given();
  world.serverAnswers(process, 'tools/list', { result });
  expect(world.status('fake').findings).toEqual([expect.stringContaining('no array of tools')]);
});

test('only declared lists are asked for, and a server with resources need not know templates', () => {
  const { world, process } = given({ resources: {} });
  expect(process.inbox.map(({ method }) => method)).toEqual(['resources/list', 'resources/templates/list']);
  world.serverAnswers(process, 'resources/list', { result: { resources: [{ uri: 'a://1' }] } });
  world.serverAnswers(process, 'resources/templates/list', { error: { code: -32_601, message: 'unknown' } });
  expect(world.status('fake')).toMatchObject({ health: 'ok', listed: true, counts: { resources: 1, tools: 0 } });
});

/** A trial of a server with these capabilities. */
function trial(capabilities: Record<string, unknown>) {
  const world = new World();
  world.post({ type: 'trial', trial: 't', definition: definitionOf('new') });
  const process = world.spawned('new@trial-t');
  world.serverAnswers(process, 'server/discover', { error: { code: -32_601, message: 'x' } });
  world.serverAnswers(process, 'initialize', { result: { protocolVersion: '2025-11-25', capabilities } });
  const end = (): TrialOutcome | undefined => {
    world.advance(0);
    if (world.processes.has('new@trial-t')) world.serverExits(process, 0);
    const second = world.processes.get('new@trial-t-compared');
    if (second !== undefined) world.serverExits(second, 1);
    return world.effectsOf('trial-finished')[0]?.outcome;
  };
  return { world, process, end };
}

test('a trial fails when its tools cannot be read, even if other lists can be read afterwards', () => {
  const { world, process, end } = trial({ tools: {}, prompts: {} });
  world.serverAnswers(process, 'tools/list', { error: { code: -32_603, message: 'no key' } });
  expect(process.stopping).toBe('killed');
  world.serverAnswers(process, 'prompts/list', { result: { prompts: [] } });
  expect(end()).toMatchObject({ ok: false, step: 'list', reason: expect.stringContaining('no key') });
});

test('a trial stands a list of another kind that cannot be read, and tells of it', () => {
  const { world, process, end } = trial({ tools: {}, resources: {} });
  world.serverAnswers(process, 'tools/list', { result: { tools: [tool('a')] } });
  world.serverAnswers(process, 'resources/list', { error: { code: -32_603, message: 'the database is down' } });
  world.serverAnswers(process, 'resources/templates/list', { result: { resourceTemplates: [] } });
  expect(end()).toMatchObject({ ok: true, findings: [expect.stringContaining('the database is down')] });
});
