import { mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { OWN_NODE } from '../own-places.ts';
import { chooseBin, runnableIn, runnableOf } from './bin.ts';

const NODE = OWN_NODE;
const run = (text: string, platform: NodeJS.Platform = 'linux') => runnableOf('/p/cli', Buffer.from(text), platform);

describe('the program of a package', () => {
  test('is its only one, or the one called like the package', () => {
    expect(chooseBin('x', { name: 'x', bin: './cli.js' })).toBe('./cli.js');
    expect(chooseBin('x', { name: 'x', bin: { other: 'cli.js' } })).toBe('cli.js');
    expect(chooseBin('x', { name: '@acme/x', bin: { x: 'a.js', y: 'b.js' } })).toBe('a.js');
    expect(chooseBin('x', { name: 'x', bin: { p: 'a.js', q: './a.js' } })).toBe('a.js');
    expect(chooseBin('x', { name: 'x' })).toBeNull();
    expect(chooseBin('x', { name: 'x', bin: { broken: 7 } })).toBeNull();
  });

  test('is asked for when there are several, by their names', () => {
    expect(() => chooseBin('npm:x', { name: 'x', bin: { serve: 'a.js', admin: 'b.js' } })).toThrow(
      'it has serve, admin',
    );
  });
});

describe('a program is started', () => {
  test('with our node when it is JavaScript', () => {
    expect(run('#!/usr/bin/env node\nx')).toEqual({ command: NODE, args: ['/p/cli'] });
    expect(run('#!/usr/bin/env -S node --no-warnings --title=a\r\nx')).toEqual({
      command: NODE,
      args: ['--no-warnings', '--title=a', '/p/cli'],
    });
    expect(run('#!/usr/local/bin/node')).toEqual({ command: NODE, args: ['/p/cli'] });
    expect(run('import "x"')).toEqual({ command: NODE, args: ['/p/cli'] });
    expect(run('')).toEqual({ command: NODE, args: ['/p/cli'] });
  });

  test('directly when it is a script of another interpreter or native', () => {
    for (const text of ['#!/bin/sh\n', '#!/usr/bin/env bun\n', '#!/usr/bin/env FOO=1 python3\n']) {
      expect(run(text)).toEqual({ command: '/p/cli', args: [] });
    }
    expect(runnableOf('/p/cli', Buffer.from([0x7f, 0x45, 0x4c, 0x46, 2]))).toEqual({
      command: '/p/cli',
      args: [],
    });
  });

  test('by its interpreter on Windows, which reads no shebang', () => {
    expect(run('#!/usr/bin/env -S python3 -u\n', 'win32')).toEqual({ command: 'python3', args: ['-u', '/p/cli'] });
  });
});

describe('a file of a package', () => {
  test('that is missing or leads out of the package is refused', async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), 'mcpd-bin-')));
    try {
      const folder = join(root, 'package');
      mkdirSync(folder);
      writeFileSync(join(root, 'outside.js'), 'x');
      writeFileSync(join(folder, 'cli.js'), 'x');
      symlinkSync(join(root, 'outside.js'), join(folder, 'link.js'));
      expect(await runnableIn('x', folder, './cli.js')).toEqual({
        command: NODE,
        args: [join(folder, 'cli.js')],
      });
      await expect(runnableIn('x', folder, 'dist/cli.js')).rejects.toThrow('dist/cli.js, which is not there');
      await expect(runnableIn('x', folder, '../outside.js')).rejects.toThrow('outside its own folder');
      await expect(runnableIn('x', folder, 'link.js')).rejects.toThrow('outside its own folder');
    } finally {
      rmSync(root, { recursive: true });
    }
  });
});
