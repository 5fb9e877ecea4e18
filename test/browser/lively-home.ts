import { createRequire } from 'node:module';
import { fake } from '../harness/fake.ts';
import type { Host } from '../harness/host.ts';
import type { Machine } from '../harness/machine.ts';
import { type OpenMeteoStandIn, openMeteoStandIn } from '../harness/open-meteo.ts';
import { until } from '../harness/until.ts';
import { test as dashboardTest } from './dashboard.ts';

const resolve = createRequire(import.meta.url).resolve;
const official = (name: string) => resolve(`@modelcontextprotocol/server-${name}/dist/index.js`);
const node = process.execPath;

export interface LivelyHome {
  /** Connected; the names of the hosts. */
  claude: Host;
  editor: Host;
}

/** A test in a home as after some work: servers in every kind of state, two hosts, and calls that went well, slowly and badly. */
export const test = dashboardTest.extend<{ lively: LivelyHome }>({
  lively: async ({ machine }, use) => {
    const weather = await openMeteoStandIn();
    await use(await livelyHome(machine, weather));
    await weather.close();
  },
});

// — internal —

async function livelyHome(machine: Machine, weather: OpenMeteoStandIn): Promise<LivelyHome> {
  await machine.startDaemon();
  await installBundled(machine, weather);
  await machine.declare({
    files: { command: [node, official('filesystem'), machine.home.folder('documents')], start: 'always' },
    memory: { command: [node, official('memory')] },
    tracker: { command: fake('echo', '--name', 'tracker', '--more', '30'), start: 'always' },
    database: { command: fake('exits-at-once'), start: 'always' },
    models: { command: fake('never-answers'), start: 'always' },
    archive: { command: fake('echo', '--name', 'archive'), enabled: false },
  });
  await machine.listed('weather', 'todo', 'files', 'tracker');
  const claude = await machine.connected({ name: 'claude-desktop' });
  const editor = await machine.connected({ name: 'vscode' });
  await work(claude, editor);
  await until('the database to give up or wait', async () =>
    ['backoff', 'failed'].includes((await machine.server('database')).state),
  );
  return { claude, editor };
}

async function installBundled(machine: Machine, { env }: OpenMeteoStandIn): Promise<void> {
  const given = Object.entries(env).flatMap(([name, value]) => ['--env', `${name}=${value}`]);
  await machine.ok('install', 'weather', ...given);
  await machine.ok('install', 'todo');
}

async function work(claude: Host, editor: Host): Promise<void> {
  for (const text of ['Water the plants', 'Answer Ada', 'Read the map of mcpd'])
    await claude.call('todo__add_todo_item', { text });
  for (const city of ['Turin', 'Paris', 'Atlantis']) await claude.call('weather__get_current_weather', { city });
  for (let n = 0; n < 12; n++) await editor.call('tracker__echo', { text: `issue ${n}` });
  await editor.call('tracker__sleep', { ms: 1200 });
  await editor.call('tracker__fail', {});
  await editor.call('tracker__log', { text: 'synchronised 12 issues' });
  await claude.call('files__list_directory', { path: '/nowhere' });
}
