// biome-ignore-all lint/suspicious/noTemplateCurlyInString: these are mcpd's placeholders, not JavaScript's
import { chmodSync, existsSync, mkdirSync, realpathSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fake } from '../harness/fake.ts';
import { type TemporaryHome, temporaryHome } from '../harness/home.ts';
import { type BenchOptions, type ProcessBench, processBench } from '../harness/server-processes.ts';

let home: TemporaryHome;
const benches: ProcessBench[] = [];

function bench(options: BenchOptions = {}): ProcessBench {
  const made = processBench(home, options);
  benches.push(made);
  return made;
}

beforeEach(async () => {
  home = await temporaryHome();
});
afterEach(async () => {
  for (const { processes } of benches.splice(0)) await processes.dispose();
  expect(await home.cleanup()).toEqual([]);
});

test('a server gets exactly its arguments, whatever is in them', async () => {
  const args = ['a b', '', '$HOME', ';touch x', '*', '"quoted"', "it's", 'two\nlines', 'é日本', '--', '\\', '%PATH%'];
  const { start, ask } = bench();
  await start('args', fake('process', ...args));
  expect((await ask('args', 'facts'))['argv']).toEqual(args);
});

test('a command whose path has blanks and quotes is started as it is', async () => {
  const folder = home.folder("a folder with 'quotes' and é");
  const script = join(folder, 'my server');
  writeFileSync(script, '#!/bin/sh\nexec "$@"\n');
  chmodSync(script, 0o755);
  const { start, ask } = bench();
  await start('odd', [script, ...fake('process', 'x')]);
  expect((await ask('odd', 'facts'))['argv']).toEqual(['x']);
});

test('a server gets the named variables, its own and its marker, and nothing else the daemon had', async () => {
  const inherited = {
    ...home.env,
    AWS_SECRET_ACCESS_KEY: 'not for servers',
    NODE_OPTIONS: '--no-warnings',
    LC_ALL: 'C',
  };
  const { start, ask } = bench({ inherited, secrets: { TOKEN: 'abcdef-secret' } });
  const env = { AUTH: 'Bearer ${secret:TOKEN}', FILE: '${dataDir}/x' };
  await start('plain', fake('process', '--key=${secret:TOKEN}'), { env });
  const facts = (await ask('plain', 'facts')) as { env: Record<string, string>; argv: string[]; umask: number };
  expect(Object.keys(facts.env).sort()).toEqual(
    ['AUTH', 'FILE', 'HOME', 'LANG', 'LC_ALL', 'MCPD_INSTANCE', 'PATH', 'RECORD_FILE', 'SHELL', 'TMPDIR'].sort(),
  );
  expect(facts.env['AUTH']).toBe('Bearer abcdef-secret');
  expect(facts.env['FILE']).toBe(join(home.mcpdHome, 'data', 'plain', 'x'));
  expect(facts.env['MCPD_INSTANCE']).toMatch(/^[0-9a-f]{12}:nonce1:plain:1$/);
  expect(facts.argv).toEqual(['--key=abcdef-secret']);
  expect(facts.umask).toBe(0o022);
});

test('a server has its three pipes and no other descriptor of the daemon', async () => {
  const { start, ask } = bench();
  await start('one', fake('process'));
  await start('two', fake('process'));
  const { descriptors } = (await ask('two', 'descriptors')) as { descriptors: [number, string][] };
  const own = /^(anon_inode|pipe|\/dev\/null|\/proc)/; // what node opens for itself, and the folder being read
  const inherited = descriptors.filter(([fd, target]) => fd > 2 && !own.test(target));
  expect(inherited).toEqual([]);
});

test('a server runs in its own folder, which nobody else may read, or in the one it declares', async () => {
  const { start, ask } = bench();
  await start('private', fake('process'));
  const own = (await ask('private', 'facts'))['cwd'];
  expect(own).toBe(realpathSync(join(home.mcpdHome, 'data', 'private')));
  expect(statSync(String(own)).mode & 0o777).toBe(0o700);
  const project = home.folder('project');
  await start('project', fake('process'), { cwd: project });
  expect((await ask('project', 'facts'))['cwd']).toBe(project);
});

test('a command that cannot be found is a reported exit, with the folders that were looked in', async () => {
  const { start, exit, of } = bench({ inherited: { ...home.env, PATH: '/usr/bin:/bin' } });
  await start('missing', ['no-such-command-of-any-kind']);
  const { cause, code, signal } = await exit('missing');
  expect(cause).toMatch(/^spawn ENOENT: command "no-such-command-of-any-kind" not found; looked in .*\/usr\/bin/);
  expect([code, signal]).toEqual([null, null]);
  expect(of('server-spawned')).toEqual([]);
});

test('every other way in which a command cannot be run has its own reason', async () => {
  const file = (name: string, text: string, mode: number) => {
    const path = join(home.folder('bin'), name);
    writeFileSync(path, text);
    chmodSync(path, mode);
    return path;
  };
  mkdirSync(join(home.root, 'folder'));
  const { start, exit } = bench();
  const causeOf = async (name: string, command: string[], more: object = {}) => {
    await start(name, command, more);
    return (await exit(name)).cause;
  };
  expect(await causeOf('x-bit', [file('no-x', '#!/bin/sh\n', 0o644)])).toMatch(
    /^spawn EACCES: .*no-x is not executable; try: chmod/,
  );
  expect(await causeOf('folder', [join(home.root, 'folder')])).toMatch(/^spawn EACCES: .*folder is a folder/);
  expect(await causeOf('cwd', fake('process'), { cwd: '/no/such/folder' })).toMatch(
    /^spawn ENOENT: working folder \/no\/such\/folder .*does not exist/,
  );
  expect(await causeOf('cwd-file', fake('process'), { cwd: file('file', '', 0o644) })).toMatch(
    /^spawn ENOTDIR: working folder/,
  );
  expect(await causeOf('interpreter', [file('bad', '#!/no/such/interpreter\n', 0o755)])).toMatch(
    /^spawn ENOENT: .*bad names \/no\/such\/interpreter in its first line/,
  );
  expect(await causeOf('long', fake('process', 'x'.repeat(3_000_000)))).toMatch(/^spawn E2BIG: its arguments/);
  expect(await causeOf('nul', fake('process', 'a\0b'))).toMatch(/argument 2 contains a NUL character/);
  expect(await causeOf('secret', fake('process', '${secret:KEY}'))).toMatch(
    /secret needs the secret KEY.*try: mcpd secret set secret KEY/,
  );
});

test('a server that exits at once is reported with its code and what it said', async () => {
  const { start, exit, of } = bench();
  await start('quick', ['/bin/sh', '-c', 'echo config file missing >&2; printf "no newline" >&2; exit 7']);
  expect(await exit('quick')).toMatchObject({
    code: 7,
    signal: null,
    cause: 'exit code 7',
    stderrTail: ['config file missing', 'no newline'],
  });
  await start('clean', ['/bin/true']);
  expect((await exit('clean')).cause).toBe('exit code 0');
  expect(of('server-exited')).toHaveLength(2);
});

test('a server stopped before its process exists is never started', async () => {
  const { processes, of, exit, start } = bench();
  const starting = start('early', fake('process'));
  processes.stop('early', 1, false);
  expect(await starting).toBe(0);
  expect((await exit('early')).cause).toBe('stopped before it was started');
  await start('later', fake('process'));
  expect(of('server-spawned')).toHaveLength(1);
  expect(existsSync(join(home.mcpdHome, 'data', 'early'))).toBe(false);
});
