import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { serverStatus } from '../../test/harness/server-status.ts';
import type { DaemonStatus, ServerStatus } from '../api/contract.ts';
import { pathsOf } from '../paths.ts';
import { VERSION } from '../version.ts';
import { ok, warning } from './check.ts';
import { lookedAt, reportOf, withoutRepeats } from './checks.ts';
import { judgeDaemon, judgeServer } from './daemon.ts';
import { checkFiles, judgeFiles } from './files.ts';
import { judgeDisk } from './home.ts';
import { judgeSecrets } from './secrets.ts';
import { judgeStandings } from './standings.ts';
import { judgeStrays } from './strays.ts';

const status: DaemonStatus = {
  pid: 7,
  version: VERSION,
  home: '/h',
  port: 7077,
  startedAt: 0,
  state: 'running',
  engine: 'pm2',
  node: '20.19.0',
  servers: 2,
  sessions: 1,
  calls: 3,
  warnings: [],
};

const server = serverStatus('weather', { health: 'ok', listed: true });

test('a disk is judged by its free bytes and its free entries', () => {
  expect(judgeDisk('/', { bytes: 5 * 1024 ** 3, entries: 1 }).verdict).toBe('ok');
  expect(judgeDisk('/', { bytes: 500 * 1024 ** 2, entries: null }).verdict).toBe('warning');
  expect(judgeDisk('/', { bytes: 1024, entries: null })).toMatchObject({ verdict: 'failure', exit: 7 });
  expect(judgeDisk('/', { bytes: 5 * 1024 ** 3, entries: 0 }).verdict).toBe('failure');
});

test('no daemon is no fault; one of another version or without its port is told with what to do', () => {
  expect(judgeDaemon(null, 0).map((check) => check.verdict)).toEqual(['note']);
  expect(judgeDaemon(status, 60_000).map((check) => check.verdict)).toEqual(['ok', 'ok']);
  const odd = judgeDaemon(
    { ...status, version: '99.0.0', port: null, engine: 'direct', warnings: ['runs as root'] },
    0,
  );
  expect(odd.map((check) => check.verdict)).toEqual(['warning', 'note', 'warning', 'warning']);
  expect(odd[0]?.fix).toBe('use the newer mcpd');
});

test('of a port that is taken the daemon itself says which one, once', () => {
  const warnings = ['runs as root', 'the dashboard is off: port 7077 is taken'];
  const topics = judgeDaemon({ ...status, port: null, warnings }, 0).map(({ topic, text }) => `${topic}: ${text}`);
  expect(topics.slice(1)).toEqual(['dashboard: the dashboard is off: port 7077 is taken', 'daemon: runs as root']);
});

test('a server that runs is fine, and one that does not is said to rest, which needs nothing', () => {
  const judged = (changes: Partial<ServerStatus>) => {
    const { verdict, text, fix } = judgeServer({ ...server, ...changes });
    return [verdict, text, fix];
  };
  expect(judged({ state: 'running' })).toEqual(['ok', 'running', null]);
  expect(judged({})).toEqual(['note', 'stopped; starts with its first call', null]);
  expect(judged({ start: 'manual' })).toEqual(['note', 'stopped; starts when somebody starts it', null]);
  expect(judged({ state: 'starting' })).toEqual(['note', 'starting', null]);
  expect(judged({ enabled: false })).toEqual(['note', 'disabled', 'mcpd enable weather']);
});

test('a failed server is a failure with the advice of the daemon, and one that is started again is no well one', () => {
  expect(judgeServer({ ...server, state: 'failed', reason: 'exit code 1', fix: 'mcpd start weather' })).toEqual({
    topic: 'server weather',
    verdict: 'failure',
    text: 'failed: exit code 1',
    fix: 'mcpd start weather',
    exit: 5,
  });
  expect(judgeServer({ ...server, health: 'degraded', findings: ['two tools dropped'] })).toMatchObject({
    verdict: 'warning',
    text: 'stopped: two tools dropped',
  });
  const lastExit = { at: 1, uptimeMs: 1, code: 1, signal: null, cause: 'exit code 1', stderrTail: [] };
  const fix = 'mcpd logs weather; then mcpd start weather';
  expect(judgeServer({ ...server, state: 'starting', health: 'degraded', fix, lastExit })).toMatchObject({
    verdict: 'warning',
    text: 'starting: before: exit code 1',
    fix,
  });
});

test('secrets that a server lacks, and those that belong to no server, are told with the command that helps', () => {
  expect(
    judgeSecrets([
      { server: 'bank', name: 'TOKEN', state: 'used' },
      { server: 'bank', name: 'USER', state: 'missing' },
      { server: 'bank', name: 'OLD', state: 'unused' },
      { server: 'ghost', name: 'A', state: 'orphaned' },
      { server: 'ghost', name: 'B', state: 'orphaned' },
    ]).map(({ verdict, text, fix }) => [verdict, text, fix]),
  ).toEqual([
    ['warning', 'bank needs USER, which has no value', 'mcpd secret set bank USER'],
    ['warning', 'there is no server ghost, and A, B is kept for it', 'mcpd secret rm ghost'],
  ]);
});

test('files are told before the next server finds none', () => {
  expect(judgeFiles(40, 1024).verdict).toBe('ok');
  expect(judgeFiles(900, 1024)).toMatchObject({ verdict: 'warning', fix: expect.stringContaining('ulimit -n') });
  expect(checkFiles(process.pid)).toHaveLength(process.platform === 'linux' ? 1 : 0);
  expect(checkFiles(2 ** 30)).toEqual([]);
});

test('processes outside the tree of their server are told by their pids', () => {
  const leaf = (pid: number) => ({ pid, command: 'x', rssBytes: 1, children: [] });
  const row = { server: 'a', instance: 'a', state: 'running', hosts: null, folder: null, root: leaf(1), strays: [] };
  expect(judgeStrays({ servers: [row] })).toEqual([]);
  const lost = { ...row, root: null, strays: [leaf(7), leaf(8)] };
  expect(judgeStrays({ servers: [row, lost] })).toMatchObject([
    { verdict: 'note', text: 'outside the tree of a, which has ended: 7, 8', fix: 'mcpd ps --tree' },
  ]);
});

test('a look that fails is a finding, and the others go on', async () => {
  const home = mkdtempSync(join(tmpdir(), 'mcpd-doctor-'));
  const fault = new Error('no luck');
  const broken = {
    get servers(): never {
      throw fault;
    },
  };
  try {
    const checks = await lookedAt({
      paths: pathsOf(home),
      env: { SHELL: '/bin/sh' },
      now: 60_000,
      daemon: 'answers',
      status: { ...status, engine: 'direct' },
      servers: [server],
      secrets: [],
      processes: broken,
      lock: [{ server: 'weather', locked: null, differences: ['files were changed'] }],
      standings: [],
    });
    expect(checks).toContainEqual(
      expect.objectContaining({ topic: 'processes', verdict: 'failure', text: 'this could not be looked at: no luck' }),
    );
    expect(checks).toContainEqual({
      ...{ topic: 'lock', verdict: 'warning', text: 'weather: files were changed', exit: null },
      fix: expect.stringContaining('mcpd lock weather --agree'),
    });
    expect(checks.map(({ topic }) => topic)).toEqual(
      expect.arrayContaining(['home', 'disk', 'daemon', 'server weather']),
    );
    expect(reportOf(checks, 5)).toMatchObject({ checkedAt: 5, verdict: 'failure' });
  } finally {
    rmSync(home, { recursive: true });
  }
});

test('what an MCP registry has taken back or given up is told; one that could not be asked is said to be so', () => {
  const known = { server: 'weather', name: 'io.github.acme/weather', version: '1.0.0', place: 'r.test' };
  const active = { ...known, status: 'active', statusMessage: null, error: null } as const;
  const error = { code: 'FETCH_FAILED', what: 'r.test cannot be reached' } as const;
  expect(judgeStandings([])).toEqual([]);
  expect(judgeStandings([active])).toMatchObject([{ topic: 'registry', verdict: 'ok' }]);
  expect(judgeStandings([{ ...active, status: 'deleted', statusMessage: 'it steals' }])).toMatchObject([
    { verdict: 'warning', text: 'weather: io.github.acme/weather 1.0.0 is deleted at r.test: it steals' },
  ]);
  expect(judgeStandings([{ ...active, status: 'deprecated', error }])).toMatchObject([
    { verdict: 'warning', text: expect.stringContaining('1.0.0 is deprecated at r.test'), fix: 'mcpd update weather' },
    { verdict: 'note', text: expect.stringContaining('could not be asked: r.test cannot be reached') },
  ]);
  expect(judgeStandings([{ ...active, version: null, place: null, status: null, error }])).toMatchObject([
    { verdict: 'note', text: expect.stringContaining('could not be asked') },
  ]);
  expect(judgeStandings([{ ...active, version: null, place: null, status: null }])).toMatchObject([
    { verdict: 'note', text: 'weather: no MCP registry that is asked has its version of io.github.acme/weather' },
  ]);
});

test('what two looks found is told once, but each server keeps its line', () => {
  const same = ok('home', 'runs as root');
  const sleeping = [judgeServer(server), judgeServer({ ...server, name: 'todo' })];
  expect(withoutRepeats([same, warning('daemon', 'runs as root', null), ...sleeping])).toEqual([same, ...sleeping]);
  expect(reportOf([], 0).verdict).toBe('ok');
});
