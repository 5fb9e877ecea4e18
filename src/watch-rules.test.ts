import { expect, test } from 'vitest';
import { WATCH_DEBOUNCE_MS, WATCH_GATHER_MAX_MS, WATCH_RESTARTS_PER_MINUTE_MAX } from './operation-limits.ts';
import { describeChange, dueAt, isWatched } from './watch-rules.ts';

test('sources restart a server, dependencies, history and build output do not', () => {
  for (const path of ['index.js', 'src/a/b.ts', 'package.json', '.env', ''])
    expect(isWatched(path, 'index.js'), path).toBe(true);
  const ignored = [
    'node_modules',
    'node_modules/x/index.js',
    'packages/a/node_modules/x.js',
    '.git/HEAD',
    'dist/index.js',
    'dist',
    'build',
    'src/dist/a.js',
  ];
  for (const path of ignored) expect(isWatched(path, 'index.js'), path).toBe(false);
});

test('build output is watched when the server is started from it', () => {
  expect(isWatched('dist', 'dist/index.js')).toBe(true);
  expect(isWatched('dist/other.js', 'dist/index.js')).toBe(true);
  expect(isWatched('dist/node_modules/x.js', 'dist/index.js')).toBe(false);
  expect(isWatched('build/index.js', 'dist/index.js')).toBe(false);
  expect(isWatched('packages/dist/index.js', 'dist/index.js')).toBe(false);
  expect(isWatched('dist/index.js', null)).toBe(false);
});

test('what a server or an editor writes beside the sources does not restart it', () => {
  for (const path of [
    'server.log',
    'todo.db',
    'todo.db-wal',
    'x.sqlite3-journal',
    '.index.js.swp',
    'index.js~',
    '4913',
    '.#index.js',
  ]) {
    expect(isWatched(path, 'index.js'), path).toBe(false);
  }
  expect(isWatched('data.db', 'data.db')).toBe(true);
});

test('changes are gathered until it is quiet, but not for ever', () => {
  expect(dueAt(1000, 1000, [])).toEqual({ at: 1000 + WATCH_DEBOUNCE_MS, held: false });
  expect(dueAt(1200, 1000, [])).toEqual({ at: 1200 + WATCH_DEBOUNCE_MS, held: false });
  expect(dueAt(1000 + WATCH_GATHER_MAX_MS, 1000, [])).toEqual({ at: 1000 + WATCH_GATHER_MAX_MS, held: false });
});

test('above the limit of a minute a change is held until the oldest is a minute old', () => {
  const told = Array.from({ length: WATCH_RESTARTS_PER_MINUTE_MAX }, (_, index) => 1000 + index * 400);
  expect(dueAt(20_000, 20_000, told)).toEqual({ at: 61_000, held: true });
  expect(dueAt(20_000, 20_000, told.slice(1))).toEqual({ at: 20_000 + WATCH_DEBOUNCE_MS, held: false });
  expect(dueAt(70_000, 70_000, told)).toEqual({ at: 70_000 + WATCH_DEBOUNCE_MS, held: false });
});

test('a change is told by its first file', () => {
  expect(describeChange(['a.js'])).toBe('a.js changed');
  expect(describeChange(['a.js', 'b.js'])).toBe('a.js and 1 more file changed');
  expect(describeChange(['a.js', 'b.js', 'c.js'])).toBe('a.js and 2 more files changed');
  expect(describeChange([])).toBe('the folder changed');
});
