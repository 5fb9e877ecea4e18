import { posix, win32 } from 'node:path';
import { McpdError } from '../../errors.ts';
import { OWN_NODE } from '../../own-places.ts';
import { type Manifest, programTemplates } from './manifest.ts';
import { BUNDLE_FOLDER, filledPlaces, type Places, VARIABLE } from './places.ts';
import { named } from './refusal.ts';

/** Which program a bundle is started by. Pure. */
export interface BundleProgram {
  /** `${node}` for mcpd's own, `${__dirname}/…` for one of the bundle, else an absolute path, or a name that is looked up at each start. */
  command: string;
  /** Files of the bundle that must be executable. */
  executables: string[];
}

/**
 * @param files what the bundle has, by path
 * @throws {McpdError} PACKAGE_NOT_RUNNABLE when its program or its entry point is not in it
 */
export function bundleProgram(manifest: Manifest, files: ReadonlySet<string>, places: Places): BundleProgram {
  const { kind, entryPoint } = manifest;
  const { platform } = places;
  const entry =
    entryPoint === null ? null : fileIn(entryPoint, files, platform, `its entry point ${named(entryPoint)}`);
  const executables = kind === 'binary' && entry !== null ? [entry] : [];
  const command = filledPlaces(programTemplates(manifest).command, places);
  if (kind === 'node' && /^node(\.exe)?$/.test(command)) return { command: OWN_NODE, executables };
  const isOwn = OWN_PROGRAM.test(command);
  const inside = command.replace(OWN_PROGRAM, '');
  if (VARIABLE.test(inside)) throw notRunnable(`its program is a setting: ${named(command)}`, BY_HAND);
  const isName = !/[/\\]/.test(command) && !files.has(command);
  if (!isOwn && (isName || isAbsolute(command))) return { command, executables };
  const program = fileIn(inside, files, platform, `its program ${named(inside)}`);
  return { command: `${BUNDLE_FOLDER}/${program}`, executables: [...new Set([program, ...executables])] };
}

// — internal —

const OWN_PROGRAM = /^\$\{__dirname\}[/\\]/;
const BY_HAND = 'unpack it, and name the program yourself: mcpd add NAME -- PROGRAM ARGS';

/** Windows adds the `.exe` that a manifest leaves out. */
function fileIn(written: string, files: ReadonlySet<string>, platform: NodeJS.Platform, label: string): string {
  const path = posix.normalize(written.replaceAll('\\', '/'));
  if (path === '..' || path.startsWith('../') || isAbsolute(path)) throw notRunnable(`${label} is outside of it`);
  const candidates = platform === 'win32' ? [path, `${path}.exe`] : [path];
  const found = candidates.find((candidate) => files.has(candidate));
  if (found === undefined) throw notRunnable(`${label} is not in it`);
  return found;
}

function isAbsolute(path: string): boolean {
  return posix.isAbsolute(path) || win32.isAbsolute(path);
}

function notRunnable(why: string, fix = 'ask its publisher for a bundle that is complete'): McpdError {
  return new McpdError('PACKAGE_NOT_RUNNABLE', { what: 'the bundle cannot be started', why, fix });
}
