import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { COMMANDS } from '../cli/command-table.ts';
import { TABLE } from '../src/core/supervision.ts';
import { type ErrorCode, McpdError } from '../src/errors.ts';

/** The papers say what the code does, or a test says that they do not. */
const read = (path: string) => readFileSync(path, 'utf8');
const PAPERS = [
  'README.md',
  'ARCHITECTURE.md',
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'docs/cli-json.md',
  'registry/README.md',
];
const manifest = JSON.parse(read('package.json')) as {
  version: string;
  files: string[];
  scripts: Record<string, string>;
  allowScripts: Record<string, boolean>;
};

test('the README names every command, and no other', () => {
  const table = read('README.md').split('## The commands')[1]?.split('\n## ')[0] ?? '';
  const rows = table.split('\n').filter((line) => line.startsWith('| `'));
  const cells = rows.map((line) => line.split(' | ')[0] ?? '');
  const named = cells.flatMap((cell) => [...cell.matchAll(/`(?:mcpd )?([a-z]+)/g)].map((match) => match[1] ?? ''));
  expect([...new Set(named)].sort()).toEqual(COMMANDS.map(({ name }) => name).sort());
});

test('ARCHITECTURE.md draws the states as the table has them', () => {
  const [head = '', , ...rows] = read('ARCHITECTURE.md')
    .split('\n')
    .filter((line) => line.startsWith('| phase |') || TABLE_ROW.test(line) || /^(\|---){10}\|$/.test(line));
  const signals = cellsOf(head).slice(1);
  const drawn = rows.map((row) => {
    const [phase = '', ...moves] = cellsOf(row);
    return [phase, Object.fromEntries(signals.map((signal, at) => [signal, moves[at]]))];
  });
  const real = Object.entries(TABLE).map(([phase, moves]) => [
    phase,
    Object.fromEntries(
      Object.entries(moves).map(([signal, move]) => [
        signal,
        move === 'stay' ? '–' : typeof move === 'string' ? move : move[0],
      ]),
    ),
  ]);
  expect(Object.fromEntries(drawn)).toEqual(Object.fromEntries(real));
});

test('docs/cli-json.md has each error code in the row of its exit code', () => {
  const rows = read('docs/cli-json.md')
    .split('\n')
    .filter((line) => /^\| \d+ \|/.test(line))
    .map((line) => ({
      exit: Number(cellsOf(line)[0]),
      codes: [...line.matchAll(/`([A-Z_0-9…]+)`/g)].map((match) => match[1] ?? ''),
    }));
  const codes = [...read('src/errors.ts').matchAll(/^ {2}([A-Z_0-9]+)(?:,|: (?:[A-Z_]+|\{.*\}),)$/gm)].map(
    (match) => match[1] ?? '',
  );
  expect(codes.length).toBeGreaterThan(40);
  for (const code of codes) {
    const exact = rows.filter((row) => row.codes.includes(code));
    const family = rows.filter((row) =>
      row.codes.some((one) => one.endsWith('…') && code.startsWith(one.slice(0, -1))),
    );
    const [row] = exact.length > 0 ? exact : family;
    expect(row?.exit, code).toBe(new McpdError(code as ErrorCode, { what: '' }).exitCode);
  }
});

test('what the papers link to is there', () => {
  for (const paper of PAPERS) {
    for (const [, target = ''] of read(paper).matchAll(/\]\(([^)#]+)(?:#[^)]*)?\)/g)) {
      if (!/^https?:/.test(target)) expect(existsSync(join(dirname(paper), target)), `${paper}: ${target}`).toBe(true);
    }
  }
});

test('the papers name scripts of package.json only', () => {
  for (const paper of PAPERS) {
    for (const [, script = ''] of read(paper).matchAll(/npm run ([a-z:-]+)/g))
      expect(Object.keys(manifest.scripts), `${paper}: npm run ${script}`).toContain(script);
  }
});

test('the changelog begins with this version', () => {
  expect(/^## (\S+)/m.exec(read('CHANGELOG.md'))?.[1]).toBe(manifest.version);
});

test('NOTICE names every library whose code is part of dist/', () => {
  const notice = read('NOTICE');
  const libraries = ['src', 'cli', 'registry', 'dashboard/src']
    .flatMap((folder) => readdirSync(folder, { recursive: true, encoding: 'utf8' }).map((file) => join(folder, file)))
    .filter((file) => /\.tsx?$/.test(file) && !file.endsWith('.test.ts'))
    .flatMap((file) => [...read(file).matchAll(/(?:from |import\()'((?:@[^/']+\/)?[^./'][^/']*)(?:\/[^']*)?'/g)])
    .map((match) => match[1] ?? '')
    .filter((library) => !library.startsWith('node:'));
  expect(libraries.length).toBeGreaterThan(5);
  for (const library of new Set(libraries)) expect(notice, library).toContain(library);
});

test('only the packages that are named may run scripts at install', () => {
  const { packages } = JSON.parse(read('package-lock.json')) as {
    packages: Record<string, { hasInstallScript?: boolean }>;
  };
  const scripted = Object.keys(packages).filter((path) => packages[path]?.hasInstallScript === true);
  expect(scripted.map((path) => path.replace(/^.*node_modules\//, '')).sort()).toEqual(
    Object.keys(manifest.allowScripts).sort(),
  );
});

// — internal —

const TABLE_ROW = new RegExp(`^\\| (?:${Object.keys(TABLE).join('|')}) \\|`);

function cellsOf(row: string): string[] {
  return row
    .split('|')
    .slice(1, -1)
    .map((cell) => cell.trim());
}
