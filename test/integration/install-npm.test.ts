import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { CatalogEntry } from '../../registry/catalog.ts';
import { publishedOf } from '../../registry/server-json.ts';
import { OWN_NODE } from '../../src/own-places.ts';
import { type TemporaryHome, temporaryHome } from '../harness/home.ts';
import { doneOf, failureOf, type Installation, installationIn } from '../harness/installing.ts';
import { type NpmRegistry, startNpmRegistry, type TinyPackage } from '../harness/npm-registry.ts';
import { until } from '../harness/until.ts';

/** A whole server in one file; its first tool is called as its argument says. */
const SERVER = `#!/usr/bin/env node
const { createInterface } = require('node:readline');
const answer = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (method === 'initialize') answer(id, { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'tiny', title: 'A tiny server', version: '1' } });
  if (method === 'tools/list') answer(id, { tools: [{ name: process.argv[2] ?? 'plain', inputSchema: { type: 'object' } }] });
});
`;
const NEEDS_SCRIPT = SERVER.replace(
  'const answer',
  "if (!require('node:fs').existsSync(__dirname + '/built')) { console.error('Error: not built'); process.exit(7); }\nconst answer",
);
const BUILD = { postinstall: `node -e "require('fs').writeFileSync('built', '')"` };

const WRITES = 'touch "$TRACE" "$HOME/trace" trace';

const PACKAGES: TinyPackage[] = [
  {
    manifest: { name: '@acme/tiny', version: '1.0.0', bin: 'cli.js', dependencies: { 'tiny-dep': '^1.0.0' } },
    files: { 'cli.js': SERVER },
  },
  {
    manifest: { name: '@acme/tiny', version: '1.1.0', bin: 'cli.js', description: 'Tiny,\n really' },
    files: { 'cli.js': SERVER },
  },
  {
    manifest: { name: '@acme/tiny', version: '2.0.0-beta.1', bin: 'cli.js' },
    files: { 'cli.js': SERVER },
    tag: 'next',
  },
  { manifest: { name: 'tiny-dep', version: '1.0.0' }, files: { 'index.js': '' } },
  {
    manifest: { name: 'shell-server', version: '1.0.0', bin: 'run', engines: { node: '>=99' } },
    files: { run: '#!/bin/sh\nexec node "$(dirname "$(readlink -f "$0")")/cli.js" from-shell\n', 'cli.js': SERVER },
  },
  {
    manifest: {
      name: 'writes-files',
      version: '1.0.0',
      bin: 'cli.js',
      dependencies: { 'writes-too': '1.0.0' },
      scripts: Object.fromEntries(
        ['preinstall', 'install', 'postinstall', 'prepare', 'prepublish'].map((script) => [script, WRITES]),
      ),
    },
    files: { 'cli.js': SERVER },
  },
  {
    manifest: { name: 'writes-too', version: '1.0.0', scripts: { postinstall: WRITES } },
    files: { 'index.js': '' },
  },
  { manifest: { name: 'library', version: '1.0.0', main: 'index.js' }, files: { 'index.js': '' } },
  {
    manifest: { name: 'several', version: '1.0.0', bin: { serve: 'a.js', admin: 'b.js' } },
    files: { 'a.js': SERVER, 'b.js': '' },
  },
  {
    manifest: { name: 'broken', version: '1.0.0', bin: 'cli.js' },
    files: { 'cli.js': '#!/usr/bin/env node\nconsole.error("line 1\\nno key given");process.exit(3)' },
  },
  {
    manifest: { name: 'needs-scripts', version: '1.0.0', bin: 'cli.js', scripts: BUILD },
    files: { 'cli.js': NEEDS_SCRIPT },
  },
  {
    manifest: {
      name: 'bad-script',
      version: '1.0.0',
      bin: 'cli.js',
      scripts: { postinstall: `node -e "console.error('no compiler'); process.exit(9)"` },
    },
    files: { 'cli.js': SERVER },
  },
  {
    manifest: {
      name: 'slow-script',
      version: '1.0.0',
      bin: 'cli.js',
      scripts: { postinstall: 'echo $$ > "$PID_FILE"; sleep 300' },
    },
    files: { 'cli.js': SERVER },
  },
  {
    manifest: { name: 'lacks-dep', version: '1.0.0', bin: 'cli.js', dependencies: { nonesuch: '1' } },
    files: { 'cli.js': SERVER },
  },
];

const CATALOG: CatalogEntry[] = [
  {
    name: 'tiny',
    aliases: [],
    keywords: [],
    sharing: 'auto',
    published: publishedOf({
      name: 'com.acme/tiny',
      title: 'Tiny',
      description: 'A tiny one',
      version: '1.0.0',
      packages: [
        {
          registryType: 'npm',
          identifier: '@acme/tiny',
          version: '1.0.0',
          transport: { type: 'stdio' },
          environmentVariables: [{ name: 'TOKEN', description: 'a token', isRequired: true, isSecret: true }],
        },
      ],
    }),
  },
];

describe('installing from npm', () => {
  let shared: TemporaryHome;
  let npm: NpmRegistry;
  let home: TemporaryHome;
  let it: Installation;
  beforeAll(async () => {
    shared = await temporaryHome();
    npm = await startNpmRegistry(shared.folder('registry'), PACKAGES);
  });
  afterAll(async () => {
    await npm.close();
    await shared.cleanup();
  });
  beforeEach(async () => {
    home = await temporaryHome();
    // As a user would say it: in his own npmrc.
    writeFileSync(join(home.userHome, '.npmrc'), `registry=${npm.url}\n`);
    it = await installationIn(home, { catalog: CATALOG });
  });
  afterEach(async () => {
    npm.silent = false;
    it.registry.close();
    expect(await home.cleanup()).toEqual([]);
  });

  const nothingIsLeft = () => {
    for (const folder of [it.paths.packages, it.paths.data, it.paths.logs]) {
      expect(existsSync(folder) ? readdirSync(folder) : [], folder).toEqual([]);
    }
    expect(it.registry.allServers()).toEqual([]);
    expect(it.secrets.servers()).toEqual([]);
    expect(it.announced).toEqual([]);
  };

  test('a package comes at its exact version with its integrity, and is started by node without npx', async () => {
    const events = await it.install({ spec: 'npm:@acme/tiny@^1.0.0', args: ['hello'] });
    const done = doneOf(events);
    const definition = it.registry.server('tiny');
    const bin = join(it.paths.packageOf('tiny'), '1.1.0', 'node_modules', '@acme', 'tiny', 'cli.js');
    expect(definition?.launch).toEqual({ kind: 'stdio', command: OWN_NODE, args: [bin, 'hello'], cwd: null, env: {} });
    expect(definition?.source).toMatchObject({
      kind: 'npm',
      ref: 'npm:@acme/tiny@^1.0.0',
      package: { identifier: '@acme/tiny', version: '1.1.0' },
    });
    expect(JSON.stringify(definition?.source)).toMatch(/"integrity":"sha512-/);
    expect(definition?.description).toBe('Tiny, really');
    expect(done.server.counts.tools).toBe(1);
    expect(it.announced).toEqual(['tiny']);
    const steps = events.flatMap((event) => (event.type === 'step' ? [event.step] : []));
    expect([...new Set(steps)]).toEqual(['resolve', 'fetch', 'trial', 'register']);
    expect(readdirSync(it.paths.packageOf('tiny'))).toEqual(['1.1.0']);
    const manifest: unknown = JSON.parse(
      readFileSync(join(it.paths.packageOf('tiny'), '1.1.0', 'package.json'), 'utf8'),
    );
    expect(manifest).toEqual({ private: true, dependencies: { '@acme/tiny': '1.1.0' } });
  });

  test('a tag is resolved, and without one the latest is taken', async () => {
    doneOf(await it.install({ spec: 'npm:@acme/tiny@next', name: 'a' }));
    doneOf(await it.install({ spec: 'npm:@acme/tiny', name: 'b' }));
    const versions = it.registry.allServers().map(({ source }) => source.kind === 'npm' && source.package.version);
    expect(versions).toEqual(['2.0.0-beta.1', '1.1.0']);
  });

  test('a catalog entry is pinned, its secret is in the secrets file only, and without a description the server gives its own', async () => {
    const events = await it.install({ spec: 'tiny', env: { TOKEN: { value: 'hunter2', secret: true } } });
    doneOf(events);
    expect(it.registry.server('tiny')).toMatchObject({
      description: 'A tiny one',
      source: { kind: 'catalog', ref: 'tiny', package: { version: '1.0.0' } },
      launch: { env: { TOKEN: `\${secret:TOKEN}` } },
    });
    expect(it.secrets.get('tiny', 'TOKEN')).toBe('hunter2');
    expect(JSON.stringify(events)).not.toContain('hunter2');
    expect(JSON.stringify(it.installer.exportSet())).not.toContain('hunter2');
    doneOf(await it.install({ spec: 'npm:@acme/tiny@1.0.0', name: 'other' }));
    expect(it.registry.server('other')?.description).toBe('A tiny server');
  });

  test('a program that is no JavaScript is started as it is, and a wish for another node is a warning', async () => {
    const events = await it.install({ spec: 'npm:shell-server' });
    doneOf(events);
    expect(it.registry.server('shell-server')?.launch).toMatchObject({
      command: expect.stringMatching(/node_modules\/shell-server\/run$/),
    });
    expect(events).toContainEqual({
      type: 'warning',
      text: "shell-server@1.0.0 asks for another runtime than this one: { node: '>=99' }",
    });
  });

  test.each([
    ['npm:@acme/nonesuch', 'fetch', 'PACKAGE_UNKNOWN', /127\.0\.0\.1:\d+ does not have it/],
    [
      'npm:@acme/tiny@7',
      'fetch',
      'VERSION_UNKNOWN',
      /its latest are 2\.0\.0-beta\.1, 1\.1\.0, 1\.0\.0 \(latest is 1\.1\.0, next is 2\.0\.0-beta\.1\)/,
    ],
    ['npm:lacks-dep', 'fetch', 'FETCH_FAILED', /depends on nonesuch/],
    ['npm:library', 'fetch', 'PACKAGE_NOT_RUNNABLE', /no "bin"/],
    ['npm:several', 'fetch', 'PACKAGE_NOT_RUNNABLE', /it has serve, admin/],
    ['npm:broken', 'trial', 'SERVER_START_FAILED', /no key given/],
    ['npm:needs-scripts', 'trial', 'PACKAGE_NEEDS_SCRIPTS', /exit code 7/],
    ['tny', 'resolve', 'PACKAGE_UNKNOWN', /did you mean tiny\?/],
    ['tiny', 'resolve', 'INPUT_MISSING', /TOKEN: a token/],
  ])('%s fails at the step %s with %s, and nothing is left', async (spec, step, code, why) => {
    const failed = failureOf(await it.install({ spec }));
    expect(failed).toMatchObject({ step, error: { code } });
    expect(failed.error.why).toMatch(why);
    nothingIsLeft();
  });

  test('a server that exits shows its last lines on stderr', async () => {
    const failed = failureOf(
      await it.install({ spec: 'npm:broken', env: { KEY: { value: 'hunter2', secret: true } } }),
    );
    expect(failed.stderrTail).toEqual(['line 1', 'no key given']);
    nothingIsLeft();
  });

  test('install scripts run only when they are allowed, and one that fails says why', async () => {
    const needs = failureOf(await it.install({ spec: 'npm:needs-scripts' }));
    expect(needs.error.fix).toBe('mcpd install npm:needs-scripts@latest --allow-scripts');
    writeFileSync(
      join(home.userHome, '.npmrc'),
      `registry=${npm.url}\nstrict-allow-scripts=true\nignore-scripts=true\n`,
    );
    doneOf(await it.install({ spec: 'npm:needs-scripts', allowScripts: true }));
    const failed = failureOf(await it.install({ spec: 'npm:bad-script', allowScripts: true }));
    expect(failed).toMatchObject({
      step: 'fetch',
      error: { code: 'FETCH_FAILED', why: 'an install script ended with 9: no compiler' },
    });
  });

  test('no script of a package or of what it needs writes a file, unless that is allowed', async () => {
    const trace = join(home.root, 'trace');
    const own = await installationIn(home, { npmEnv: { TRACE: trace } });
    const traces = () =>
      [trace, join(home.userHome, 'trace')].filter(existsSync).length +
      readdirSync(own.paths.packages, { recursive: true }).filter((path) => String(path).endsWith('trace')).length;
    doneOf(await own.install({ spec: 'npm:writes-files' }));
    expect(traces()).toBe(0);
    doneOf(await own.install({ spec: 'npm:writes-files', name: 'allowed', allowScripts: true }));
    expect(traces()).toBeGreaterThan(0);
    own.registry.close();
  });

  test('an install that is cancelled ends npm and all its children, and leaves nothing', async () => {
    const pidFile = join(home.root, 'pid');
    it.registry.close();
    it = await installationIn(home, { catalog: CATALOG, npmEnv: { PID_FILE: pidFile } });
    const cancel = new AbortController();
    const installing = it.install({ spec: 'npm:slow-script', allowScripts: true }, cancel.signal);
    const pid = Number(
      await until('the script to run', () => existsSync(pidFile) && readFileSync(pidFile, 'utf8').trim()),
    );
    cancel.abort();
    expect(failureOf(await installing)).toMatchObject({ step: 'fetch', error: { code: 'INSTALL_CANCELLED' } });
    expect(() => process.kill(pid, 0)).toThrow('ESRCH');
    nothingIsLeft();
  });

  test('a registry that is not there or does not answer is named', async () => {
    writeFileSync(join(home.userHome, '.npmrc'), 'registry=http://127.0.0.1:9/\n');
    const refused = failureOf(await it.install({ spec: 'npm:@acme/tiny' }));
    expect(refused.error).toMatchObject({
      code: 'FETCH_FAILED',
      why: expect.stringContaining('127.0.0.1:9 could not be reached (ECONNREFUSED)'),
    });
    writeFileSync(join(home.userHome, '.npmrc'), `registry=${npm.url}\nfetch-timeout=500\n`);
    npm.silent = true;
    const silent = failureOf(await it.install({ spec: 'npm:@acme/tiny' }));
    expect(silent.error).toMatchObject({
      code: 'FETCH_FAILED',
      why: expect.stringMatching(/127\.0\.0\.1:\d+ could not be reached/),
    });
    nothingIsLeft();
  });

  test('what a surrounding npx set for npm does not reach the install', async () => {
    it.registry.close();
    const npmEnv = {
      npm_config_global: 'true',
      npm_config_prefix: '/nowhere',
      npm_config_dry_run: 'true',
      npm_package_name: 'x',
      NODE_OPTIONS: '--require /none.js',
    };
    it = await installationIn(home, { catalog: CATALOG, npmEnv });
    doneOf(await it.install({ spec: 'npm:@acme/tiny' }));
  });

  test('what a killed install left is replaced and removed', async () => {
    const left = join(it.paths.packageOf('tiny'), '1.1.0', 'half');
    mkdirSync(left, { recursive: true });
    mkdirSync(join(it.paths.packageOf('other'), '.fetching-abc'), { recursive: true });
    doneOf(await it.install({ spec: 'npm:@acme/tiny' }));
    expect(existsSync(left)).toBe(false);
    expect(existsSync(it.paths.packageOf('other'))).toBe(false);
  });

  test('a file may declare packages, and a changed version takes the place of the old one', async () => {
    const path = join(home.root, 'mcpd.json');
    const apply = (version: string) =>
      it.installer.apply({
        path,
        text: JSON.stringify({
          mcpServers: { mine: { install: `npm:@acme/tiny@${version}`, args: ['x'], env: { API_TOKEN: 'hunter2' } } },
        }),
      });
    expect(await apply('1.0.0')).toMatchObject({ added: ['mine'], failed: [] });
    expect(await apply('1.0.0')).toMatchObject({ added: [], changed: [], unchanged: ['mine'] });
    expect(await apply('7')).toMatchObject({
      changed: [],
      failed: [{ name: 'mine', error: { code: 'VERSION_UNKNOWN' } }],
    });
    expect(it.registry.server('mine')?.source).toMatchObject({
      kind: 'file',
      ref: path,
      package: { version: '1.0.0' },
    });
    expect(await apply('1.1.0')).toMatchObject({ changed: ['mine'], failed: [] });
    const definition = it.registry.server('mine');
    const launch = definition?.launch;
    expect(existsSync(launch?.kind === 'stdio' ? (launch.args[0] ?? '') : '')).toBe(true);
    expect(launch).toMatchObject({ env: { API_TOKEN: `\${secret:API_TOKEN}` } });
    expect(it.installer.exportSet().mcpServers['mine']).toEqual({
      install: 'npm:@acme/tiny@1.1.0',
      args: ['x'],
      env: { API_TOKEN: `\${secret:API_TOKEN}` },
    });
    expect(await it.installer.apply({ path, text: '{"mcpServers":{}}' })).toMatchObject({ removed: ['mine'] });
    expect(existsSync(it.paths.packageOf('mine'))).toBe(false);
    expect(it.secrets.servers()).toEqual([]);
  });
});
