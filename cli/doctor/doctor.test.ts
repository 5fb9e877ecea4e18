import { mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { DaemonStatus, ServerStatus } from '../../src/api/contract.ts';
import { DEFAULT_LIMITS } from '../../src/core/model.ts';
import { McpdError } from '../../src/errors.ts';
import { pathsOf } from '../../src/paths.ts';
import { fatalLine } from '../../src/start-report.ts';
import { VERSION } from '../../src/version.ts';
import { judgeDaemon, judgeServer } from './daemon.ts';
import { judgeDisk } from './home.ts';
import { judgeNode } from './installation.ts';
import { checkLastStart } from './last-start.ts';
import { judgePrograms, programsOn } from './programs.ts';
import { judgeSecrets } from './secrets.ts';

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

const server: ServerStatus = {
  name: 'weather',
  description: '',
  start: 'on-demand',
  sharing: 'auto',
  enabled: true,
  wanted: 'down',
  wantedReason: null,
  state: 'stopped',
  reason: null,
  fix: null,
  health: 'ok',
  findings: [],
  since: 0,
  pid: null,
  era: null,
  protocolVersion: null,
  openCalls: 0,
  calls: 0,
  errors: 0,
  starts: 0,
  lastExit: null,
  nextStartAt: null,
  counts: { tools: 2, prompts: 0, resources: 0, templates: 0 },
  listed: true,
  source: { kind: 'command', ref: 'node x' },
  launch: { kind: 'stdio', command: 'node', args: [], cwd: null, env: {} },
  limits: DEFAULT_LIMITS,
  fingerprint: 'f',
  addedAt: 0,
};

test('a node below the floor is a failure that names the version to install', () => {
  expect(judgeNode('20.19.0').verdict).toBe('ok');
  expect(judgeNode('26.0.0').verdict).toBe('ok');
  for (const old of ['18.20.0', '20.18.3'])
    expect(judgeNode(old)).toMatchObject({ verdict: 'failure', fix: 'install node 20.19 or newer', exit: 1 });
});

test("a program of machine code called mcpd is told as probably Mozilla's, with the order of PATH that helps", () => {
  const check = judgePrograms([
    { path: '/usr/local/bin/mcpd', kind: 'binary' },
    { path: '/home/me/.npm/bin/mcpd', kind: 'ours' },
  ]);
  expect(check).toMatchObject({ verdict: 'warning', fix: 'put /home/me/.npm/bin before /usr/local/bin in PATH' });
  expect(check.text).toContain('Mozilla');
});

test('our own mcpd first on PATH is fine, whatever comes after it', () => {
  expect(
    judgePrograms([
      { path: '/a/mcpd', kind: 'ours' },
      { path: '/b/mcpd', kind: 'binary' },
    ]).verdict,
  ).toBe('ok');
  expect(judgePrograms([]).verdict).toBe('note');
  expect(judgePrograms([{ path: '/a/mcpd', kind: 'mcpd' }]).verdict).toBe('note');
});

test('programs of PATH are told apart by what they are, links followed', () => {
  const folder = mkdtempSync(join(tmpdir(), 'mcpd-doctor-'));
  try {
    const bin = (name: string) => join(folder, name);
    const inFolder = (name: string, content: string | Buffer) => writeFileSync(bin(name), content, { mode: 0o755 });
    inFolder('elf', Buffer.from('7f454c4602010100', 'hex'));
    inFolder('script', '#!/bin/sh\n');
    const found = (target: string, root: string) => {
      rmSync(bin('mcpd'), { force: true });
      symlinkSync(bin(target), bin('mcpd'));
      return programsOn(`/nowhere:${folder}`, root).map((program) => program.kind);
    };
    expect(found('elf', '/opt/mcpd')).toEqual(['binary']);
    expect(found('script', '/opt/mcpd')).toEqual(['other']);
    expect(found('script', folder)).toEqual(['ours']);
    expect(found('missing', '/opt/mcpd')).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

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

test('a start that failed is told with its reason, until a later one has left its traces', () => {
  const home = mkdtempSync(join(tmpdir(), 'mcpd-doctor-'));
  const paths = pathsOf(home);
  const written = (path: string, text: string, second: number) => {
    writeFileSync(path, text);
    utimesSync(path, second, second);
  };
  try {
    expect(checkLastStart(paths)).toEqual([]);
    const damaged = new McpdError('REGISTRY_DAMAGED', { what: 'it is damaged', why: 'page 3', fix: 'mv it away' });
    written(paths.registry, 'x', 1000);
    written(paths.startLog, `noise\n${fatalLine(damaged)}\n`, 2000);
    expect(checkLastStart(paths)).toMatchObject([
      { topic: 'daemon', verdict: 'failure', fix: 'mv it away', exit: 7, text: expect.stringContaining('page 3') },
    ]);
    written(paths.endMark, '', 3000);
    expect(checkLastStart(paths)).toEqual([]);
  } finally {
    rmSync(home, { recursive: true });
  }
});

test('a failed server is a failure with the advice of the daemon; a sleeping one is fine', () => {
  expect(judgeServer(server).verdict).toBe('ok');
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
  expect(judgeServer({ ...server, enabled: false }).verdict).toBe('note');
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
    ['warning', 'there is no server ghost, and A, B is kept for it', 'mcpd secret remove ghost'],
  ]);
});
