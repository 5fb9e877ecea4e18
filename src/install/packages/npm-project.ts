import { lstat, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { McpdError } from '../../errors.ts';
import { TOOL_FETCH_MS } from '../../operation-limits.ts';
import type { PackageManifest, Runnable } from '../bin.ts';
import { runnableIn } from '../bin.ts';
import { programFile } from '../folder.ts';
import { installArguments, progressOf, runNpm } from './npm-arguments.ts';
import { npmError, readNpmFailure } from './npm-failure.ts';
import { withScriptsIn } from './npm-lock.ts';
import { findNpm, npmEnvironment } from './npm-run.ts';
import type { ToolOptions } from './source.ts';

/** A folder with a package.json, made ready to run where it lies: with what it depends on, and built where that is allowed. */

export interface ProjectWork {
  /** Of the whole, for errors. */
  label: string;
  folder: string;
  allowScripts: boolean;
  signal: AbortSignal;
  report(detail: string): void;
}

export interface ReadyProject {
  /** How it is started when its folder is at `root`. */
  runnableAt(root: string): Promise<Runnable>;
  scriptsLeftOut: string[];
  warnings: string[];
}

/** @throws McpdError PACKAGE_NEEDS_SCRIPTS when its program must be built and may not; PACKAGE_NOT_RUNNABLE, FETCH_FAILED, DISK_FULL */
export async function readyNpmProject(
  options: ToolOptions,
  work: ProjectWork,
  manifest: PackageManifest & Members,
): Promise<ReadyProject> {
  const { label, folder, allowScripts } = work;
  const file = await programFile(label, folder, manifest);
  if (file === null) throw noProgram(label, 'its package.json has neither "bin" nor "main"');
  const isThere = () =>
    stat(join(folder, file)).then(
      () => true,
      () => false, // not there, or on no way that leads there: to be built, or else told by `runnableIn`
    );
  const script = BUILDS.find((name) => typeof membersOf(manifest.scripts)[name] === 'string');
  if (!(await isThere())) {
    if (script === undefined)
      throw noProgram(
        label,
        `its package.json starts ${file}, which is not in it, and no script of it says how to build`,
      );
    if (!allowScripts) throw needsBuild(label, file, script);
  }
  const warnings = await withoutSettings(label, folder);
  if (allowScripts || DEPENDENCIES.some((member) => manifest[member] !== undefined)) await install(options, work);
  if (allowScripts && script !== undefined && !(await isThere())) await build(options, work, script);
  await runnableIn(label, folder, file);
  return {
    runnableAt: (root) => runnableIn(label, root, file),
    scriptsLeftOut: allowScripts ? [] : await withScriptsIn(folder),
    warnings,
  };
}

// — internal —

interface Members {
  scripts?: unknown;
  dependencies?: unknown;
  optionalDependencies?: unknown;
  peerDependencies?: unknown;
  workspaces?: unknown;
}

const DEPENDENCIES = ['dependencies', 'optionalDependencies', 'peerDependencies', 'workspaces'] as const;
/** By which projects make what they start, the usual one first. npm runs `prepare` by itself. */
const BUILDS = ['build', 'prepare', 'prepack'];

/** An .npmrc names registries, programs and variables to send along: that of a stranger is none of npm's business here. */
async function withoutSettings(label: string, folder: string): Promise<string[]> {
  const names = (await readdir(folder)).filter((name) => name.toLowerCase() === '.npmrc');
  for (const name of names)
    await rm(join(folder, name), { recursive: (await lstat(join(folder, name))).isDirectory() });
  return names.length === 0 ? [] : [`${label}: its .npmrc is not used`];
}

/** By its lock file, where it has one. What builds it is needed only where it may be built. */
async function install(options: ToolOptions, work: ProjectWork): Promise<void> {
  const args = ['install', '--prefix', work.folder, '--no-save', work.allowScripts ? '--include=dev' : '--omit=dev'];
  await run(options, work, [...args, ...installArguments({ registry: null, allowScripts: work.allowScripts })]);
}

async function build(options: ToolOptions, work: ProjectWork, script: string): Promise<void> {
  work.report(`npm run ${script}`);
  await run(options, work, ['run', script, '--prefix', work.folder, '--ignore-scripts=false', '--no-update-notifier']);
}

async function run(
  options: ToolOptions,
  { label, folder, signal, report }: ProjectWork,
  args: string[],
): Promise<void> {
  const env = npmEnvironment(await options.env(), options.execPath);
  const npm = await findNpm(options.execPath, env['PATH'] ?? '');
  const settings = { cwd: folder, env, signal, onLine: progressOf(report), track: options.track };
  const { code, stdout, stderr } = await runNpm(npm, args, { ...settings, timeoutMs: TOOL_FETCH_MS }, label);
  if (code === 0) return;
  throw npmError(readNpmFailure(stdout, stderr), { identifier: label, range: '', knownNames: [] });
}

function membersOf(value: unknown): Record<string, unknown> {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function noProgram(label: string, why: string): McpdError {
  return new McpdError('PACKAGE_NOT_RUNNABLE', {
    what: `${label} does not say how it is started`,
    why,
    fix: 'clone it, do what its page says, then: mcpd install ./FOLDER -- COMMAND ARGS',
  });
}

function needsBuild(label: string, file: string, script: string): McpdError {
  return new McpdError('PACKAGE_NEEDS_SCRIPTS', {
    what: `${label} must be built before it runs`,
    why: `it starts ${file}, which its script "${script}" makes; scripts of packages run only when they are allowed`,
    fix: 'if you trust it, mcpd install or mcpd update with --allow-scripts; it may be published ready to run, too: look at its page',
  });
}
