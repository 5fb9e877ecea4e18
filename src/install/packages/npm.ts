import { readFile, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { McpdError } from '../../errors.ts';
import { NPM_RESOLVE_MS, NPM_TIMEOUT_MS, TOOL_RUNS_MAX } from '../../operation-limits.ts';
import { chooseBin, type PackageManifest, runnableIn } from '../bin.ts';
import { installArguments, progressOf, reachArguments, runNpm } from './npm-arguments.ts';
import { engineWarnings, npmError, readNpmFailure } from './npm-failure.ts';
import { readLock } from './npm-lock.ts';
import { findNpm, npmEnvironment } from './npm-run.ts';
import { makeFolder, settle } from './package-folder.ts';
import { runTool, type ToolProgram, type ToolRunOptions } from './run-tool.ts';
import { Slots } from './slots.ts';
import type {
  FetchedPackage,
  PackageRequest,
  PackageSource,
  PublishedVersion,
  ToolOptions,
  VersionRequest,
} from './source.ts';

export function npmPackages(options: ToolOptions): PackageSource {
  const slots = new Slots(TOOL_RUNS_MAX);
  return {
    fetch: (request, signal, report) => slots.run(signal, () => fetchPackage(options, request, signal, report)),
    versionOf: (request, signal) => slots.run(signal, () => resolveVersion(options, request, signal)),
  };
}

// — internal —

type NpmRequest = VersionRequest & Pick<PackageRequest, 'allowScripts'>;

async function fetchPackage(
  options: ToolOptions,
  request: PackageRequest,
  signal: AbortSignal,
  report: (detail: string) => void,
): Promise<FetchedPackage> {
  const env = npmEnvironment(await options.env(), options.execPath);
  const npm = await findNpm(options.execPath, env['PATH'] ?? '');
  const temporary = await makeProject(request.folder);
  let root = temporary;
  try {
    const run = {
      cwd: temporary,
      env,
      signal,
      onLine: progressOf(report),
      track: options.track,
      timeoutMs: NPM_TIMEOUT_MS,
    };
    const warnings = await install(npm, request, temporary, run);
    const label = `npm:${request.identifier}`;
    const inside = join('node_modules', request.identifier);
    const lock = await readLock(temporary, request.identifier);
    const manifest = await readManifest(join(temporary, inside));
    const bin = chooseBin(label, manifest);
    if (bin === null) throw noProgram(label, lock.version);
    await runnableIn(label, join(temporary, inside), bin);
    root = await settle(temporary, request.folder, lock.version);
    return {
      installed: { kind: 'npm', identifier: request.identifier, version: lock.version, integrity: lock.integrity },
      root,
      runnable: await runnableIn(label, join(root, inside), bin),
      description: typeof manifest.description === 'string' ? manifest.description : '',
      scriptsLeftOut: request.allowScripts ? [] : lock.withScripts,
      warnings,
    };
  } catch (error) {
    await rm(root, { recursive: true, force: true });
    await rmdir(request.folder).catch(() => undefined); // not empty: another version is in use there
    throw error;
  }
}

/** npm itself decides, as when it installs, and writes a lock file only. */
async function resolveVersion(
  options: ToolOptions,
  asked: VersionRequest,
  signal: AbortSignal,
): Promise<PublishedVersion> {
  const request = { ...asked, allowScripts: false };
  const env = npmEnvironment(await options.env(), options.execPath);
  const npm = await findNpm(options.execPath, env['PATH'] ?? '');
  const temporary = await makeProject(request.folder);
  try {
    const run = { cwd: temporary, env, signal, onLine: () => undefined, track: options.track };
    await install(npm, request, temporary, { ...run, timeoutMs: NPM_RESOLVE_MS }, true);
    const { version, integrity } = await readLock(temporary, request.identifier);
    return { version, integrity };
  } finally {
    await rm(temporary, { recursive: true, force: true });
    await rmdir(request.folder).catch(() => undefined); // not empty: a version is in use there
  }
}

/** @returns warnings of npm that a person should see */
async function install(
  npm: ToolProgram,
  request: NpmRequest,
  folder: string,
  run: ToolRunOptions,
  lockOnly = false,
): Promise<string[]> {
  const args = [
    ...['install', `${request.identifier}@${request.range}`, '--prefix', folder, '--save', '--save-exact'],
    ...['--omit=dev', `--package-lock-only=${lockOnly}`],
    ...installArguments(request),
  ];
  const { code, stdout, stderr } = await runNpm(npm, args, run, request.identifier);
  if (code === 0) return engineWarnings(stderr);
  const error = npmError(readNpmFailure(stdout, stderr), request);
  throw error.code === 'VERSION_UNKNOWN' ? await withVersions(error, npm, request, run) : error;
}

const VERSIONS_SHOWN = 5;

async function withVersions(
  error: McpdError,
  npm: ToolProgram,
  request: NpmRequest,
  run: ToolRunOptions,
): Promise<McpdError> {
  const args = [
    'view',
    request.identifier,
    'versions',
    'dist-tags',
    '--json',
    '--no-update-notifier',
    ...reachArguments(request),
  ];
  const { code, stdout } = await runTool(npm, args, run);
  const known = code === 0 ? versionsIn(stdout) : null;
  if (known === null) return error;
  return new McpdError('VERSION_UNKNOWN', {
    what: error.parts.what,
    why: `its latest are ${known.latest.join(', ')}${known.tags === '' ? '' : ` (${known.tags})`}`,
    fix: `mcpd install npm:${request.identifier}@${known.latest[0]}`,
  });
}

/** Null when npm printed something else, as some older ones do: then the error stands without the list. */
function versionsIn(stdout: string): { latest: string[]; tags: string } | null {
  try {
    const { versions, 'dist-tags': tags } = JSON.parse(stdout) as { versions?: unknown; 'dist-tags'?: unknown };
    const all = (Array.isArray(versions) ? versions : [versions]).filter((each) => typeof each === 'string');
    const named = Object.entries(typeof tags === 'object' && tags !== null ? tags : {});
    if (all.length === 0) return null;
    return {
      latest: all.slice(-VERSIONS_SHOWN).reverse(),
      tags: named.map(([tag, version]) => `${tag} is ${version}`).join(', '),
    };
  } catch {
    return null; // see above
  }
}

/** The package.json keeps npm from looking for a project further up. */
async function makeProject(folder: string): Promise<string> {
  const temporary = await makeFolder(folder);
  await writeFile(join(temporary, 'package.json'), '{"private":true}\n');
  return temporary;
}

async function readManifest(folder: string): Promise<PackageManifest> {
  const parsed: unknown = JSON.parse(await readFile(join(folder, 'package.json'), 'utf8'));
  return typeof parsed === 'object' && parsed !== null ? parsed : {};
}

function noProgram(label: string, version: string): McpdError {
  return new McpdError('PACKAGE_NOT_RUNNABLE', {
    what: `${label}@${version} has no program to run`,
    why: 'its package.json has no "bin"; it may be a library',
    fix: 'look at the package’s own page for the server it belongs to',
  });
}
