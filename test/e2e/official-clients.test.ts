import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import { packageRoot } from '../../src/package-root.ts';
import { type Machine, test } from '../harness/machine.ts';
import { textOf } from '../harness/message.ts';
import { OFFICIAL_CLIENTS, type OfficialHost } from '../harness/official.ts';
import { openMeteoStandIn } from '../harness/open-meteo.ts';
import { processesOf } from '../harness/processes.ts';
import { until } from '../harness/until.ts';

test('through one `mcpd stdio` the official clients use tools, prompts and resources of six servers together, in both eras', async ({
  machine,
}) => {
  const meteo = await openMeteoStandIn();
  await installSix(machine, meteo.env);
  for (const which of OFFICIAL_CLIENTS) {
    const host = await machine.official(which);
    expect(host.era).toBe(which === 'client 2.x, modern' ? 'modern' : 'legacy');
    await useTools(host, machine);
    await usePrompts(host);
    await useResources(host);
    await host.close();
  }
  await meteo.close();

  const servers = await machine.ok('list', '--json');
  expect(servers.map(({ name, starts }: { name: string; starts: number }) => [name, starts])).toEqual(
    ['everything', 'filesystem', 'memory', 'thinking', 'todo', 'weather'].map((name) => [name, 1]),
  );
});

test('a bundled server tells every subscribed client of both eras that a resource has changed', async ({ machine }) => {
  await machine.startDaemon();
  await machine.ok('install', 'todo');
  const hosts = [];
  for (const which of OFFICIAL_CLIENTS) {
    const host = await machine.official(which);
    await host.subscribe(['todo://items']);
    hosts.push(host);
  }
  await hosts[0]?.call('todo__add_todo_item', { text: 'seen by all' });
  for (const host of hosts) {
    await until('the news of the change', () => host.updated.includes('todo://items'));
    expect(JSON.stringify(await host.read('todo://items'))).toContain('seen by all');
  }
});

// — internal —

/** What a person has after a few installs: mcpd's own two servers, and the reference servers of MCP. */
async function installSix(machine: Machine, weather: NodeJS.ProcessEnv): Promise<void> {
  const notes = machine.home.folder('notes');
  writeFileSync(join(notes, 'a.txt'), 'a note on disk');
  const reference = (name: string, ...args: string[]) => [
    process.execPath,
    join(packageRoot(), 'node_modules/@modelcontextprotocol', `server-${name}`, 'dist/index.js'),
    ...args,
  ];
  const addresses = Object.entries(weather).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  const memoryFile = `MEMORY_FILE_PATH=${join(machine.home.root, 'memory.jsonl')}`;
  await machine.startDaemon();
  await machine.ok('install', 'weather', ...addresses);
  await machine.ok('install', 'todo');
  await machine.ok('add', 'filesystem', '--', ...reference('filesystem', notes));
  await machine.ok('add', 'memory', '--env', memoryFile, '--', ...reference('memory'));
  await machine.ok('add', 'everything', '--', ...reference('everything'));
  await machine.ok('add', 'thinking', '--', ...reference('sequential-thinking'));
  expect(processesOf(machine.home.root).length, 'the daemon and its guardian').toBeLessThanOrEqual(2);
}

async function useTools(host: OfficialHost, machine: Machine): Promise<void> {
  const call = async (name: string, args: Record<string, unknown>) => textOf({ result: await host.call(name, args) });
  const entities = [{ name: `Ada ${host.pid}`, entityType: 'person', observations: ['counts'] }];
  const thought = { thought: 'one', thoughtNumber: 1, totalThoughts: 1, nextThoughtNeeded: false };
  const uses: [tool: string, args: Record<string, unknown>, answer: string][] = [
    ['weather__get_current_weather', { city: 'Turin' }, 'Turin'],
    ['todo__add_todo_item', { text: `for the ${host.era} era` }, `for the ${host.era} era`],
    ['filesystem__read_text_file', { path: join(machine.home.root, 'notes', 'a.txt') }, 'a note on disk'],
    ['memory__create_entities', { entities }, `Ada ${host.pid}`],
    ['everything__echo', { message: 'héllo' }, 'héllo'],
    ['thinking__sequentialthinking', thought, 'thoughtNumber'],
  ];
  const listed = (await host.tools()).map(({ name }) => name);
  for (const [name, args, answer] of uses) {
    expect(listed).toContain(name);
    expect(await call(name, args)).toContain(answer);
  }
  const refused = await host.call('filesystem__read_text_file', { path: '/etc/hostname' });
  expect(refused.isError).toBe(true);
}

async function usePrompts(host: OfficialHost): Promise<void> {
  const listed = (await host.prompts()).map(({ name }) => name);
  expect(listed).toEqual(expect.arrayContaining(['everything__args-prompt', 'todo__plan_my_day']));
  expect(JSON.stringify(await host.prompt('everything__args-prompt', { city: 'Oslo' }))).toContain('Oslo');
  expect((await host.prompt('todo__plan_my_day')).messages?.length).toBeGreaterThan(0);
}

async function useResources(host: OfficialHost): Promise<void> {
  const listed = (await host.resources()).map(({ uri }) => uri);
  const uris = ['todo://items', 'memory://knowledge-graph', 'demo://resource/static/document/features.md'];
  expect(listed).toEqual(expect.arrayContaining(uris));
  for (const uri of uris) expect((await host.read(uri)).contents?.[0]?.text, uri).not.toBe('');
  const templates = (await host.templates()).map(({ uriTemplate }) => uriTemplate);
  expect(templates).toContain('demo://resource/dynamic/text/{resourceId}');
  expect((await host.read('demo://resource/dynamic/text/1')).contents?.[0]?.uri).toBe('demo://resource/dynamic/text/1');
}
