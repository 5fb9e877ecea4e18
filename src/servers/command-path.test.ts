import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { commandFileArgs, isCommandFile, type PathFinding, resolveCommand } from './command-path.ts';

function place(files: Record<string, PathFinding>, more: { path?: string; platform?: NodeJS.Platform } = {}) {
  return {
    path: '/usr/local/bin:/usr/bin',
    pathext: '.COM;.EXE;.BAT;.CMD',
    cwd: '/proj',
    platform: 'linux' as NodeJS.Platform,
    probe: (path: string) => files[path] ?? 'missing',
    ...more,
  };
}

test('a bare name is the first program of that name on the PATH', () => {
  const files = { '/usr/local/bin/node': 'not-executable', '/usr/bin/node': 'program' } as const;
  expect(resolveCommand('node', place(files))).toEqual({ kind: 'found', path: '/usr/bin/node' });
});

test('a name that is nowhere comes with the folders that were looked in', () => {
  const path = '/usr/bin:relative::.:/opt/a b/bin:/usr/bin';
  expect(resolveCommand('nothing', place({ 'relative/nothing': 'program' }, { path }))).toEqual({
    kind: 'missing',
    lookedIn: ['/usr/bin', '/opt/a b/bin'],
  });
});

test('a file without the right to be run, and a folder, are told apart from nothing', () => {
  const files = { '/usr/bin/tool': 'not-executable', '/proj/folder': 'folder', '/usr/bin/lib': 'folder' } as const;
  expect(resolveCommand('tool', place(files))).toEqual({ kind: 'not-executable', path: '/usr/bin/tool' });
  expect(resolveCommand('./folder', place(files))).toEqual({ kind: 'folder', path: '/proj/folder' });
  expect(resolveCommand('lib', place(files)).kind).toBe('missing');
});

test('a command with a slash is taken from the working folder and never from the PATH', () => {
  const files = { '/proj/bin/a b': 'program', '/usr/bin/bin/a b': 'program' } as const;
  expect(resolveCommand('bin/a b', place(files))).toEqual({ kind: 'found', path: '/proj/bin/a b' });
  expect(resolveCommand('/no/such', place(files))).toEqual({ kind: 'missing', lookedIn: ['/no'] });
});

test('on Windows the endings of PATHEXT are tried in their order, and a given ending is taken as it is', () => {
  const windows = { platform: 'win32' as const, path: 'C:\\a;relative;C:\\b' };
  const files = {
    'C:\\a\\npx.cmd': 'program',
    'C:\\a\\npx': 'program',
    'C:\\b\\npx.exe': 'program',
    'C:\\b\\tool.exe': 'program',
  } as const;
  expect(resolveCommand('npx', place(files, windows))).toEqual({ kind: 'found', path: 'C:\\a\\npx.cmd' });
  expect(resolveCommand('npx.exe', place(files, windows))).toEqual({ kind: 'found', path: 'C:\\b\\npx.exe' });
  expect(resolveCommand('tool', place(files, windows))).toEqual({ kind: 'found', path: 'C:\\b\\tool.exe' });
});

test('command files are known by their ending', () => {
  expect([isCommandFile('C:\\a\\npx.cmd'), isCommandFile('x.BAT'), isCommandFile('node.exe')]).toEqual([
    true,
    true,
    false,
  ]);
});

/** How cmd.exe reads a line outside quotes: a caret takes the next character literally. Throws on a special character that has none. */
function readByCmd(line: string): string {
  let text = '';
  for (let at = 0; at < line.length; at++) {
    const character = line[at] ?? '';
    if (character === '^') text += line[++at] ?? '';
    else if (/["%&|<>()!]/.test(character)) throw new Error(`${character} is special in ${line}`);
    else text += character;
  }
  return text;
}

/** How the C runtime of the program splits its command line. */
function readByRuntime(line: string): string[] {
  const args: string[] = [];
  for (const [, body = ''] of line.matchAll(/"((?:[^"\\]|\\+"|\\+(?!")|\\)*?)"(?= |$)/g)) {
    args.push(
      body
        .replace(/(\\+)$/, (run) => run.slice(run.length / 2))
        .replace(/(\\*)\\"/g, (_, run: string) => `${run.slice(run.length / 2)}"`),
    );
  }
  return args;
}

test.each([['a b'], [''], ['a"b'], ['%PATH%'], ['&calc'], ['^'], ['!x!'], ['<in >out | tee'], ['back\\'], ['(é)']])(
  'a command file gets the argument %j as it is',
  (argument) => {
    const [d, s, c, line = ''] = commandFileArgs('C:\\a\\x.cmd', [argument, 'next']);
    expect([d, s, c]).toEqual(['/d', '/s', '/c']);
    expect(line.startsWith('"') && line.endsWith('"')).toBe(true);
    const first = readByCmd(line.slice(1, -1));
    expect(first.startsWith('C:\\a\\x.cmd ')).toBe(true);
    expect(readByRuntime(readByCmd(first.slice('C:\\a\\x.cmd '.length)))).toEqual([argument, 'next']);
  },
);

test('no argument reaches cmd.exe with a special character bare, in neither reading', () => {
  void fc.assert(
    fc.property(fc.array(fc.string().filter((text) => !/[\r\n\0]/.test(text))), (args) => {
      const line = commandFileArgs('C:\\a b\\x.cmd', args)[3] ?? '';
      readByCmd(readByCmd(line.slice(1, -1)));
    }),
  );
});

test('a line break cannot be passed to a command file, and is refused', () => {
  expect(() => commandFileArgs('x.cmd', ['a', 'b\nc'])).toThrow(/argument 2 has a line break/);
});
