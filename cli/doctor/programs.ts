import { closeSync, openSync, readFileSync, readSync, realpathSync, statSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import type { Check } from '../../src/api/contract/health.ts';
import { note, ok, warning } from '../../src/doctor/check.ts';
import { isMachineCode } from '../../src/machine-code.ts';

/** A program called `mcpd` that a shell would find. */
export interface Program {
  path: string;
  /** `ours`: this very installation. `mcpd`: another one of ours. `binary`: machine code. `other`: anything else. */
  kind: 'ours' | 'mcpd' | 'binary' | 'other';
}

/** Which `mcpd` a person gets who types it. Mozilla's program of the same name is machine code (Go); ours never is. */
export function judgePrograms(found: readonly Program[]): Check {
  const [first, ...others] = found;
  if (first === undefined)
    return note(
      'command',
      'mcpd is not on PATH; it runs by npx or by its full path',
      'in a clone of mcpd: npm pack, then npm install -g the file it names',
    );
  if (first.kind === 'binary') {
    const own = others.find((program) => program.kind === 'ours' || program.kind === 'mcpd');
    const fix =
      own === undefined
        ? 'npx mcpd, or move that program out of PATH'
        : `put ${dirname(own.path)} before ${dirname(first.path)} in PATH`;
    return warning(
      'command',
      `mcpd on PATH is another program, ${first.path}: probably Mozilla's mcpd, which has the same name`,
      fix,
    );
  }
  if (first.kind === 'other')
    return warning(
      'command',
      `mcpd on PATH is another program: ${first.path}`,
      'npx mcpd, or move that program out of PATH',
    );
  if (first.kind === 'mcpd')
    return note(
      'command',
      `mcpd on PATH is another installation: ${first.path}`,
      'two versions take turns only if the newer one replaces the daemon',
    );
  return ok('command', first.path);
}

/** Every `mcpd` of PATH in its order; `root` is the folder of this installation. */
export function programsOn(path: string, root: string): Program[] {
  return path
    .split(delimiter)
    .filter((folder) => folder !== '')
    .flatMap((folder) => programAt(join(folder, 'mcpd'), root));
}

// — internal —

function programAt(path: string, root: string): Program[] {
  try {
    const real = realpathSync(path);
    const stats = statSync(real);
    if (!stats.isFile() || (stats.mode & 0o111) === 0) return [];
    if (real.startsWith(join(root, '/'))) return [{ path, kind: 'ours' }];
    if (isMachineCode(headOf(real))) return [{ path, kind: 'binary' }];
    return [{ path, kind: isMcpdPackage(dirname(dirname(real))) ? 'mcpd' : 'other' }];
  } catch {
    return []; // Not there, or not readable: the shell would pass it over too.
  }
}

function headOf(path: string): Uint8Array {
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(4);
    readSync(file, bytes, 0, bytes.length, 0);
    return bytes;
  } finally {
    closeSync(file);
  }
}

function isMcpdPackage(folder: string): boolean {
  try {
    const { name } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name?: unknown };
    return name === 'mcpd';
  } catch {
    return false; // No package at all.
  }
}
