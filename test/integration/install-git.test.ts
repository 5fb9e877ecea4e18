import { existsSync, mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { UpdateEvent } from '../../src/api/contract/updates.ts';
import { OWN_NODE } from '../../src/own-places.ts';
import { type FakeTools, fakeTools } from '../harness/fake-tools.ts';
import { type GitRepository, gitRepository } from '../harness/git-repository.ts';
import { type TemporaryHome, temporaryHome } from '../harness/home.ts';
import { doneOf, failureOf, type Installation, installationIn } from '../harness/installing.ts';
import { type NpmRegistry, startNpmRegistry } from '../harness/npm-registry.ts';

/** Its only tool is called as its argument says. */
const SERVER = `#!/usr/bin/env node
const { createInterface } = require('node:readline');
const answer = (id, result) => process.stdout.write(JSON.stringify({ jsonrpc: '2.0', id, result }) + '\\n');
createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method } = JSON.parse(line);
  if (method === 'initialize') answer(id, { protocolVersion: '2025-11-25', capabilities: { tools: {} }, serverInfo: { name: 'tiny', version: '1' } });
  if (method === 'tools/list') answer(id, { tools: [{ name: process.argv[2] ?? 'plain', inputSchema: { type: 'object' } }] });
});
`;
const manifest = (more: object = {}) =>
  JSON.stringify({ name: '@acme/any', bin: 'cli.js', description: 'Any', ...more });

let home: TemporaryHome;
let npm: NpmRegistry;
let tools: FakeTools;
let it: Installation;
/** Made by whatever runs that must not. */
let trace: string;
let count = 0;

beforeAll(async () => {
  home = await temporaryHome();
  npm = await startNpmRegistry(home.folder('registry'), [
    {
      manifest: { name: 'tiny-dep', version: '1.0.0', scripts: { postinstall: 'touch "$TRACE"' } },
      files: { 'index.js': "module.exports = 'from-dep';" },
    },
  ]);
  tools = fakeTools(home.folder('programs'), ['uv']);
  trace = join(home.root, 'trace');
  it = await installationIn(home, {
    programs: tools.folder,
    npmEnv: { npm_config_registry: npm.url, TRACE: trace },
  });
});
beforeEach(() => {
  count += 1;
});
afterAll(async () => {
  it.registry.close();
  await npm.close();
  expect(await home.cleanup()).toEqual([]);
});

const nameNow = () => `server-${count}`;
const repository = (): GitRepository => gitRepository(join(home.folder('repositories'), nameNow()));
const serving = (): { from: GitRepository; commit: string } => {
  const from = repository();
  return { from, commit: from.commit({ 'package.json': manifest(), 'cli.js': SERVER }) };
};
const install = (spec: string, more: { args?: string[]; allowScripts?: boolean } = {}) => it.install({ spec, ...more });
const launched = () => {
  const launch = it.registry.server(nameNow())?.launch;
  return launch?.kind === 'stdio' ? launch : expect.fail('it is not there');
};
const nothingIsLeft = () => {
  expect(it.registry.server(nameNow())).toBeNull();
  expect(existsSync(it.paths.packageOf(nameNow()))).toBe(false);
  expect(existsSync(trace)).toBe(false);
};

describe('a repository', () => {
  test('is pinned at a commit and started from its own files, without what git keeps', async () => {
    const { from, commit } = serving();
    const { server } = doneOf(await install(`git+${from.url}`, { args: ['hello'] }));
    expect(server.source).toEqual({
      ...{ kind: 'git', ref: `git:${from.url}` },
      package: { kind: 'git', identifier: from.url, version: commit, integrity: `sha1:${commit}` },
    });
    const root = join(it.paths.packageOf(nameNow()), commit.slice(0, 12), 'repository');
    expect(launched()).toMatchObject({ command: OWN_NODE, args: [join(root, 'cli.js'), 'hello'], cwd: null });
    expect(readdirSync(root).sort()).toEqual(['cli.js', 'package.json']);
    expect(server.description).toBe('Any');
    expect(it.installer.exportSet().mcpServers[nameNow()]).toMatchObject({ install: `git:${from.url}#${commit}` });
  });

  test('is taken at the branch, the tag or the commit that is named, and what names none is told', async () => {
    const { from, commit } = serving();
    from.git('tag', '-a', '-m', 'first', 'v1');
    const second = from.commit({ 'cli.js': `${SERVER}// 2\n` });
    from.git('branch', 'next/two');
    from.commit({ 'cli.js': `${SERVER}// 3\n` });
    for (const [ref, expected] of [
      ['v1', commit],
      ['next/two', second],
    ]) {
      const plan = await it.installer.plan({ spec: `${from.url}#${ref}` }, { exact: true });
      expect(plan).toMatchObject({ fetch: `git:${from.url}#${expected}`, versionIs: 'exact' });
    }
    const { server } = doneOf(await install(`${from.url}#${commit.slice(0, 9)}`));
    expect(server.source).toMatchObject({ package: { version: commit } });
    expect(await it.installer.plan({ spec: `${from.url}#v1`, name: 'other' })).toMatchObject({ versionIs: 'floating' });
    from.git('branch', '20250101', commit);
    const dated = doneOf(await it.install({ spec: `${from.url}#20250101`, name: 'dated' })).server;
    expect(dated.source).toMatchObject({ package: { version: commit, asked: { reference: '20250101' } } });
    for (const ref of ['v9', '0123456789'])
      expect(failureOf(await it.install({ spec: `${from.url}#${ref}`, name: 'unknown' })).error).toMatchObject({
        code: 'VERSION_UNKNOWN',
        fix: `git ls-remote ${from.url}`,
      });
    expect(existsSync(it.paths.packageOf('unknown'))).toBe(false);
  });

  test('comes with what it depends on, whose scripts do not run, and is not told its settings of npm', async () => {
    const from = repository();
    from.commit({
      'package.json': manifest({ dependencies: { 'tiny-dep': '^1.0.0' }, scripts: { postinstall: 'touch "$TRACE"' } }),
      'cli.js': `require('tiny-dep');\n${SERVER.split('\n').slice(1).join('\n')}`,
      '.npmrc': 'registry=http://127.0.0.1:9/$' + '{TRACE}\nignore-scripts=false\n',
    });
    const events = await install(from.url);
    doneOf(events);
    expect(events).toContainEqual({ type: 'warning', text: `git:${from.url}: its .npmrc is not used` });
    expect(existsSync(trace)).toBe(false);
  });

  test('with a dependency from git runs no program that the .npmrc of the dependency names', async () => {
    const inner = gitRepository(join(home.folder('repositories'), 'inner'));
    inner.commit({ 'package.json': JSON.stringify({ name: 'inner', version: '1.0.0' }) });
    const hostile = gitRepository(join(home.folder('repositories'), 'hostile'));
    hostile.commit({
      'package.json': JSON.stringify({
        ...{ name: 'hostile', version: '1.0.0', scripts: { prepare: 'touch "$TRACE"' } },
        dependencies: { inner: `git+${inner.url}` },
      }),
      evil: '#!/bin/sh\ntouch "$TRACE"\nexec git "$@"\n',
      '.npmrc': 'git=./evil\nignore-scripts=false\n',
    });
    const from = repository();
    const dependencies = { hostile: `git+${hostile.url}` };
    from.commit({ 'package.json': manifest({ dependencies }), 'cli.js': SERVER });
    doneOf(await install(from.url));
    expect(existsSync(trace)).toBe(false);
  });

  test('that must be built is refused until scripts are allowed, and is built then', async () => {
    const from = repository();
    const build = `node -e "require('fs').cpSync('source.js', 'dist/cli.js')"`;
    from.commit({ 'package.json': manifest({ bin: 'dist/cli.js', scripts: { build } }), 'source.js': SERVER });
    const { error } = failureOf(await install(from.url));
    expect(error).toMatchObject({ code: 'PACKAGE_NEEDS_SCRIPTS', why: expect.stringContaining('"build"') });
    nothingIsLeft();
    doneOf(await install(from.url, { allowScripts: true }));
    expect(launched().args[0]).toMatch(/repository\/dist\/cli\.js$/);
  });

  test('of Python is built into an environment of its own, when scripts are allowed', async () => {
    const from = repository();
    from.commit({ 'pyproject.toml': '[build-system]\nname = "no"\n[project]\nname = "acme-time"\n' });
    expect(failureOf(await install(from.url)).error.code).toBe('PACKAGE_NEEDS_SCRIPTS');
    nothingIsLeft();
    doneOf(await install(from.url, { allowScripts: true }));
    const [root] = readdirSync(it.paths.packageOf(nameNow()));
    const folder = join(it.paths.packageOf(nameNow()), root ?? '');
    expect(launched().command).toBe(join(folder, 'bin', 'acme-time'));
    expect(tools.calls()[0]?.argv).toEqual(['tool', 'install', join(folder, 'repository')]);
    expect(readdirSync(folder).sort()).toEqual(['bin', 'repository']);
  });

  test('that must be built is not built because a file says so, but by hand, and the file is content with that', async () => {
    const from = repository();
    const commit = from.commit({ 'pyproject.toml': '[project]\nname = "acme-time"\n' });
    const spec = `git:${from.url}#${commit}`;
    const text = JSON.stringify({ mcpServers: { [nameNow()]: { install: spec } } });
    const apply = () => it.installer.apply({ path: join(home.root, 'mcpd.json'), text });
    const fix = expect.stringContaining(`mcpd install ${spec} --name ${nameNow()} --allow-scripts`);
    const error = { code: 'PACKAGE_NEEDS_SCRIPTS', why: expect.stringContaining('Python'), fix };
    expect(await apply()).toMatchObject({ failed: [{ name: nameNow(), error }] });
    doneOf(await it.install({ spec, name: nameNow(), allowScripts: true }));
    expect(await apply()).toMatchObject({ failed: [], unchanged: [nameNow()], changed: [] });
  });

  test('without a program, without a commit, or not there at all is told apart', async () => {
    const from = repository();
    expect(failureOf(await install(from.url)).error.why).toContain('has no commit');
    from.commit({ 'README.md': 'A server in Rust' });
    expect(failureOf(await install(from.url)).error).toMatchObject({
      code: 'PACKAGE_NOT_RUNNABLE',
      why: expect.stringContaining('neither a package.json nor a pyproject.toml'),
    });
    const nowhere = `${from.url}-nowhere`;
    expect(failureOf(await install(nowhere)).error.code).toBe('PACKAGE_UNKNOWN');
    nothingIsLeft();
  });

  test('without git on this machine is told with what installs it', async () => {
    const { from } = serving();
    const empty = await installationIn(home, { npmEnv: { PATH: home.folder('empty') } });
    const { error } = failureOf(await empty.install({ spec: from.url }));
    empty.registry.close();
    expect(error).toMatchObject({ code: 'COMMAND_NOT_FOUND', what: expect.stringContaining('needs git') });
    expect(error.fix).toContain('install');
  });
});

test('a new commit is outdated, shown, had by update and given back by rollback; a tag stays', async () => {
  const { from, commit } = serving();
  from.git('tag', '20250101');
  doneOf(await install(from.url, { args: ['--root', '/srv'] }));
  const signal = new AbortController().signal;
  const state = async () => (await it.installer.outdated()).find(({ server }) => server === nameNow());
  expect(await state()).toMatchObject({ kind: 'git', installed: commit, available: commit, isOutdated: false });
  const second = from.commit({ 'cli.js': `${SERVER}// 2\n` });
  expect(await state()).toMatchObject({ available: second, isOutdated: true });
  const offer = async (to?: string) => {
    const events: UpdateEvent[] = [];
    const request = to === undefined ? {} : { to };
    await it.installer.offerUpdate(nameNow(), request, (event) => events.push(event), signal);
    const last = events.at(-1);
    return last?.type === 'offer' ? last.offer : expect.fail(JSON.stringify(events));
  };
  await it.installer.update(nameNow(), (await offer()).agreement);
  expect(launched().args).toEqual([expect.stringContaining(`/${second.slice(0, 12)}/repository/`), '--root', '/srv']);
  await it.installer.rollback(nameNow());
  expect(launched().args[0]).toContain(`/${commit.slice(0, 12)}`);
  await it.installer.update(nameNow(), (await offer()).agreement);
  await it.installer.update(nameNow(), (await offer('20250101')).agreement);
  expect(await state()).toMatchObject({ installed: commit, available: commit, isOutdated: false });
  await it.installer.uninstall(nameNow(), { purge: true });
  nothingIsLeft();
});

describe('a hostile repository', () => {
  /** What a person has set for himself must run for no stranger's repository, and no attribute can make it. */
  test('runs neither hooks nor filters, nor what a person has set for git', async () => {
    const touch = `touch ${trace}`;
    const hooks = home.folder('hooks');
    for (const hook of ['post-checkout', 'post-merge', 'reference-transaction'])
      writeFileSync(join(hooks, hook), `#!/bin/sh\n${touch}\n`, { mode: 0o755 });
    mkdirSync(join(home.userHome, '.config', 'git'), { recursive: true });
    writeFileSync(join(home.userHome, '.config', 'git', 'attributes'), '* filter=evil\n');
    writeFileSync(
      join(home.userHome, '.gitconfig'),
      `[core]\n\thooksPath = ${hooks}\n\tfsmonitor = "${touch}"\n[filter "evil"]\n\tsmudge = "${touch}; cat"\n\trequired = true\n[init]\n\ttemplateDir = ${hooks}\n[credential]\n\thelper = "!${touch}"\n`,
    );
    const { from } = serving();
    from.commit({ '.gitattributes': '* filter=evil text eol=crlf\n' });
    writeFileSync(join(from.folder, '.git', 'hooks', 'post-checkout'), `#!/bin/sh\n${touch}\n`, { mode: 0o755 });
    doneOf(await install(from.url));
    expect(existsSync(trace)).toBe(false);
  });

  test('fetches no submodule, and says so', async () => {
    const { from, commit } = serving();
    const url = `--upload-pack=touch ${trace}`;
    from.commit({ '.gitmodules': `[submodule "x"]\n\tpath = x\n\turl = "${url}"\n\tupdate = "!touch ${trace}"\n` });
    from.git('update-index', '--add', '--cacheinfo', `160000,${commit},x`);
    from.git('commit', '--quiet', '-m', 'x');
    const events = await install(from.url);
    doneOf(events);
    expect(JSON.stringify(events)).toContain('its 1 submodules are not fetched');
    expect(existsSync(trace)).toBe(false);
  });

  test('with a link that leads out, or nowhere, is refused', async () => {
    for (const link of ['/etc/passwd', '../../../..', '../../later', 'node_modules']) {
      const from = gitRepository(join(home.folder('repositories'), `links-${link.length}`, nameNow()));
      from.commit({ 'package.json': manifest(), 'cli.js': SERVER, node_modules: { link } });
      const { error } = failureOf(await install(from.url));
      expect(error, link).toMatchObject({ code: 'PACKAGE_UNSAFE', why: expect.stringContaining('leads out') });
      nothingIsLeft();
    }
  });

  test('with a link to nothing that leads out by way of another link is refused', async () => {
    const { from } = serving();
    from.commit({ 'p/d': { link: '..' }, 'p/a': { link: 'd/../later' } });
    const { error } = failureOf(await install(from.url));
    expect(error).toMatchObject({ code: 'PACKAGE_UNSAFE', why: expect.stringContaining('"p/a" leads out') });
    nothingIsLeft();
  });

  test('with a link that stays inside is installed', async () => {
    const { from } = serving();
    from.commit({ 'cli.js': null, 'lib/main.js': SERVER });
    from.commit({ 'cli.js': { link: 'lib/main.js' }, 'lib/later': { link: '../dist/later.js' } });
    doneOf(await install(from.url));
  });

  test('with a file in what git keeps, or above, is refused', async () => {
    for (const folder of ['.git', '..', 'git~1']) {
      const from = gitRepository(join(home.folder('repositories'), `trees-${folder.length}`, nameNow()));
      const blob = from.feed(`#!/bin/sh\ntouch ${trace}\n`, 'hash-object', '-w', '--stdin');
      const inner = tree(from, [['100755', 'post-checkout', blob]]);
      const outer = tree(from, [['40000', folder, inner]]);
      from.git('update-ref', 'refs/heads/main', from.git('commit-tree', '-m', 'x', outer));
      const { error } = failureOf(await install(from.url));
      expect(error, folder).toMatchObject({ code: 'FETCH_FAILED', why: expect.stringContaining('invalid path') });
      nothingIsLeft();
    }
  });

  test('that unfolds to more files than a disk has is stopped before one is written', async () => {
    const from = repository();
    let object = from.feed('x', 'hash-object', '-w', '--stdin');
    for (let level = 0; level < 10; level += 1) {
      const mode = level === 0 ? '100644' : '40000';
      object = tree(
        from,
        [...'0123456789'].map((name) => [mode, name, object] as const),
      );
    }
    from.git('update-ref', 'refs/heads/main', from.git('commit-tree', '-m', 'x', object));
    const { error } = failureOf(await install(from.url));
    expect(error).toMatchObject({ code: 'PACKAGE_UNSAFE', what: expect.stringContaining('too large') });
    nothingIsLeft();
  });

  test('names no program outside itself', async () => {
    const from = repository();
    from.commit({ 'package.json': manifest({ bin: '../../../../../../../bin/sh' }) });
    expect(failureOf(await install(from.url)).error.code).toBe('PACKAGE_NOT_RUNNABLE');
    nothingIsLeft();
  });
});

// — internal —

/** Written as it is: git's own commands make no tree with such names. */
function tree(
  from: GitRepository,
  entries: readonly (readonly [mode: string, name: string, object: string])[],
): string {
  const parts = entries.map(([mode, name, object]) =>
    Buffer.concat([Buffer.from(`${mode} ${name}\0`), Buffer.from(object, 'hex')]),
  );
  return from.feed(Buffer.concat(parts), 'hash-object', '-t', 'tree', '-w', '--literally', '--stdin');
}
