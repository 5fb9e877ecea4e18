import { mkdtempSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { McpdError } from '../../src/errors.ts';
import { pathsOf } from '../../src/paths.ts';
import { fatalLine } from '../../src/start-report.ts';
import { judgeNode } from './installation.ts';
import { checkLastStart } from './last-start.ts';
import { judgePrograms, programsOn } from './programs.ts';

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
