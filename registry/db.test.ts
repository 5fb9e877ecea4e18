import { createHash } from 'node:crypto';
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { McpdError } from '../src/errors.ts';
import { type Db, durably, openDatabase } from './db.ts';
import { sqliteFault } from './sqlite-fault.ts';

const SCHEMA = {
  migrations: ['CREATE TABLE things (id INTEGER PRIMARY KEY, text TEXT NOT NULL)'],
  cacheBytes: 64 * 1024,
};
const HAS_MODES = process.platform !== 'win32';

let home: string;
let path: string;
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), 'mcpd-db-'));
  path = join(home, 'registry.db');
});
afterEach(() => rmSync(home, { recursive: true, force: true }));

function filled(rows: number): Db {
  const db = openDatabase(path, SCHEMA);
  const add = db.prepare<[string]>('INSERT INTO things (text) VALUES (?)');
  durably(db, () => {
    for (let row = 0; row < rows; row++) add.run(`text ${row} `.repeat(40));
  });
  return db;
}

function faultOf(work: () => unknown): McpdError {
  try {
    work();
  } catch (thrown) {
    if (thrown instanceof McpdError) return thrown;
    throw thrown;
  }
  throw new RangeError('nothing was thrown');
}

const digest = () => createHash('sha256').update(readFileSync(path)).digest('hex');
const modeOf = (file: string) => (statSync(file).mode & 0o777).toString(8);

test.runIf(HAS_MODES)('the file, its log and its index are for the owner alone, also when they were not before', () => {
  const before = process.umask(0o000);
  try {
    const db = filled(1);
    for (const file of [path, `${path}-wal`, `${path}-shm`]) expect(modeOf(file)).toBe('600');
    db.close();
  } finally {
    process.umask(before);
  }
  writeFileSync(join(home, 'copy'), readFileSync(path), { mode: 0o644 });
  renameSync(join(home, 'copy'), path);
  openDatabase(path, SCHEMA).close();
  expect(modeOf(path)).toBe('600');
});

test('what was written is there when it is opened again', () => {
  filled(10).close();
  const db = openDatabase(path, SCHEMA);
  expect(db.prepare('SELECT count(*) FROM things').pluck().get()).toBe(10);
  db.close();
});

test('a change that throws leaves nothing, and the next one is as before', () => {
  const db = filled(1);
  const add = db.prepare<[string]>('INSERT INTO things (text) VALUES (?)');
  expect(() =>
    durably(db, () => {
      add.run('half');
      throw new RangeError('stop');
    }),
  ).toThrow('stop');
  durably(db, () => add.run('whole'));
  expect(db.prepare('SELECT count(*) FROM things').pluck().get()).toBe(2);
  expect(db.pragma('synchronous', { simple: true })).toBe(1);
  db.close();
});

const DAMAGES: [string, (size: number) => void][] = [
  ['empty', () => truncateSync(path, 0)],
  ['cut to a few bytes', () => truncateSync(path, 50)],
  ['cut in the middle', (size) => truncateSync(path, Math.floor(size / 2))],
  ['cut within a page', (size) => truncateSync(path, size - 1000)],
  ['something else altogether', () => writeFileSync(path, 'registry: yes\n'.repeat(100))],
  ['overwritten in the middle', (size) => overwrite(Math.floor(size / 8192) * 4096, 4096, 0xa5)],
  ['overwritten in its header', () => overwrite(16, 60, 0xff)],
];

function overwrite(offset: number, length: number, byte: number): void {
  const bytes = readFileSync(path);
  bytes.fill(byte, offset, offset + length);
  writeFileSync(path, bytes);
}

test.each(DAMAGES)('a file that is %s is refused, explained and left as it is', (_, damage) => {
  filled(200).close();
  damage(statSync(path).size);
  const before = digest();
  const fault = faultOf(() => openDatabase(path, SCHEMA));
  expect(fault.code).toBe('REGISTRY_DAMAGED');
  expect(fault.parts.what).toContain(path);
  expect(fault.parts.why).not.toBe('');
  expect(fault.parts.fix).toContain(`mv '${path}' '${path}.damaged'`);
  expect(digest()).toBe(before);
});

test('a log that was left behind when its database was moved away is not played into the new one', () => {
  const old = filled(50);
  writeFileSync(join(home, 'kept-wal'), readFileSync(`${path}-wal`));
  old.close();
  renameSync(path, `${path}.damaged`);
  renameSync(join(home, 'kept-wal'), `${path}-wal`);
  const db = openDatabase(path, SCHEMA);
  expect(db.prepare('SELECT count(*) FROM things').pluck().get()).toBe(0);
  db.close();
  expect(statSync(`${path}.damaged-wal`).size).toBeGreaterThan(0);
});

test('a draft that a killed start left behind is begun again', () => {
  writeFileSync(`${path}.new`, 'half');
  const db = openDatabase(path, SCHEMA);
  expect(db.pragma('user_version', { simple: true })).toBe(1);
  db.close();
});

test('an older schema is brought up to date and keeps its rows', () => {
  filled(3).close();
  const db = openDatabase(path, {
    ...SCHEMA,
    migrations: [...SCHEMA.migrations, "ALTER TABLE things ADD COLUMN more TEXT NOT NULL DEFAULT 'x'"],
  });
  expect(db.prepare('SELECT count(*) FROM things WHERE more = ?').pluck().get('x')).toBe(3);
  expect(db.pragma('user_version', { simple: true })).toBe(2);
  db.close();
});

test('a migration that fails leaves the old schema', () => {
  filled(3).close();
  const broken = {
    ...SCHEMA,
    migrations: [...SCHEMA.migrations, 'CREATE TABLE more (id INTEGER); CREATE TABLE things (id INTEGER)'],
  };
  expect(faultOf(() => openDatabase(path, broken)).code).toBe('INTERNAL');
  const db = openDatabase(path, SCHEMA);
  expect(db.prepare("SELECT count(*) FROM sqlite_master WHERE name = 'more'").pluck().get()).toBe(0);
  db.close();
});

test('a newer schema is refused and left as it is', () => {
  const newer = { ...SCHEMA, migrations: [...SCHEMA.migrations, 'CREATE TABLE future (id INTEGER)'] };
  openDatabase(path, newer).close();
  const fault = faultOf(() => openDatabase(path, SCHEMA));
  expect(fault.code).toBe('REGISTRY_NEWER');
  expect(fault.parts.why).toBe('its schema is 2, this mcpd knows 1');
  openDatabase(path, newer).close();
});

test('a full disk is told as such, and the database is as before', () => {
  const db = filled(5);
  db.pragma(`max_page_count = ${Number(db.pragma('page_count', { simple: true }))}`);
  const add = db.prepare<[string]>('INSERT INTO things (text) VALUES (?)');
  const fault = faultOf(() => {
    try {
      durably(db, () => add.run('x'.repeat(100_000)));
    } catch (thrown) {
      throw sqliteFault(thrown, path);
    }
  });
  expect(fault.code).toBe('DISK_FULL');
  expect(db.prepare('SELECT count(*) FROM things').pluck().get()).toBe(5);
  db.close();
});

test('a path that cannot be a database is told as an unwritable home', () => {
  expect(faultOf(() => openDatabase(join(home, 'missing', 'registry.db'), SCHEMA)).code).toBe('HOME_UNWRITABLE');
  mkdirSync(path);
  expect(['HOME_UNWRITABLE', 'REGISTRY_DAMAGED']).toContain(faultOf(() => openDatabase(path, SCHEMA)).code);
});

test('a database that another program holds for long is told as such', () => {
  const db = filled(1);
  const other = openDatabase(path, SCHEMA);
  other.exec('BEGIN IMMEDIATE');
  const fault = faultOf(() => {
    try {
      durably(db, () => db.exec("INSERT INTO things (text) VALUES ('x')"));
    } catch (thrown) {
      throw sqliteFault(thrown, path);
    }
  });
  expect(fault.parts.why).toBe('another program holds it locked');
  other.close();
  db.close();
});
