import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { COMMANDS } from '../../cli/command-table.ts';
import { completionScript } from '../../cli/completion.ts';

const execute = promisify(execFile);
let folder = '';

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'mcpd-completion-'));
  // Stands for the installed program: only its list of names is asked for.
  await writeFile(join(folder, 'mcpd'), '#!/bin/sh\n[ "$1 $2" = "list --names" ] && printf "weather\\ntodo\\n"\n', {
    mode: 0o755,
  });
  await writeFile(join(folder, 'mcpd.bash'), completionScript('bash', COMMANDS));
});

afterAll(async () => {
  await rm(folder, { recursive: true, force: true });
});

/** What bash offers after these words; the last is the one being typed. */
async function offered(...words: string[]): Promise<string[]> {
  // compopt exists only while bash itself completes.
  const script = `source "$1"; compopt() { :; }; shift; COMP_WORDS=(mcpd "$@"); COMP_CWORD=$#; _mcpd; printf '%s\\n' "\${COMPREPLY[@]}"`;
  const { stdout } = await execute('bash', ['--norc', '-c', script, 'bash', join(folder, 'mcpd.bash'), ...words], {
    env: { PATH: `${folder}:${process.env['PATH']}` },
  });
  return stdout.split('\n').filter((line) => line !== '');
}

test('bash completes the names of commands', async () => {
  expect(await offered('ins')).toEqual(['install']);
  expect(await offered('')).toHaveLength(
    COMMANDS.length + COMMANDS.filter((command) => command.alias !== undefined).length,
  );
});

test('bash completes the names of installed servers', async () => {
  expect(await offered('restart', '')).toEqual(['weather', 'todo']);
  expect(await offered('logs', 'we')).toEqual(['weather']);
});

test('bash completes options, and the values that an option knows', async () => {
  expect(await offered('install', '--al')).toEqual(['--allow-scripts']);
  expect(await offered('add', 'db', '--start', 'm')).toEqual(['manual']);
  expect(await offered('completion', '')).toEqual(['bash', 'zsh', 'fish']);
});

test('bash offers nothing of mcpd behind --', async () => {
  expect(await offered('add', 'db', '--', '')).toEqual([]);
});
