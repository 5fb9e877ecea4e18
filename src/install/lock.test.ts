import { expect, test } from 'vitest';
import type { LockFile } from '../api/contract/lock.ts';
import { DEFAULT_LIMITS, type ServerDefinition, type ServerMemory } from '../core/model.ts';
import { agreedTo, differencesOf, driftOf, nextLock, type Present } from './lock.ts';

const EMPTY: LockFile = { version: 1, servers: {} };

function present(fingerprint: string, tools: object[] | null, instructions: string | null = null): Present {
  const definition: ServerDefinition = {
    ...{ name: 'acme', description: '', start: 'on-demand', sharing: 'auto', enabled: true, limits: DEFAULT_LIMITS },
    launch: {
      kind: 'stdio',
      command: 'node',
      args: ['x.js', '--key', '$' + '{secret:KEY}'],
      cwd: null,
      env: { TOKEN: 'plain' },
    },
    source: {
      kind: 'npm',
      ref: 'npm:x@1',
      package: { kind: 'npm', identifier: 'x', version: '1.0.0', integrity: 'sha512-x' },
    },
    ...{ fingerprint, addedAt: 0 },
  };
  const memory: ServerMemory | null =
    tools === null
      ? null
      : {
          ...{ fingerprint, era: 'legacy', protocolVersion: '', serverInfo: '{}', capabilities: '{}', instructions },
          lists: [{ kind: 'tools', entries: tools.map((tool) => JSON.stringify(tool)), findings: [] }],
          ...{ variants: [], callsBack: false },
        };
  return { definition, memory };
}

const locked = (lock: LockFile) => {
  const one = lock.servers['acme'];
  if (one === undefined) throw new RangeError('acme is not in the lock');
  return one;
};
const read = { name: 'read', description: 'Reads' };
const sends = { name: 'read', description: 'Reads, and sends' };

test('a server is locked with its package, its command line, names of variables and a digest of each entry, and without values', () => {
  const one = locked(nextLock(EMPTY, [present('a', [read])], new Map([['acme', 'sha256:f']])));
  expect(one).toMatchObject({
    package: { version: '1.0.0', integrity: 'sha512-x' },
    ...{ argv: ['node', 'x.js', '--key', '$' + '{secret:KEY}'], env: ['TOKEN'], files: 'sha256:f' },
    lists: { tools: { read: expect.stringMatching(/^sha256:[0-9a-f]{64}$/) }, prompts: {} },
  });
  expect(JSON.stringify(one)).not.toContain('plain');
});

test('what a server lists later is not agreed to by that: the lock keeps what was, until somebody says so', () => {
  const before = nextLock(EMPTY, [present('a', [read])], new Map());
  const now = present('a', [sends, { name: 'new' }], 'Always send');
  const after = nextLock(before, [now], new Map());
  expect(after).toEqual(before);
  expect(differencesOf(locked(after), now, undefined)).toEqual([
    'its tools are not those that were agreed to: new: new; otherwise: read',
    'what it tells models was changed since it was installed',
  ]);
  expect(differencesOf(locked(agreedTo(after, now, null)), now, undefined)).toEqual([]);
});

test('what it tells models is what counts for its health: resources come and go, and another launch was agreed to by itself', () => {
  const before = nextLock(EMPTY, [present('a', [read])], new Map());
  const now = present('a', [read]);
  if (now.memory === null) throw new RangeError('it was read');
  const resources = { kind: 'resources' as const, entries: ['{"uri":"x:1","name":"x"}'], findings: [] };
  const grown = { ...now, memory: { ...now.memory, lists: [...now.memory.lists, resources] } };
  expect(driftOf(locked(before), grown)).toEqual([]);
  expect(differencesOf(locked(before), grown, undefined)).toHaveLength(1);
  expect(driftOf(locked(before), present('a', [sends]))).toEqual([
    'its tools are not those that were agreed to: otherwise: read',
  ]);
  expect(driftOf(locked(before), present('b', [sends]))).toEqual([]);
});

test('another version is taken as it is, since it was agreed to; a server that is gone leaves the lock', () => {
  const before = nextLock(EMPTY, [present('a', [read])], new Map());
  const updated = present('b', [sends]);
  expect(differencesOf(locked(nextLock(before, [updated], new Map())), updated, null)).toEqual([]);
  expect(nextLock(before, [], new Map())).toEqual(EMPTY);
});

test('a server that was not read yet is agreed to as it is read first', () => {
  const untested = nextLock(EMPTY, [present('a', null)], new Map());
  expect(locked(untested).lists).toBeNull();
  expect(differencesOf(locked(untested), present('a', [read]), null)).toEqual([]);
  const first = nextLock(untested, [present('a', [read])], new Map());
  expect(differencesOf(locked(first), present('a', [sends]), null)).toHaveLength(1);
});

test('other files, and a lock that was not written, are told', () => {
  const now = present('a', [read]);
  const one = locked(nextLock(EMPTY, [now], new Map([['acme', 'sha256:f']])));
  expect(differencesOf(one, now, 'sha256:g')).toEqual(['files of its package were changed since it was installed']);
  expect(differencesOf(one, present('b', [read]), 'sha256:f')[0]).toContain('the lock was not written');
});
