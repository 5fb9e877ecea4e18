import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { loadCatalog } from '../../registry/catalog.ts';
import type { InstallEvent } from '../../src/api/contract.ts';
import { OWN_NODE } from '../../src/own-places.ts';
import { type TemporaryHome, temporaryHome } from '../harness/home.ts';
import { doneOf, failureOf, type Installation, installationIn } from '../harness/installing.ts';

const servers = fileURLToPath(new URL('../servers', import.meta.url));
const echo = join(servers, 'echo.mjs');
const node = process.execPath;

describe('adding and removing servers', () => {
  let home: TemporaryHome;
  let it: Installation;
  beforeEach(async () => {
    home = await temporaryHome();
    it = await installationIn(home);
  });
  afterEach(async () => {
    it.registry.close();
    expect(await home.cleanup()).toEqual([]);
  });

  const warningsOf = (events: InstallEvent[]) =>
    events.flatMap((event) => (event.type === 'warning' ? [event.text] : []));
  const namesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder) : []);

  test('a command is tried, registered with its lists, and told of', async () => {
    const odd = ['a b', '', '$HOME', ';touch x', '*', `'"`, 'two\nlines', 'é'];
    const events = await it.add({
      name: 'echo',
      command: 'node',
      args: [echo, ...odd],
      cwd: servers,
      env: { KEY: { value: 'hunter2', secret: true } },
    });
    expect(doneOf(events).server.counts.tools).toBeGreaterThan(5);
    const definition = it.registry.server('echo');
    expect(definition?.launch).toEqual({
      kind: 'stdio',
      command: 'node',
      args: [echo, ...odd],
      cwd: servers,
      env: { KEY: `\${secret:KEY}` },
    });
    expect(definition?.source.kind).toBe('command');
    expect(it.secrets.get('echo', 'KEY')).toBe('hunter2');
    expect(it.registry.memoryOf('echo', definition?.fingerprint ?? '')?.lists).toHaveLength(1);
    expect(it.announced).toEqual(['echo']);
    expect(JSON.stringify(events)).not.toContain('hunter2');
  });

  test('a relative command becomes absolute from the caller’s folder, also with a space in its path', async () => {
    const folder = home.folder('my servers');
    const run = join(folder, 'run it');
    writeFileSync(run, `#!/bin/sh\nexec "${node}" "${echo}"\n`, { mode: 0o755 });
    doneOf(await it.add({ name: 'relative', command: './run it', cwd: folder }));
    expect(it.registry.server('relative')?.launch).toMatchObject({ command: run });
  });

  test('a command that is not there, is a folder or cannot be run is refused with the way out', async () => {
    const plain = join(home.root, 'plain');
    writeFileSync(plain, 'x');
    chmodSync(plain, 0o644);
    const errorOf = async (command: string) => failureOf(await it.add({ name: 'x', command })).error;
    expect(await errorOf('no-such-command-here')).toMatchObject({
      code: 'COMMAND_NOT_FOUND',
      why: expect.stringContaining('looked in'),
    });
    expect(await errorOf('/no/such/file')).toMatchObject({ code: 'COMMAND_NOT_FOUND' });
    expect(await errorOf(home.root)).toMatchObject({ code: 'COMMAND_NOT_EXECUTABLE', why: 'it is a folder' });
    expect(await errorOf(plain)).toMatchObject({ code: 'COMMAND_NOT_EXECUTABLE', fix: `chmod +x ${plain}` });
    expect(it.registry.allServers()).toEqual([]);
  });

  test('without a trial even a command that is not there is registered, with a warning', async () => {
    const events = await it.add({
      name: 'later',
      command: 'no-such-command-here',
      trial: false,
      env: { T: { value: 's', secret: true } },
    });
    doneOf(events);
    expect(warningsOf(events)).toEqual([expect.stringContaining('there is no command no-such-command-here')]);
    expect(it.registry.server('later')).not.toBeNull();
    expect(it.secrets.get('later', 'T')).toBe('s');
    expect(namesIn(it.paths.data)).toEqual([]);
  });

  test('a declared command that is not there is registered, with a warning that names it', async () => {
    const text = JSON.stringify({ mcpServers: { later: { command: 'no-such-command-here' }, now: { command: node } } });
    const result = await it.installer.apply({ path: join(home.root, 'mcpd.json'), text });
    expect(result).toMatchObject({ added: expect.arrayContaining(['later', 'now']), failed: [] });
    expect(result.warnings).toEqual([
      expect.stringMatching(/^later: there is no command no-such-command-here: looked in/),
    ]);
  });

  test('a server that exits at once fails with its last words, and nothing is left', async () => {
    const failed = failureOf(
      await it.add({
        name: 'gone',
        command: node,
        args: ['-e', 'console.error("bad key"); process.exit(4)'],
        env: { K: { value: 'v', secret: true } },
      }),
    );
    expect(failed).toMatchObject({
      step: 'trial',
      stderrTail: ['bad key'],
      error: { code: 'SERVER_START_FAILED', why: 'exit code 4; it said on stderr: bad key' },
    });
    expect(failed.error.fix).toContain('--no-trial');
    expect([namesIn(it.paths.data), namesIn(it.paths.logs), it.secrets.servers(), it.registry.allServers()]).toEqual([
      [],
      [],
      [],
      [],
    ]);
  });

  test('what the way out says keeps the names of variables, and no value', async () => {
    const env = { K: { value: 'sekret', secret: true } };
    const { error } = failureOf(await it.add({ name: 'gone', command: node, args: ['-e', 'process.exit(4)'], env }));
    expect(error.fix).toContain('mcpd add gone --no-trial --env K -- ');
    expect(JSON.stringify(error)).not.toContain('sekret');
    expect(failureOf(await it.add({ name: 'x', command: 'node /x/y.js' })).error.fix).toContain('words of their own');
  });

  test('secrets that a killed install left are not those of the next server of that name', async () => {
    await it.secrets.set('again', new Map([['OLD', 'old']]));
    const env = { T: { value: 's', secret: true } };
    doneOf(await it.add({ name: 'again', command: 'no-such-command-here', trial: false, env }));
    expect(it.secrets.names('again')).toEqual(['T']);
  });

  test('a data folder and a log that were there before a failed install stay', async () => {
    mkdirSync(it.paths.dataOf('gone'), { recursive: true });
    mkdirSync(it.paths.logs);
    writeFileSync(it.paths.logOf('gone'), 'old\n');
    failureOf(await it.add({ name: 'gone', command: node, args: ['-e', 'process.exit(4)'] }));
    expect(existsSync(it.paths.dataOf('gone'))).toBe(true);
    expect(existsSync(it.paths.logOf('gone'))).toBe(true);
  });

  test('a name that breaks the rules is slugged and shown, one that is taken is refused with a free one', async () => {
    const events = await it.add({ name: 'My Echo', command: node, args: [echo], trial: false });
    expect(warningsOf(events)).toEqual(['"My Echo" is called my-echo here: names are a-z, 0-9, - and _']);
    const taken = failureOf(await it.add({ name: 'my-echo', command: node, args: [echo] }));
    expect(taken.error).toMatchObject({ code: 'NAME_TAKEN', fix: expect.stringContaining('--name my-echo-2') });
    expect(failureOf(await it.add({ name: 'mcpd', command: node })).error.code).toBe('NAME_INVALID');
    expect(failureOf(await it.add({ name: 'x', command: node, args: ['a\0b'] })).error.code).toBe('INPUT_INVALID');
    expect(
      failureOf(await it.add({ name: 'x', command: node, env: { 'A-B': { value: '', secret: false } } })).error.code,
    ).toBe('INPUT_INVALID');
    expect(failureOf(await it.add({ name: 'x', command: node, cwd: 'relative' })).error.code).toBe('REQUEST_INVALID');
  });

  test('twenty at once are all there, and of two with one name exactly one', async () => {
    const each = Array.from({ length: 20 }, (_, index) =>
      it.add({ name: `m${index}`, command: node, args: [echo], env: { N: { value: `${index}`, secret: true } } }),
    );
    for (const events of await Promise.all(each)) doneOf(events);
    expect(it.registry.allServers()).toHaveLength(20);
    expect(it.secrets.servers()).toHaveLength(20);
    const twins = await Promise.all([1, 2].map(() => it.add({ name: 'twin', command: node, args: [echo] })));
    const ends = twins.map((events) => events.at(-1)?.type).sort();
    expect(ends).toEqual(['done', 'failed']);
    expect(twins.flat().find((event) => event.type === 'failed')).toMatchObject({ error: { code: 'NAME_TAKEN' } });
    expect(it.announced).toHaveLength(21);
  });

  test('an uninstalled server keeps its data, a purged one does not', async () => {
    for (const purge of [false, true]) {
      doneOf(await it.add({ name: 'echo', command: node, args: [echo], env: { K: { value: 'v', secret: true } } }));
      writeFileSync(join(it.paths.dataOf('echo'), 'notes'), 'mine');
      await it.installer.uninstall('echo', { purge });
      expect(it.registry.server('echo')).toBeNull();
      expect(it.secrets.servers()).toEqual([]);
      expect(existsSync(join(it.paths.dataOf('echo'), 'notes'))).toBe(!purge);
      expect(existsSync(it.paths.logOf('echo'))).toBe(!purge);
    }
    expect(it.withdrawn).toEqual(['echo', 'echo']);
    doneOf(await it.add({ name: 'echo', command: node, args: [echo] }));
    await expect(it.installer.uninstall('ecoh', { purge: false })).rejects.toMatchObject({
      code: 'SERVER_UNKNOWN',
      parts: { why: 'did you mean echo?' },
    });
  });

  test('a development folder is started by its package.json, or by the command after --', async () => {
    const folder = home.folder('My Server');
    const manifest = (content: object) => writeFileSync(join(folder, 'package.json'), JSON.stringify(content));
    expect(failureOf(await it.install({ spec: folder })).error).toMatchObject({
      code: 'PACKAGE_NOT_RUNNABLE',
      why: 'it has no package.json',
    });
    doneOf(await it.install({ spec: folder, name: 'by-command', args: ['node', echo] }));
    expect(it.registry.server('by-command')?.launch).toMatchObject({ command: 'node', args: [echo], cwd: folder });
    manifest({ name: '@acme/dev', description: 'In the making', main: 'dist/index' });
    expect(failureOf(await it.install({ spec: folder })).error.why).toContain('names dist/index, which is not there');
    mkdirSync(join(folder, 'dist'));
    writeFileSync(join(folder, 'dist', 'index.js'), `import(${JSON.stringify(echo)});`);
    doneOf(await it.install({ spec: folder, args: ['--name', 'dev'] }));
    expect(it.registry.server('dev')).toMatchObject({
      description: 'In the making',
      source: { kind: 'folder', ref: folder },
      launch: { command: OWN_NODE, args: [join(folder, 'dist', 'index.js'), '--name', 'dev'], cwd: folder },
    });
    writeFileSync(join(folder, 'package.json'), '{"name": "x"');
    expect(failureOf(await it.install({ spec: folder, name: 'y' })).error.code).toBe('CONFIG_INVALID');
    expect(failureOf(await it.install({ spec: join(folder, 'none') })).error).toMatchObject({
      code: 'FOLDER_UNKNOWN',
      why: 'it does not exist',
    });
    expect(failureOf(await it.install({ spec: join(folder, 'package.json') })).error.code).toBe('FOLDER_UNKNOWN');
  });

  test('a plan shows the exact command line and what is still needed, and does nothing', async () => {
    const plan = await it.installer.plan({ spec: 'gitlab' });
    expect(plan).toMatchObject({
      name: 'gitlab',
      fetch: expect.stringMatching(/^npm:@zereight\/mcp-gitlab@\d/),
      inputs: expect.arrayContaining([
        expect.objectContaining({ name: 'GITLAB_PERSONAL_ACCESS_TOKEN', required: true, secret: true }),
      ]),
    });
    expect(plan.commandLine).toContain('GITLAB_PERSONAL_ACCESS_TOKEN=<GITLAB_PERSONAL_ACCESS_TOKEN>');
    await expect(it.installer.plan({ spec: 'githb' })).rejects.toMatchObject({
      code: 'PACKAGE_UNKNOWN',
      parts: { why: 'did you mean github, git or gitlab?' },
    });
    doneOf(await it.add({ name: 'gitlab', command: node, args: [echo], trial: false }));
    await expect(it.installer.plan({ spec: 'gitlab' })).rejects.toMatchObject({ code: 'NAME_TAKEN' });
  });

  test('who shares a server is part of its entry, in an export too', async () => {
    doneOf(await it.add({ name: 'own', command: node, args: [echo], sharing: 'per-session' }));
    doneOf(await it.add({ name: 'all', command: node, args: [echo] }));
    expect(it.registry.allServers().map(({ sharing }) => sharing)).toEqual(['auto', 'per-session']);
    expect(it.registry.patch('all', { sharing: 'shared' }).sharing).toBe('shared');
    const { mcpServers } = it.installer.exportSet();
    expect([mcpServers['own']?.sharing, mcpServers['all']?.sharing]).toEqual(['per-session', 'shared']);
    it.registry.patch('own', { sharing: 'auto' });
    expect(it.installer.exportSet().mcpServers['own']).not.toHaveProperty('sharing');
  });

  test('an export tells of a pinned entry only what differs from it', async () => {
    const catalog = loadCatalog().map((entry) =>
      entry.name === 'todo' ? { ...entry, sharing: 'shared' as const } : entry,
    );
    const pinned = await temporaryHome();
    try {
      const { installer, registry } = await installationIn(pinned, { catalog });
      const text = (sharing?: string) => JSON.stringify({ mcpServers: { todo: { install: 'todo', sharing } } });
      const apply = (sharing?: string) => installer.apply({ path: join(pinned.root, 'x.json'), text: text(sharing) });
      expect(await apply()).toMatchObject({ added: ['todo'] });
      expect(registry.server('todo')?.sharing).toBe('shared');
      expect(installer.exportSet().mcpServers['todo']).not.toHaveProperty('sharing');
      expect(await apply('auto')).toMatchObject({ changed: ['todo'] });
      expect(installer.exportSet().mcpServers['todo']).toMatchObject({ install: 'todo', sharing: 'auto' });
      registry.close();
    } finally {
      await pinned.cleanup();
    }
  });

  test('a declared file is applied entry by entry, belongs to its file, and comes back out of an export', async () => {
    const path = join(home.root, 'mcpd.json');
    const apply = (mcpServers: object, dryRun = false) =>
      it.installer.apply({ path, text: JSON.stringify({ mcpServers }), dryRun });
    const one = {
      command: 'node',
      args: [echo],
      env: { CITY: 'Oslo', NODE_OPTIONS: '--no-warnings' },
      start: 'always',
      sharing: 'per-workspace',
      limits: { callTimeoutMs: 2000 },
    };
    expect(await apply({ one }, true)).toMatchObject({ added: ['one'] });
    expect(it.registry.allServers()).toEqual([]);
    const result = await apply({
      one,
      bad: { command: 7 },
      'The Weather': { install: 'weather' },
      needs: { install: 'gitlab' },
    });
    expect(result).toMatchObject({
      added: ['one', 'the-weather'],
      failed: [
        { name: 'bad', error: { code: 'CONFIG_INVALID' } },
        { name: 'needs', error: { code: 'INPUT_MISSING' } },
      ],
    });
    expect(result.warnings).toEqual([
      'the-weather is called "The Weather" in the file',
      `one: ${path} sets NODE_OPTIONS, which can make the server run other code than its own`,
    ]);
    expect(it.registry.server('one')).toMatchObject({
      start: 'always',
      sharing: 'per-workspace',
      limits: { callTimeoutMs: 2000 },
      launch: { cwd: home.root },
      source: { kind: 'file', ref: path },
    });
    const exported = it.installer.exportSet();
    expect(exported.mcpServers).toEqual({ one: { ...one, cwd: home.root }, 'the-weather': { install: 'weather' } });

    await expect(it.installer.apply({ path, text: '{"mcpServers": {"one": {' })).rejects.toMatchObject({
      code: 'CONFIG_INVALID',
    });
    expect(await apply({ one: { ...one, args: [echo, '--more', '3'] } })).toMatchObject({
      changed: ['one'],
      removed: ['the-weather'],
    });
    expect(it.registry.server('one')?.launch).toMatchObject({ args: [echo, '--more', '3'] });
    writeFileSync(path, '');
    await expect(it.installer.uninstall('one', { purge: false })).rejects.toMatchObject({ code: 'MANAGED_BY_FILE' });
    rmSync(path);
    await it.installer.uninstall('one', { purge: false });
    expect(it.registry.allServers()).toEqual([]);
  });
});
