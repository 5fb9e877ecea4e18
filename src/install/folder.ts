import { readFile, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { errnoOf, McpdError } from '../errors.ts';
import { shellWord } from '../shell-word.ts';
import { chooseBin, type PackageManifest, type Runnable, runnableIn } from './bin.ts';
import { jsonFault } from './json-fault.ts';

/** A development server: a folder that is started where it lies. */
export interface DevelopmentFolder {
  path: string;
  /** What the package calls itself, else the folder's own name. */
  name: string;
  description: string;
  /** How it is started, or why its package.json does not say. */
  program: Runnable | McpdError;
}

/**
 * Looks into an absolute folder: the `bin` or else the `main` of its package.json, which Node takes to be index.js when it is left out.
 * @throws McpdError FOLDER_UNKNOWN; CONFIG_INVALID when its package.json is no JSON
 */
export async function readFolder(path: string): Promise<DevelopmentFolder> {
  await checkFolder(path);
  const manifest = await readManifest(path);
  const name = typeof manifest?.name === 'string' && manifest.name !== '' ? manifest.name : basename(path);
  const description = typeof manifest?.description === 'string' ? manifest.description : '';
  return { path, name, description, program: await programIn(path, manifest) };
}

/** The file a folder's server is started from, for the watch; null when it is a command from elsewhere. */
export function entryOf(folder: string, launch: { command: string; args: readonly string[] }): string | null {
  return (
    [launch.command, ...launch.args].find((word) => word.startsWith(`${folder}/`) || word.startsWith(`${folder}\\`)) ??
    null
  );
}

/** The package.json of a folder; null where there is none. @throws McpdError CONFIG_INVALID */
export async function readManifest(folder: string): Promise<PackageManifest | null> {
  const path = join(folder, 'package.json');
  let text: string;
  try {
    text = (await readFile(path, 'utf8')).replace(/^\uFEFF/, '');
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw new McpdError('CONFIG_INVALID', { what: `${path} cannot be read`, why: errnoOf(error) ?? String(error) });
  }
  try {
    const parsed: unknown = JSON.parse(text);
    return typeof parsed === 'object' && parsed !== null ? parsed : {};
  } catch (error) {
    throw new McpdError('CONFIG_INVALID', {
      what: `${path} is not JSON`,
      why: jsonFault(text, error),
      fix: 'repair it, and install again',
    });
  }
}

/** The file that a folder's server is started from, relative to it, whether it is there or not; null when its package.json names none. */
export async function programFile(label: string, folder: string, manifest: PackageManifest): Promise<string | null> {
  const bin = chooseBin(label, manifest);
  const main = typeof manifest.main === 'string' ? await mainFile(folder, manifest.main) : null;
  return bin ?? main ?? ((await isFile(join(folder, 'index.js'))) ? 'index.js' : null);
}

// — internal —

async function checkFolder(path: string): Promise<void> {
  const unknown = (why: string) =>
    new McpdError('FOLDER_UNKNOWN', {
      what: `${path} is not a folder to install from`,
      why,
      fix: `ls -ld ${shellWord(dirname(path))}`,
    });
  try {
    if (!(await stat(path)).isDirectory()) throw unknown('it is a file; give the folder that holds the server');
  } catch (error) {
    if (error instanceof McpdError) throw error;
    const errno = errnoOf(error);
    throw unknown(errno === 'ENOENT' ? 'it does not exist' : `it cannot be read (${errno ?? String(error)})`);
  }
}

async function programIn(folder: string, manifest: PackageManifest | null): Promise<Runnable | McpdError> {
  if (manifest === null) return noProgram(folder, 'it has no package.json');
  try {
    const file = await programFile(folder, folder, manifest);
    if (file === null) return noProgram(folder, 'its package.json has neither "bin" nor "main"');
    return await runnableIn(folder, folder, file);
  } catch (error) {
    if (error instanceof McpdError) return error;
    throw error;
  }
}

/** Node lets `main` leave out the extension, or name a folder with an index.js. */
async function mainFile(folder: string, main: string): Promise<string> {
  for (const candidate of [main, `${main}.js`, join(main, 'index.js')]) {
    if (await isFile(join(folder, candidate))) return candidate;
  }
  return main; // not there: whoever starts it says so
}

async function isFile(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isFile();
  } catch {
    return false; // not there: the next candidate is tried
  }
}

function noProgram(folder: string, why: string): McpdError {
  return new McpdError('PACKAGE_NOT_RUNNABLE', {
    what: `${folder} does not say how it is started`,
    why,
    fix: `name the command: mcpd install ${shellWord(folder)} -- COMMAND ARGS`,
  });
}
