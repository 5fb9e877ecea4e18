import { open, realpath } from 'node:fs/promises';
import { basename, join, normalize, sep } from 'node:path';
import { errnoOf, McpdError } from '../errors.ts';
import { isMachineCode } from '../machine-code.ts';
import { OWN_NODE } from '../own-places.ts';

/** Which file of a package is the program, and how a process is made of it: always by argv, never by npx or a shell. */

/** The members of a package.json that matter here, as they came: nothing of it is trusted. */
export interface PackageManifest {
  name?: unknown;
  bin?: unknown;
  main?: unknown;
  description?: unknown;
}

export interface Runnable {
  command: string;
  args: string[];
}

/**
 * The package's program, relative to its folder: its only one, or the one that is called as the package without scope. Null when it
 * declares none.
 * @throws McpdError PACKAGE_NOT_RUNNABLE when there are several, naming them
 */
export function chooseBin(label: string, manifest: PackageManifest): string | null {
  const { bin } = manifest;
  if (typeof bin === 'string') return bin;
  if (typeof bin !== 'object' || bin === null) return null;
  const programs = Object.entries(bin).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
  const [first, ...others] = programs;
  if (first === undefined) return null;
  if (new Set(programs.map(([, path]) => normalize(path))).size === 1) return first[1];
  const unscoped = typeof manifest.name === 'string' ? manifest.name.replace(/^@[^/]+\//, '') : null;
  const own = [first, ...others].find(([name]) => name === unscoped);
  if (own !== undefined) return own[1];
  throw new McpdError('PACKAGE_NOT_RUNNABLE', {
    what: `${label} has several programs, and none is called ${unscoped ?? 'like the package'}`,
    why: `it has ${programs.map(([name]) => name).join(', ')}`,
    fix: 'install the package yourself and name the program: mcpd add NAME -- PROGRAM',
  });
}

/**
 * How the file `relative` of the package in `folder` is started.
 * @throws McpdError PACKAGE_NOT_RUNNABLE when it is not there or lies outside
 */
export async function runnableIn(label: string, folder: string, relative: string): Promise<Runnable> {
  const path = join(folder, relative);
  const outside = () =>
    new McpdError('PACKAGE_NOT_RUNNABLE', { what: `${label} names a program outside its own folder`, why: relative });
  if (!path.startsWith(folder + sep)) throw outside();
  try {
    if (!(await realpath(path)).startsWith((await realpath(folder)) + sep)) throw outside();
    return runnableOf(path, await headOf(path));
  } catch (error) {
    if (error instanceof McpdError) throw error;
    throw new McpdError('PACKAGE_NOT_RUNNABLE', {
      what: `${label} has no runnable program`,
      why: `its package.json names ${relative}, which ${errnoOf(error) === 'ENOENT' ? 'is not there' : `cannot be read (${errnoOf(error) ?? 'unknown'})`}`,
    });
  }
}

/** Pure part of `runnableIn`: `head` are the first bytes of the file. JavaScript runs with mcpd's own node. */
export function runnableOf(path: string, head: Uint8Array, platform: NodeJS.Platform = process.platform): Runnable {
  const shebang = shebangOf(head);
  if (shebang === null) return isMachineCode(head) ? { command: path, args: [] } : { command: OWN_NODE, args: [path] };
  if (/^node(js)?(\.exe)?$/.test(basename(shebang.program)))
    return { command: OWN_NODE, args: [...shebang.args, path] };
  // Windows reads no shebang.
  if (platform === 'win32') return { command: basename(shebang.program), args: [...shebang.args, path] };
  return { command: path, args: [] };
}

// — internal —

const HEAD_BYTES = 512;

/** The interpreter and its arguments, with `env` and its -S resolved. */
function shebangOf(head: Uint8Array): { program: string; args: string[] } | null {
  const line = /^\uFEFF?#!([^\r\n]*)/.exec(Buffer.from(head).toString('utf8'))?.[1];
  if (line === undefined) return null;
  let words = line.split(/\s+/).filter((word) => word !== '');
  if (words[0] !== undefined && basename(words[0]) === 'env') {
    words = words.slice(1).filter((word, index) => !(index === 0 && (word === '-S' || word === '--split-string')));
    while (words[0] !== undefined && /^[A-Za-z_]\w*=/.test(words[0])) words = words.slice(1);
  }
  const [program, ...args] = words;
  return program === undefined ? null : { program, args };
}

async function headOf(path: string): Promise<Uint8Array> {
  const file = await open(path, 'r');
  try {
    const { bytesRead, buffer } = await file.read(Buffer.alloc(HEAD_BYTES), 0, HEAD_BYTES, 0);
    return buffer.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}
