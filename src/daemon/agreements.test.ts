import { execFileSync } from 'node:child_process';
import { constants, mkdtempSync, realpathSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, expect, test } from 'vitest';
import { until } from '../../test/harness/until.ts';
import type { LockFile } from '../api/contract/lock.ts';
import type { GatewayEvent } from '../core/events.ts';
import { DEFAULT_LIMITS, type ServerDefinition, type ServerMemory } from '../core/model.ts';
import { errnoOf } from '../errors.ts';
import { nextLock, type Present } from '../install/lock.ts';
import { Agreements } from './agreements.ts';

let path: string;
let told: GatewayEvent[];
let servers: Map<string, Present>;
let agreements: Agreements;

beforeEach(({ onTestFinished }) => {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'mcpd-agreements-')));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  path = join(folder, 'mcpd.lock');
  told = [];
  servers = new Map();
  agreements = new Agreements({
    paths: { lock: path },
    gateway: { view: { servers } },
    runtime: { post: (event) => told.push(event) },
    now: () => 1,
    ending: new AbortController().signal,
  });
});

/** A server that tells models that. */
function telling(name: string, instructions: string): Present {
  const definition: ServerDefinition = {
    ...{ name, description: '', start: 'on-demand', sharing: 'auto', enabled: true, limits: DEFAULT_LIMITS },
    launch: { kind: 'stdio', command: 'node', args: [], cwd: null, env: {} },
    source: { kind: 'command', ref: 'node' },
    ...{ fingerprint: 'a', addedAt: 0 },
  };
  const memory: ServerMemory = {
    ...{ fingerprint: 'a', era: 'legacy', protocolVersion: '', serverInfo: '{}', capabilities: '{}', instructions },
    ...{ lists: [], variants: [], callsBack: false },
  };
  return { definition, memory };
}

const lockOf = (...present: Present[]): LockFile => nextLock({ version: 1, servers: {} }, present, new Map());
/** Servers with how much each differs, in the order in which it was told. */
const drifts = () =>
  told.map((event) => (event.type === 'server-drifted' ? [event.server, event.drift.length] : event));

test('an entry of the lock that is none hides nothing of the other servers', async () => {
  for (const name of ['one', 'two', 'three', 'four']) servers.set(name, telling(name, 'else'));
  const { servers: locked } = lockOf(...['one', 'two', 'three', 'four'].map((name) => telling(name, 'this')));
  const { one, two, three, four } = locked;
  const broken = { one, two: { ...two, lists: { tools: null } }, three: [three], four };
  writeFileSync(path, JSON.stringify({ version: 1, servers: broken }), { mode: 0o600 });
  await agreements.look();
  expect(drifts()).toEqual([
    ['one', 1],
    ['two', 0],
    ['three', 0],
    ['four', 1],
  ]);
});

test('a lock that cannot be read changes nothing of what was told', async () => {
  servers.set('one', telling('one', 'else'));
  execFileSync('ln', ['-s', 'elsewhere', path]);
  await agreements.look();
  expect(told).toEqual([]);
});

test('who looks while somebody looks is told last', async () => {
  servers.set('one', telling('one', 'now'));
  execFileSync('mkfifo', ['-m', '600', path]);
  const first = agreements.look();
  const writer = await writerOf(path);
  writeFileSync(`${path}.new`, JSON.stringify(lockOf(telling('one', 'now'))), { mode: 0o600 });
  renameSync(`${path}.new`, path);
  const second = agreements.look();
  await writer.writeFile(JSON.stringify(lockOf(telling('one', 'before'))));
  await writer.close();
  await Promise.all([first, second]);
  expect(drifts()).toEqual([
    ['one', 1],
    ['one', 0],
  ]);
});

/** Opens as soon as somebody reads there. */
async function writerOf(fifo: string): Promise<FileHandle> {
  let writer: FileHandle | null = null;
  await until('somebody reads', async () => {
    try {
      writer = await open(fifo, constants.O_WRONLY | constants.O_NONBLOCK);
      return true;
    } catch (error) {
      if (errnoOf(error) !== 'ENXIO') throw error;
      return false;
    }
  });
  return writer ?? expect.fail('nobody reads');
}
