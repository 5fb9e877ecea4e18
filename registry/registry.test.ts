import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { DEFAULT_LIMITS, type ExposedName, type ServerDefinition, type ServerMemory } from '../src/core/model.ts';
import { McpdError } from '../src/errors.ts';
import { EXPOSED_NAMES_KEPT_PER_SERVER } from '../src/limits.ts';
import { fingerprintOf } from './fingerprint.ts';
import { openRegistry, type Registry } from './registry.ts';

let home: string;
let path: string;
let registry: Registry;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'mcpd-registry-'));
  path = join(home, 'registry.db');
  registry = openRegistry({ registry: path });
});
afterEach(() => {
  registry.close();
  rmSync(home, { recursive: true, force: true });
});

function reopened(): Registry {
  registry.close();
  registry = openRegistry({ registry: path });
  return registry;
}

/** Changes the file behind the registry's back. */
function tamper(sql: string): void {
  const db = new Database(path);
  db.exec(sql);
  db.close();
}

function definition(name: string, change: Partial<ServerDefinition> = {}): ServerDefinition {
  const launch = change.launch ?? { kind: 'stdio', command: '/usr/bin/node', args: [name], cwd: null, env: {} };
  return {
    name,
    description: `The ${name} server`,
    launch,
    start: 'on-demand',
    sharing: 'auto',
    enabled: true,
    limits: DEFAULT_LIMITS,
    source: { kind: 'command', ref: `node ${name}` },
    fingerprint: fingerprintOf(launch, null),
    addedAt: 1_764_000_000_000,
    ...change,
  };
}

function memory(fingerprint: string, change: Partial<ServerMemory> = {}): ServerMemory {
  return {
    fingerprint,
    era: 'legacy',
    protocolVersion: '2025-06-18',
    serverInfo: '{"name":"x","version":"1"}',
    capabilities: '{"tools":{}}',
    instructions: null,
    variants: [],
    callsBack: false,
    lists: [
      {
        kind: 'tools',
        entries: ['{"name":"a"}', '{"name":"b", "big":12345678901234567890}'],
        findings: ['one tool was dropped'],
      },
    ],
    ...change,
  };
}

function name(exposed: string, server: string): ExposedName {
  return { kind: 'tool', exposed, server, raw: exposed };
}

test('what a person said of a server is there for the next daemon until it is taken back, also when its entry is replaced', () => {
  for (const one of ['started', 'stopped', 'gone']) registry.saveServer(definition(one), null);
  registry.saveWish('started', 'up');
  registry.saveWish('stopped', 'down');
  registry.saveWish('gone', 'up');
  registry.saveWish('never-there', 'up');
  registry.saveServer(definition('started', { description: 'new words' }), null);
  registry.removeServer('gone');
  registry.saveServer(definition('gone'), null);
  expect([...reopened().allWishes()].sort()).toEqual([
    ['started', 'up'],
    ['stopped', 'down'],
  ]);
  registry.saveWish('started', null);
  expect([...registry.allWishes()]).toEqual([['stopped', 'down']]);
  registry.forgetWishes();
  expect(reopened().allWishes().size).toBe(0);
});

test('servers with their memories are there after the next start, in the order of their names', () => {
  const [weather, todo] = [definition('weather'), definition('todo')];
  registry.saveServer(weather, memory(weather.fingerprint));
  registry.saveServer(todo, null);
  expect(reopened().allServers()).toEqual([todo, weather]);
  expect(registry.allMemories()).toEqual(new Map([['weather', memory(weather.fingerprint)]]));
  expect(registry.memoryOf('weather', weather.fingerprint)).toEqual(memory(weather.fingerprint));
  expect(registry.server('nobody')).toBeNull();
  expect(registry.findings()).toEqual([]);
});

test('entries of a list come back letter for letter, whatever they hold', () => {
  const server = definition('odd');
  const entry = fc.json({ stringUnit: 'binary' }).map((text) => `{"name": ${JSON.stringify(text)}, "x":1e400}`);
  fc.assert(
    fc.property(fc.array(entry), (entries) => {
      const saved = memory(server.fingerprint, { lists: [{ kind: 'prompts', entries, findings: [] }] });
      registry.saveServer(server, saved);
      expect(registry.memoryOf('odd', server.fingerprint)?.lists[0]?.entries).toEqual(entries);
    }),
    { numRuns: 50 },
  );
});

test('a list of 8 MB is kept', () => {
  const server = definition('big');
  const entries = Array.from({ length: 1000 }, (_, index) =>
    JSON.stringify({ name: `tool-${index}`, description: 'é'.repeat(4000) }),
  );
  registry.saveServer(server, memory(server.fingerprint, { lists: [{ kind: 'tools', entries, findings: [] }] }));
  expect(reopened().allMemories().get('big')?.lists[0]?.entries).toEqual(entries);
});

test('a changed launch has no memory, and what its old process still reports is not kept', () => {
  const before = definition('weather');
  const after = definition('weather', {
    launch: { kind: 'stdio', command: '/usr/bin/node', args: ['other'], cwd: null, env: {} },
  });
  registry.saveServer(before, memory(before.fingerprint));
  registry.saveServer(after, null);
  expect(registry.memoryOf('weather', before.fingerprint)).toBeNull();
  expect(registry.allMemories().size).toBe(0);
  expect(registry.saveMemory('weather', memory(before.fingerprint))).toBe(false);
  expect(registry.saveMemory('weather', memory(after.fingerprint))).toBe(true);
  expect(registry.memoryOf('weather', after.fingerprint)).toEqual(memory(after.fingerprint));
});

test('a memory is replaced as a whole', () => {
  const server = definition('weather');
  registry.saveServer(server, memory(server.fingerprint));
  const next = memory(server.fingerprint, { era: 'modern', lists: [{ kind: 'resources', entries: [], findings: [] }] });
  registry.saveMemory('weather', next);
  expect(registry.memoryOf('weather', server.fingerprint)).toEqual(next);
});

test('a memory of a server that is gone is not kept', () => {
  expect(registry.saveMemory('ghost', memory('a'.repeat(64)))).toBe(false);
});

test('settings change one by one, and the launch keeps its memory', () => {
  const server = definition('weather');
  registry.saveServer(server, memory(server.fingerprint));
  expect(registry.patch('weather', { enabled: false }).enabled).toBe(false);
  registry.patch('weather', { start: 'always', limits: { callTimeoutMs: 5000, idleStopMs: 1 } });
  registry.patch('weather', { limits: { idleStopMs: null, startTimeoutMs: undefined } });
  expect(reopened().server('weather')).toEqual({
    ...server,
    enabled: false,
    start: 'always',
    limits: { ...server.limits, callTimeoutMs: 5000 },
  });
  expect(registry.memoryOf('weather', server.fingerprint)).not.toBeNull();
});

test('a change of an unknown server is refused', () => {
  expect(() => registry.patch('ghost', {})).toThrow(expect.objectContaining({ code: 'SERVER_UNKNOWN' }));
});

test('a removed server leaves its names, so that it has them again when it comes back', () => {
  const server = definition('weather');
  registry.saveServer(server, memory(server.fingerprint));
  registry.saveNames([name('weather__forecast', 'weather')]);
  expect(registry.removeServer('weather')).toBe(true);
  expect(registry.removeServer('weather')).toBe(false);
  registry.saveServer(server, null);
  expect(registry.memoryOf('weather', server.fingerprint)).toBeNull();
  expect(reopened().allNames()).toEqual([name('weather__forecast', 'weather')]);
});

test('an entry that cannot be read costs the others nothing, stays, is named, and can be removed or replaced', () => {
  for (const one of ['alpha', 'beta', 'gamma'])
    registry.saveServer(definition(one), memory(definition(one).fingerprint));
  tamper(
    "UPDATE servers SET launch = '{' WHERE name = 'beta'; UPDATE servers SET start = 'often' WHERE name = 'gamma'",
  );
  expect(reopened().allServers()).toEqual([definition('alpha')]);
  expect(registry.findings().map((finding) => /entry "(\w+)"/.exec(finding)?.[1])).toEqual(['beta', 'gamma']);
  expect([registry.server('beta'), registry.has('beta'), registry.has('ghost')]).toEqual([null, true, false]);
  registry.saveServer(definition('beta'), null);
  expect(registry.removeServer('gamma')).toBe(true);
  expect(reopened().allServers()).toEqual([definition('alpha'), definition('beta')]);
  expect(registry.findings()).toEqual([]);
});

test('a memory that cannot be read is learnt again, and the server stays', () => {
  const server = definition('weather');
  registry.saveServer(server, memory(server.fingerprint));
  tamper("UPDATE lists SET findings = 'x', kind = 'prompts'");
  expect(reopened().memoryOf('weather', server.fingerprint)?.lists).toEqual([
    { ...memory('').lists[0], kind: 'prompts', findings: [] },
  ]);
  tamper("UPDATE memories SET era = 'future'");
  expect(reopened().memoryOf('weather', server.fingerprint)).toBeNull();
  expect(registry.allServers()).toEqual([server]);
});

test('names keep their age when their owner changes, and the same name may stand for a tool and a prompt', () => {
  registry.saveNames([name('a', 'one'), name('b', 'one'), { ...name('a', 'one'), kind: 'prompt' }]);
  registry.saveNames([name('a', 'two'), name('c', 'two')]);
  expect(registry.allNames()).toEqual([
    name('a', 'two'),
    name('b', 'one'),
    { ...name('a', 'one'), kind: 'prompt' },
    name('c', 'two'),
  ]);
});

test('a server that makes new names for ever loses its oldest, and no other server loses one', () => {
  const many = Array.from({ length: EXPOSED_NAMES_KEPT_PER_SERVER + 10 }, (_, index) => name(`t${index}`, 'churn'));
  registry.saveNames([name('kept', 'quiet'), ...many]);
  const names = reopened().allNames();
  expect(names).toHaveLength(EXPOSED_NAMES_KEPT_PER_SERVER + 1);
  expect(names[0]).toEqual(name('kept', 'quiet'));
  expect(names[1]?.exposed).toBe('t10');
  expect(reopened().allNames()).toHaveLength(EXPOSED_NAMES_KEPT_PER_SERVER + 1);
});

test('the ledger holds a process until it ended, also one of an earlier daemon with the same generation', () => {
  const row = {
    instance: 'weather',
    generation: 1,
    server: 'weather',
    pid: 100,
    pgid: 100,
    startTime: '123',
    marker: 'm',
    nonce: 'first',
    at: 1,
  };
  const { ledger } = registry;
  ledger.add(row);
  ledger.add({ ...row, nonce: 'second', pid: 200, at: 2 });
  expect(
    reopened()
      .ledger.rows()
      .map(({ pid }) => pid),
  ).toEqual([100, 200]);
  registry.ledger.remove('weather', 1, 'first');
  expect(registry.ledger.rows().map(({ pid }) => pid)).toEqual([200]);
  registry.ledger.remove('weather', 1);
  expect(registry.ledger.rows()).toEqual([]);
});

test('a write that fails is told in words for a person', () => {
  tamper('DROP TABLE exposed_names');
  expect(() => registry.saveNames([name('a', 'one')])).toThrow(McpdError);
});

test('clients and the digests of their tokens survive a restart; a name is taken once', () => {
  const inspector = { name: 'inspector', digest: 'ab'.repeat(32), addedAt: 7 };
  expect(registry.addClient(inspector)).toBe(true);
  expect(registry.addClient({ ...inspector, digest: 'cd'.repeat(32) })).toBe(false);
  expect(reopened().allClients()).toEqual([inspector]);
  expect([registry.removeClient('inspector'), registry.removeClient('inspector')]).toEqual([true, false]);
  expect(registry.allClients()).toEqual([]);
});

test('what was set for mcpd as a whole is there after a restart, until it is taken back', () => {
  expect(registry.setting('telemetry')).toBeNull();
  registry.setSetting('telemetry', '{"a":1}');
  registry.setSetting('telemetry', '{"a":2}');
  expect(reopened().setting('telemetry')).toBe('{"a":2}');
  registry.setSetting('telemetry', null);
  expect(reopened().setting('telemetry')).toBeNull();
});
