import { mkdirSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect } from 'vitest';
import { type CatalogEntry, inputsOf, loadCatalog } from '../../registry/catalog.ts';
import { catalogPage } from '../catalog/page.ts';
import { keepTrials, readTrials, type Trial, untriedBecause } from '../catalog/tried.ts';
import { run } from '../harness/cli.ts';
import { type Machine, test } from '../harness/machine.ts';

/**
 * The npm entries that start without an account, installed from npm's registry into an empty home, and listed. All of them take a quarter of an
 * hour: a run of the tests takes two, `npm run catalog:check` takes all, or those that MCPD_CATALOG names, and writes docs/catalog.json and
 * docs/catalog.md of it. npm's own cache is used.
 */
const AT_ONCE = 2;
/** Small ones. */
const USUAL = ['everything', 'filesystem'];
/** One install and its trial start on a loaded machine: a limit against hanging. */
const INSTALL_TIMEOUT_MS = 240_000;

const asked = process.env['MCPD_CATALOG'];
const able = loadCatalog().filter((entry) => untriedBecause(entry) === null);
const chosen = asked === 'all' ? able : able.filter(({ name }) => (asked?.split(',') ?? USUAL).includes(name));
const parts = Array.from({ length: Math.ceil(chosen.length / AT_ONCE) }, (_, n) =>
  chosen.slice(n * AT_ONCE, (n + 1) * AT_ONCE),
);

test.for(parts.map((part) => ({ names: part.map(({ name }) => name).join(', '), part })))(
  'the catalog keeps its word for $names',
  { timeout: INSTALL_TIMEOUT_MS * AT_ONCE },
  async ({ part }, { machine }) => {
    Object.assign(machine.home.env, ownNpm());
    await machine.startDaemon();
    const trials = await Promise.all(part.map((entry) => installed(machine, entry)));
    if (asked !== undefined)
      keepTrials(new Map(part.map(({ name }, at) => [name, trials[at] ?? expect.fail(name)])), able);
    expect(trials.filter((trial) => 'fault' in trial || trial.tools === 0)).toEqual([]);
  },
);

afterAll(() => {
  if (asked === undefined) return;
  writeFileSync(new URL('../../docs/catalog.md', import.meta.url), catalogPage(loadCatalog(), readTrials()));
});

async function installed(machine: Machine, entry: CatalogEntry): Promise<Trial> {
  const { name, published } = entry;
  const folders = inputsOf(entry).filter(({ required }) => required);
  const given = folders.flatMap((input) => ['--env', `${input.name}=${machine.home.folder(`${name}-${input.name}`)}`]);
  const command = [
    process.execPath,
    join(machine.package, 'dist', 'mcpd.js'),
    'install',
    name,
    ...given,
    '--yes',
    '--json',
  ];
  const { code, json, stderr } = await run(command, {
    env: machine.home.env,
    cwd: machine.home.userHome,
    timeoutMs: INSTALL_TIMEOUT_MS,
  });
  const version = published.packages[0]?.version ?? '';
  if (code === 0) return { version, tools: json.tools.length };
  const { what = stderr, why = '' } = json?.error ?? {};
  return { version, fault: `${what}: ${why}` };
}

/** The registry, the certificates and the cache that npm has on this machine, which a temporary home hides. */
function ownNpm(): NodeJS.ProcessEnv {
  const cache = join(homedir(), '.npm');
  mkdirSync(cache, { recursive: true });
  const passed = /^(NODE_EXTRA_CA_CERTS|https?_proxy|no_proxy|npm_config_(registry|cafile))$/i;
  return {
    ...Object.fromEntries(Object.entries(process.env).filter(([name]) => passed.test(name))),
    npm_config_userconfig: join(homedir(), '.npmrc'),
    npm_config_cache: cache,
  };
}
