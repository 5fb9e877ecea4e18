import { expect, test } from 'vitest';
import { type InstalledPackage, PACKAGE_KINDS, type ServerDefinition, type ServerSource } from '../src/core/model.ts';
import { readRow, rowOf, type ServerRow } from './server-row.ts';

const PACKAGE: InstalledPackage = { kind: 'npm', identifier: '@acme/mcp', version: '1.2.3', integrity: 'sha512-x' };
const SOURCES: ServerSource[] = [
  ...PACKAGE_KINDS.map((kind) => ({ kind, ref: `${kind}:x`, package: { ...PACKAGE, kind } })),
  { kind: 'registry', ref: 'io.github.acme/mcp@1.2.3', package: PACKAGE },
  { kind: 'document', ref: '/home/me/server.json', package: null },
  { kind: 'catalog', ref: 'weather', package: null },
  { kind: 'catalog', ref: 'memory', package: PACKAGE },
  { kind: 'folder', ref: '/home/me/server' },
  { kind: 'command', ref: 'python3 server.py' },
  { kind: 'url', ref: 'https://x.test/mcp' },
  { kind: 'file', ref: '/home/me/mcpd.json' },
];

function definition(source: ServerSource): ServerDefinition {
  return {
    name: 'weather',
    description: 'Weather “now”',
    launch: {
      kind: 'stdio',
      command: '/usr/bin/node',
      args: ['a b', '', '$HOME'],
      cwd: null,
      // biome-ignore lint/suspicious/noTemplateCurlyInString: mcpd's own reference to a secret.
      env: { KEY: '${secret:KEY}' },
    },
    start: 'on-demand',
    sharing: 'auto',
    enabled: false,
    limits: {
      startTimeoutMs: 1,
      callTimeoutMs: null,
      idleStopMs: null,
      lineBytesMax: null,
      memorySoftBytes: null,
      memoryHardBytes: 2,
    },
    source,
    fingerprint: 'a'.repeat(64),
    addedAt: 1_764_000_000_000,
  };
}

const ROW = rowOf(definition({ kind: 'catalog', ref: 'weather', package: null }));

test.each(SOURCES)('a definition from $kind comes back as it was', (source) => {
  expect(readRow(rowOf(definition(source)))).toEqual({ definition: definition(source) });
});

test('a package without a kind is of npm, as older releases knew no other; one of an unknown kind is not guessed at', () => {
  const { kind: _, ...older } = PACKAGE;
  const row = (installed: object) => ({
    ...ROW,
    source: JSON.stringify({ kind: 'npm', ref: 'x', package: installed }),
  });
  expect(readRow(row(older))).toMatchObject({ definition: { source: { package: PACKAGE } } });
  expect(readRow(row({ ...PACKAGE, kind: 'cargo' }))).toMatchObject({ finding: expect.stringContaining('source') });
});

test('a remote launch comes back as it was, and a row of the first release starts a process', () => {
  // biome-ignore lint/suspicious/noTemplateCurlyInString: mcpd's own reference to a secret.
  const headers = { Authorization: 'Bearer ${secret:Authorization}' };
  const remote: ServerDefinition = {
    ...definition({ kind: 'url', ref: 'https://x.test/mcp' }),
    launch: { kind: 'http', url: 'https://x.test/mcp', transport: 'auto', headers },
  };
  expect(readRow(rowOf(remote))).toEqual({ definition: remote });
  const old = { ...ROW, launch: '{"command":"x","args":[],"cwd":null,"env":{}}' };
  expect(readRow(old)).toMatchObject({ definition: { launch: { kind: 'stdio', command: 'x' } } });
});

const BAD: [keyof ServerRow, Partial<ServerRow>][] = [
  ['name', { name: '../../etc' }],
  ['launch', { launch: '{' }],
  ['launch', { launch: 'null' }],
  ['launch', { launch: '{"command":"","args":[],"cwd":null,"env":{}}' }],
  ['launch', { launch: '{"command":"x","args":[1],"cwd":null,"env":{}}' }],
  ['launch', { launch: '{"command":"x","args":[],"cwd":null,"env":{"A":1}}' }],
  ['launch', { launch: '{"command":"x","args":[],"env":{}}' }],
  ['launch', { launch: '{"kind":"http","url":"no","transport":"auto","headers":{}}' }],
  ['launch', { launch: '{"kind":"http","url":"http://x.test","transport":"pigeon","headers":{}}' }],
  ['limits', { limits: '[]' }],
  ['limits', { limits: '{"callTimeoutMs":-1}' }],
  ['limits', { limits: '{"callTimeoutMs":"5"}' }],
  ['source', { source: '{"kind":"npm","ref":"x"}' }],
  ['source', { source: '{"kind":"moon","ref":"x"}' }],
  ['source', { source: '{"kind":"folder"}' }],
  ['start', { start: 'sometimes' }],
  ['fingerprint', { fingerprint: 'short' }],
];

test.each(BAD)('a row with a bad %s is refused with a sentence that names it: %o', (column, change) => {
  const reading = readRow({ ...ROW, ...change });
  expect('finding' in reading && reading.finding).toContain(`its ${column} cannot be read`);
});

test('what a package was fetched and filled with is kept; what an older release did not keep, or nobody can read, is absent', () => {
  const given = { args: ['--loud'], env: { KEY: 'v' }, cwd: null };
  const asked = {
    registry: 'https://pypi.acme.example',
    runtimeArguments: ['--from', 'x'],
    reference: '20250101',
    given,
  };
  const readAs = (written: unknown) => {
    const source = JSON.stringify({ kind: 'npm', ref: 'x', package: { ...PACKAGE, asked: written } });
    return readRow({ ...rowOf(definition({ kind: 'npm', ref: 'x', package: PACKAGE })), source });
  };
  expect(readAs(asked)).toMatchObject({ definition: { source: { package: { ...PACKAGE, asked } } } });
  const bare = readRow(rowOf(definition({ kind: 'npm', ref: 'x', package: PACKAGE })));
  expect(bare).toEqual({ definition: definition({ kind: 'npm', ref: 'x', package: PACKAGE }) });
  const odd = { registry: 1, runtimeArguments: 'x', reference: 1, given: { args: [1], env: {}, cwd: null } };
  expect(readAs(odd)).toMatchObject({ definition: { source: { package: { asked: {} } } } });
});

test('a limit that an older release did not know takes its default', () => {
  const reading = readRow({ ...ROW, limits: '{"callTimeoutMs":5}' });
  expect('definition' in reading && reading.definition.limits).toEqual({
    startTimeoutMs: null,
    callTimeoutMs: 5,
    idleStopMs: null,
    lineBytesMax: null,
    memorySoftBytes: null,
    memoryHardBytes: null,
  });
});

test('members named like parts of an object change nothing of any object', () => {
  const reading = readRow({ ...ROW, limits: '{"__proto__":{"callTimeoutMs":5},"constructor":1}' });
  expect('definition' in reading && reading.definition.limits.callTimeoutMs).toBeNull();
  expect(Object.hasOwn(Object.prototype, 'callTimeoutMs')).toBe(false);
});
