import { readdir, readFile, realpath } from 'node:fs/promises';
import { basename, join, sep } from 'node:path';
import { errnoOf, McpdError } from '../../errors.ts';

/** Which of the programs that a package of PyPI brought is its server. */

/** Absolute paths of everything in a folder of programs; none where there is no such folder. */
export async function programsIn(folder: string): Promise<string[]> {
  try {
    return (await readdir(folder)).sort().map((name) => join(folder, name));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return [];
    throw error;
  }
}

/** Those that the package itself declares, in an environment that holds others too. */
export async function consolePrograms(venv: string, bin: string, requirement: string): Promise<string[]> {
  const wanted = requirement
    .replace(/\[.*$/, '')
    .replace(/[-_.]+/g, '_')
    .toLowerCase();
  const found = (await readdir(venv, { recursive: true })).find((path) => {
    const [, name = ''] = /([^/\\]+?)-[^-/\\]+\.dist-info[/\\]entry_points\.txt$/.exec(path) ?? [];
    return name.replace(/[-_.]+/g, '_').toLowerCase() === wanted;
  });
  if (found === undefined) return [];
  const names = scriptNames(await readFile(join(venv, found), 'utf8'));
  const ending = process.platform === 'win32' ? '.exe' : '';
  return names.map((name) => join(bin, name + ending)).filter((path) => path.startsWith(bin + sep));
}

/**
 * The program that is asked for, or that is called as the package, or the only one.
 * @throws McpdError PACKAGE_NOT_RUNNABLE naming what there is
 */
export async function programIn(
  programs: readonly string[],
  asked: string | null,
  identifier: string,
): Promise<string> {
  const named = (name: string) => programs.find((path) => plain(basename(path)) === plain(name));
  const found =
    asked === null ? (named(identifier) ?? (programs.length === 1 ? programs[0] : undefined)) : named(asked);
  if (found !== undefined) {
    // A program that is not there any more would fail at the start, far from here.
    await realpath(found);
    return found;
  }
  const names = programs.map((path) => basename(path));
  throw new McpdError('PACKAGE_NOT_RUNNABLE', {
    what: `pypi:${identifier} has no program ${asked ?? 'of its name'}`,
    why:
      names.length === 0
        ? 'it has no programs; it may be a library'
        : `it has ${names.slice(0, NAMES_SHOWN).join(', ')}`,
    fix: `install it yourself and name the program: mcpd add NAME -- PROGRAM`,
  });
}

// — internal —

/** Pure: the names below `[console_scripts]`. */
function scriptNames(entryPoints: string): string[] {
  const names: string[] = [];
  let isScripts = false;
  for (const line of entryPoints.split(/\r?\n/).map((each) => each.trim())) {
    if (line.startsWith('[')) isScripts = line === '[console_scripts]';
    else if (isScripts && /^[^=#;\s]+\s*=/.test(line)) names.push(line.slice(0, line.indexOf('=')).trim());
  }
  return names;
}

const NAMES_SHOWN = 10;

function plain(name: string): string {
  return name
    .replace(/\.exe$/i, '')
    .replace(/[-_.]+/g, '-')
    .toLowerCase();
}
