import { join } from 'node:path';
import { McpdError } from '../../errors.ts';
import { NPM_RESOLVE_MS } from '../../operation-limits.ts';
import type { Runnable } from '../bin.ts';
import { runTool } from './run-tool.ts';
import { findRuntime, missingRuntime } from './runtimes.ts';
import type { FetchedPackage, PackageRequest, PackageSource, ToolOptions, VersionRequest } from './source.ts';
import { toolError } from './tool-failure.ts';

/** Tools of NuGet, by dnx: it fetches an exact version at the first start, which is the trial, and has it in its own cache ever after. */
export function nugetPackages(options: ToolOptions): PackageSource {
  const versionOf = async (request: VersionRequest, signal: AbortSignal) =>
    request.range === 'latest' ? newest(options, request, signal) : request.range;
  return {
    fetch: async (request, signal) => {
      const env = await options.env();
      const label = `nuget:${request.identifier}@${request.range}`;
      if ((await findRuntime(['dnx'], env)) === null) throw missingRuntime('nuget', label);
      const version = await versionOf(request, signal);
      return fetchedTool(request, version);
    },
    versionOf: async (request, signal) => ({ version: await versionOf(request, signal), integrity: null }),
    canRun: async () => (await findRuntime(['dnx'], await options.env())) !== null,
    preview: async (request) => dnxRun(request, request.range),
  };
}

// — internal —

/** Pure. */
function dnxRun(
  request: Pick<PackageRequest, 'identifier' | 'registry' | 'runtimeArguments'>,
  version: string,
): Runnable {
  const { identifier, registry, runtimeArguments } = request;
  const own = runtimeArguments.filter((word) => !['--yes', '-y', 'exec', '--'].includes(word));
  const source = registry === null || own.includes('--source') ? [] : ['--source', registry];
  return { command: 'dnx', args: [`${identifier}@${version}`, '--yes', ...source, ...own, '--'] };
}

function fetchedTool(request: PackageRequest, version: string): FetchedPackage {
  return {
    installed: { kind: 'nuget', identifier: request.identifier, version, integrity: '' },
    root: join(request.folder, version),
    runnable: dnxRun(request, version),
    description: '',
    scriptsLeftOut: [],
    warnings: [],
  };
}

/** The newest version that is no preview. */
async function newest(options: ToolOptions, request: VersionRequest, signal: AbortSignal): Promise<string> {
  const { identifier, registry } = request;
  const env = await options.env();
  const label = `nuget:${identifier}`;
  const dotnet = await findRuntime(['dotnet'], env);
  if (dotnet === null) throw missingRuntime('nuget', label);
  const source = registry === null ? [] : ['--source', registry];
  const args = ['package', 'search', identifier, '--exact-match', '--format', 'json', ...source];
  const settings = { cwd: '/', env, signal, timeoutMs: NPM_RESOLVE_MS, onLine: () => undefined, track: options.track };
  const run = await runTool({ command: dotnet.path, args: [] }, args, settings);
  if (run.code !== 0) throw toolError(run, { label, tool: 'dotnet', timeoutMs: NPM_RESOLVE_MS });
  const version = versionsIn(run.stdout)
    .filter((each) => !each.includes('-'))
    .at(-1);
  if (version !== undefined) return version;
  throw new McpdError('PACKAGE_UNKNOWN', {
    what: `${label} has no version that was released`,
    why: 'dotnet found none under that name',
    fix: `name one: mcpd install ${label}@VERSION`,
  });
}

/** Oldest first, as dotnet lists them. */
function versionsIn(json: string): string[] {
  try {
    const { searchResult = [] } = JSON.parse(json) as { searchResult?: { packages?: { version?: unknown }[] }[] };
    const versions = searchResult.flatMap(({ packages = [] }) => packages.map(({ version }) => version));
    return versions.filter((version) => typeof version === 'string');
  } catch {
    return []; // an SDK that answers otherwise: said above, as a package without a version
  }
}
