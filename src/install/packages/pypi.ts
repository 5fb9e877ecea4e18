import { mkdir, rm, rmdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { NPM_RESOLVE_MS, TOOL_FETCH_MS, TOOL_RUNS_MAX } from '../../operation-limits.ts';
import { isExactVersion } from '../spec.ts';
import { freeName, makeFolder, UNFINISHED } from './package-folder.ts';
import { type PythonArguments, pythonArguments } from './pypi-arguments.ts';
import { pipInstall, pipVersion } from './pypi-pip.ts';
import { uvInstall, uvVersion } from './pypi-uv.ts';
import { programIn } from './python-programs.ts';
import { runTool, type ToolRun } from './run-tool.ts';
import { findRuntime, missingRuntime, type Runtime } from './runtimes.ts';
import { Slots } from './slots.ts';
import type { FetchedPackage, PackageRequest, PackageSource, ToolOptions, VersionRequest } from './source.ts';
import { toolError } from './tool-failure.ts';

/**
 * Packages of PyPI, each in an environment of its own in mcpd's home: made by uv, or else by a Python with pip. They are started by the
 * program that was installed, so that a start needs neither the tool nor a network.
 */
export function pypiPackages(options: ToolOptions): PackageSource {
  const slots = new Slots(TOOL_RUNS_MAX);
  return {
    fetch: (request, signal, report) => slots.run(signal, () => fetchPackage(options, request, signal, report)),
    versionOf: (request, signal) =>
      slots.run(signal, async () => {
        const { version, integrity } = await versionOf(await workOf(options, asking(request), signal), request);
        return { version, integrity: integrity === '' ? null : integrity };
      }),
    canRun: async () => (await pythonTool(pythonEnvironment(await options.env()))) !== null,
    preview: async ({ identifier, range, runtimeArguments }) => {
      const { program } = pythonArguments(identifier, runtimeArguments);
      return { command: `<${program ?? identifier}@${range}>`, args: [] };
    },
  };
}

/** What one piece of work with a tool has. */
export interface PythonWork {
  tool: Runtime;
  isUv: boolean;
  wanted: PythonArguments;
  registry: string | null;
  allowScripts: boolean;
  /** Runs the tool (or another program in its place). @throws McpdError why the package could not be fetched */
  run(
    args: readonly string[],
    more?: { env?: NodeJS.ProcessEnv; timeoutMs?: number; program?: string },
  ): Promise<string>;
}

/** A version, and the hashes of the files by which it is published, as SRI writes them; empty where the tool tells none. */
export interface PythonVersion {
  version: string;
  integrity: string;
}

/** uv, or else a Python, ready to work. @throws McpdError COMMAND_NOT_FOUND with what installs uv */
export async function workOf(
  options: ToolOptions,
  { label, identifier, registry, runtimeArguments, allowScripts }: Asked,
  signal: AbortSignal,
  report: (detail: string) => void = () => undefined,
): Promise<PythonWork> {
  const wanted = pythonArguments(identifier, runtimeArguments);
  const env = pythonEnvironment(await options.env());
  const tool = await pythonTool(env);
  if (tool === null) throw missingRuntime('pypi', label);
  const run: PythonWork['run'] = async (args, more = {}) => {
    const timeoutMs = more.timeoutMs ?? TOOL_FETCH_MS;
    const settings = {
      cwd: '/',
      env: { ...env, ...more.env },
      signal,
      timeoutMs,
      onLine: report,
      track: options.track,
    };
    const outcome: ToolRun = await runTool({ command: more.program ?? tool.path, args: [] }, args, settings);
    if (outcome.code === 0) return outcome.stdout;
    throw toolError(outcome, { label, tool: tool.name, timeoutMs });
  };
  return { tool, isUv: tool.name === 'uv', wanted, registry, allowScripts, run };
}

// — internal —

interface Asked {
  /** For errors. */
  label: string;
  identifier: string;
  registry: string | null;
  runtimeArguments: readonly string[];
  allowScripts: boolean;
}

function asking({ identifier, range, registry, runtimeArguments }: VersionRequest): Asked {
  const label = `pypi:${identifier}@${range}`;
  return { label, identifier, registry, runtimeArguments, allowScripts: false };
}

async function fetchPackage(
  options: ToolOptions,
  request: PackageRequest,
  signal: AbortSignal,
  report: (detail: string) => void,
): Promise<FetchedPackage> {
  const work = await workOf(options, { ...asking(request), ...request }, signal, report);
  const { wanted } = work;
  const { version, integrity } = await versionOf(work, request);
  await mkdir(request.folder, { recursive: true, mode: 0o700 });
  // Environments cannot be moved: it gets its name at once, and a mark until it is whole.
  const root = await freeName(request.folder, version);
  try {
    await mkdir(root, { mode: 0o700 });
    await writeFile(join(root, UNFINISHED), '');
    const found = await (work.isUv ? uvInstall : pipInstall)(work, `${wanted.requirement}==${version}`, root);
    const command = await programIn(found.programs, wanted.program, request.identifier);
    await rm(join(root, UNFINISHED));
    return {
      installed: { kind: 'pypi', identifier: request.identifier, version, integrity: found.integrity ?? integrity },
      root,
      runnable: { command, args: [] },
      description: '',
      scriptsLeftOut: [],
      warnings: wanted.warnings,
    };
  } catch (error) {
    await rm(root, { recursive: true, force: true });
    await rmdir(request.folder).catch(() => undefined); // not empty: another version is in use there
    throw error;
  }
}

/** Of an exact version nothing has to be asked, and without a question to it uv says nothing of its hashes. */
async function versionOf(work: PythonWork, { folder, range }: VersionRequest): Promise<PythonVersion> {
  const asked = work.wanted.version ?? range;
  if (isExactPython(asked) && !work.isUv) return { version: asked, integrity: '' };
  const requirement = asked === 'latest' ? work.wanted.requirement : `${work.wanted.requirement}${specifier(asked)}`;
  const temporary = await makeFolder(folder);
  try {
    return await (work.isUv ? uvVersion : pipVersion)(work, requirement, temporary, NPM_RESOLVE_MS);
  } finally {
    await rm(temporary, { recursive: true, force: true });
    await rmdir(folder).catch(() => undefined); // not empty: a version is in use there
  }
}

function pythonTool(env: NodeJS.ProcessEnv): Promise<Runtime | null> {
  return findRuntime(process.platform === 'win32' ? ['uv', 'python'] : ['uv', 'python3', 'python'], env);
}

function specifier(range: string): string {
  return isExactPython(range) ? `==${range}` : range;
}

/** `1.0.0rc1` and `2024.1` too. */
function isExactPython(range: string): boolean {
  return isExactVersion(range) || /^\d+(\.\d+)*((a|b|rc)\d+)?(\.post\d+)?(\.dev\d+)?(\+[a-z0-9.]+)?$/i.test(range);
}

/** What an activated environment of the user set would change where things are installed. */
function pythonEnvironment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(
    ([name]) =>
      !/^(VIRTUAL_ENV|CONDA_PREFIX|PYTHONHOME|PYTHONPATH|PIP_(TARGET|PREFIX|USER|REQUIRE_VIRTUALENV))$/i.test(name),
  );
  return { ...Object.fromEntries(kept), PYTHONNOUSERSITE: '1' };
}
