import { join } from 'node:path';
import { parseImage } from '../../../registry/package-names.ts';
import { McpdError } from '../../errors.ts';
import { TOOL_FETCH_MS, TOOL_RUNS_MAX } from '../../operation-limits.ts';
import type { Runnable } from '../bin.ts';
import { runTool } from './run-tool.ts';
import { findRuntime, missingRuntime, type Runtime } from './runtimes.ts';
import { Slots } from './slots.ts';
import type { FetchedPackage, PackageRequest, PackageSource, ToolOptions, VersionRequest } from './source.ts';
import { toolError } from './tool-failure.ts';

/**
 * Images, by docker or else podman: pulled at install, pinned by their digest, and started with the names of variables only. The id of a
 * container is written to a file (src/servers/containers.ts), by which it is stopped when its server ends.
 */
export function ociPackages(options: ToolOptions): PackageSource {
  const slots = new Slots(TOOL_RUNS_MAX);
  return {
    fetch: (request, signal, report) => slots.run(signal, () => pull(options, request, signal, report)),
    canRun: async () => (await findRuntime(ENGINES, await options.env())) !== null,
    // Only a pull tells which image a tag stands for.
    versionOf: async ({ range }) => range,
    preview: async (request) => {
      const engine = await findRuntime(ENGINES, await options.env());
      return containerRun(engine?.name ?? 'docker', request, referenceOf(request));
    },
  };
}

// — internal —

/** The engine's command line up to the package's own arguments. Pure. */
function containerRun(
  engine: string,
  { runtimeArguments, variables }: Pick<PackageRequest, 'runtimeArguments' | 'variables'>,
  image: string,
): Runnable {
  const names = [...new Set(variables)].flatMap((name) => ['-e', name]);
  return { command: engine, args: ['run', '-i', '--rm', '--cidfile', CID_FILE, ...runtimeArguments, ...names, image] };
}

const ENGINES = ['docker', 'podman'];
/** Filled at each start: an engine refuses a file that is there already. */
const CID_FILE = `\${cidFile}`;

async function pull(
  options: ToolOptions,
  request: PackageRequest,
  signal: AbortSignal,
  report: (detail: string) => void,
): Promise<FetchedPackage> {
  const env = await options.env();
  const image = referenceOf(request);
  const engine = await findRuntime(ENGINES, env);
  if (engine === null) throw missingRuntime('oci', `oci:${image}`);
  const run = async (args: string[]) => {
    const settings = { cwd: '/', env, signal, timeoutMs: TOOL_FETCH_MS, onLine: report, track: options.track };
    const outcome = await runTool({ command: engine.path, args: [] }, args, settings);
    if (outcome.code === 0) return outcome.stdout;
    throw toolError(outcome, { label: `oci:${image}`, tool: engine.name, timeoutMs: TOOL_FETCH_MS });
  };
  await run(['pull', image]);
  const digest = digestIn(await run(['image', 'inspect', '--format', '{{json .RepoDigests}}', image]), request, engine);
  return {
    installed: { kind: 'oci', identifier: request.identifier, version: request.range, integrity: digest },
    // Nothing of it is in the home: the engine keeps its images.
    root: join(request.folder, request.range.replace(':', '-')),
    runnable: containerRun(engine.name, request, `${request.identifier}@${digest}`),
    description: '',
    scriptsLeftOut: [],
    warnings: [],
  };
}

function referenceOf({ identifier, range }: Pick<VersionRequest, 'identifier' | 'range'>): string {
  return `${identifier}${range.startsWith('sha256:') ? '@' : ':'}${range}`;
}

/** The digest by which the image's own registry knows it: what was asked for, when that was one. */
function digestIn(repoDigests: string, { identifier, range }: PackageRequest, engine: Runtime): string {
  if (range.startsWith('sha256:')) return range;
  const digests = listIn(repoDigests).flatMap((text) => {
    const image = parseImage(text);
    return image?.digest == null ? [] : [{ name: image.name, digest: image.digest }];
  });
  // Engines write the whole name: docker.io/library/alpine for alpine.
  const found = digests.find(({ name }) => name === identifier || name.endsWith(`/${identifier}`)) ?? digests[0];
  if (found !== undefined) return found.digest;
  throw new McpdError('FETCH_FAILED', {
    what: `oci:${identifier}:${range} cannot be pinned`,
    why: `${engine.name} knows no digest of it, as of an image that was built on this machine`,
    fix: `mcpd add NAME -- ${engine.name} run -i --rm ${identifier}:${range}`,
  });
}

function listIn(json: string): string[] {
  try {
    const list: unknown = JSON.parse(json);
    return Array.isArray(list) ? list.filter((each) => typeof each === 'string') : [];
  } catch {
    return []; // an engine that answers otherwise: said below, as an image without a digest
  }
}
