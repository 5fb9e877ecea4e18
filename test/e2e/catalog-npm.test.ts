import { mkdirSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'vitest';
import { type CatalogEntry, inputsOf, loadCatalog } from '../../registry/catalog.ts';
import { run } from '../harness/cli.ts';
import { type Machine, test } from '../harness/machine.ts';

/**
 * The npm entries that start without an account, installed from the real registry into an empty home, and listed. All of them take minutes, so
 * that a run takes the part of its day; `npm run catalog:check` takes all. npm's own cache is used.
 */
const PART = 2;
/** One install and its trial start on a loaded machine: a limit against hanging. */
const INSTALL_TIMEOUT_MS = 240_000;

/** What keeps an entry from starting here although it asks for nothing that is needed. */
const NEEDS_MORE: Record<string, string> = {
  kubernetes: 'a cluster',
  slack: 'one of three tokens',
  xcodebuild: 'macOS',
  elasticsearch: 'an Elasticsearch',
};

const entries = loadCatalog().filter(startsAlone);
const parts = Array.from({ length: Math.ceil(entries.length / PART) }, (_, n) =>
  entries.slice(n * PART, (n + 1) * PART),
);
const day = Math.floor(Date.now() / (24 * 60 * 60 * 1000));
const chosen = process.env['MCPD_CATALOG'] === 'all' ? parts : [parts[day % parts.length] ?? []];

test.for(chosen.map((part) => ({ names: part.map(({ name }) => name).join(', '), part })))(
  'the catalog keeps its word for $names',
  { timeout: INSTALL_TIMEOUT_MS * PART },
  async ({ part }, { machine }) => {
    Object.assign(machine.home.env, ownNpm());
    await machine.startDaemon();
    const ran = await Promise.all(part.map((entry) => installed(machine, entry)));
    expect(ran.filter(({ failure }) => failure !== '')).toEqual([]);
    for (const { name, tools } of ran) expect(tools, name).toBeGreaterThan(0);
  },
);

function startsAlone(entry: CatalogEntry): boolean {
  const [pack] = entry.published.packages;
  if (pack?.kind !== 'npm' || entry.name in NEEDS_MORE) return false;
  return inputsOf(entry).every(({ required, secret, format }) => !required || (!secret && format === 'filepath'));
}

async function installed(
  machine: Machine,
  entry: CatalogEntry,
): Promise<{ name: string; tools: number; failure: string }> {
  const { name } = entry;
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
  if (code !== 0) return { name, tools: 0, failure: `${JSON.stringify(json)}\n${stderr}` };
  return { name, tools: json.tools.length, failure: '' };
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
