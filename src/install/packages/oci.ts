import { join } from 'node:path';
import { parseImage } from '../../../registry/package-names.ts';
import { McpdError } from '../../errors.ts';
import { OCI_DIGEST_MS, TOOL_FETCH_MS, TOOL_RUNS_MAX } from '../../operation-limits.ts';
import type { Runnable } from '../bin.ts';
import { runTool, type ToolRun } from './run-tool.ts';
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
    versionOf: (request, signal) =>
      slots.run(signal, async () => ({ version: request.range, integrity: await digestNow(options, request, signal) })),
    canAsk: (request, signal) => slots.run(signal, () => canAsk(options, request, signal)),
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
  const work = await engineFor(options, request, signal, report);
  const { engine } = work;
  const digest = await pulledDigest(work, request);
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

interface EngineWork {
  engine: Runtime;
  run(args: readonly string[], timeoutMs: number): Promise<ToolRun>;
  /** @throws McpdError why it could not be done */
  must(args: readonly string[]): Promise<string>;
}

async function engineFor(
  options: ToolOptions,
  request: VersionRequest,
  signal: AbortSignal,
  onLine: (detail: string) => void = () => undefined,
): Promise<EngineWork> {
  const env = await options.env();
  const label = `oci:${referenceOf(request)}`;
  const engine = await findRuntime(ENGINES, env);
  if (engine === null) throw missingRuntime('oci', label);
  const run: EngineWork['run'] = (args, timeoutMs) =>
    runTool({ command: engine.path, args: [] }, args, {
      ...{ cwd: '/', env, signal, timeoutMs, onLine, track: options.track },
    });
  const must: EngineWork['must'] = async (args) => {
    const outcome = await run(args, TOOL_FETCH_MS);
    if (outcome.code === 0) return outcome.stdout;
    throw toolError(outcome, { label, tool: engine.name, timeoutMs: TOOL_FETCH_MS });
  };
  return { engine, run, must };
}

async function pulledDigest({ engine, must }: EngineWork, request: VersionRequest): Promise<string> {
  const image = referenceOf(request);
  await must(['pull', image]);
  return digestIn(await must(['image', 'inspect', '--format', '{{json .RepoDigests}}', image]), request, engine);
}

/** Docker's buildx asks for a digest alone; podman, and a docker without it, can only pull. */
async function canAsk(options: ToolOptions, request: VersionRequest, signal: AbortSignal): Promise<boolean> {
  return request.range.startsWith('sha256:') || (await hasBuildx(await engineFor(options, request, signal)));
}

async function hasBuildx({ engine, run }: EngineWork): Promise<boolean> {
  return engine.name === 'docker' && (await run(['buildx', 'version'], OCI_DIGEST_MS)).code === 0;
}

/** What a tag stands for now. Nothing is pulled for it. */
async function digestNow(options: ToolOptions, request: VersionRequest, signal: AbortSignal): Promise<string> {
  if (request.range.startsWith('sha256:')) return request.range;
  const work = await engineFor(options, request, signal);
  const label = `oci:${referenceOf(request)}`;
  if (!(await hasBuildx(work)))
    throw new McpdError('COMMAND_NOT_FOUND', {
      what: `nobody can say what ${label} stands for now without pulling it`,
      why: `${work.engine.name === 'docker' ? 'this docker has no buildx' : 'only docker with buildx asks for a digest alone'}, and nothing is pulled before somebody asks for the update`,
      fix: 'install docker with buildx; or pull it and see: mcpd update NAME',
    });
  const args = ['buildx', 'imagetools', 'inspect', '--format', '{{.Manifest.Digest}}', referenceOf(request)];
  const told = await work.run(args, OCI_DIGEST_MS);
  const [digest] = /^sha256:[0-9a-f]{64}$/m.exec(told.stdout) ?? [];
  if (told.code === 0 && digest !== undefined) return digest;
  throw toolError(told, { label, tool: 'docker buildx', timeoutMs: OCI_DIGEST_MS });
}

function referenceOf({ identifier, range }: Pick<VersionRequest, 'identifier' | 'range'>): string {
  return `${identifier}${range.startsWith('sha256:') ? '@' : ':'}${range}`;
}

/** The digest by which the image's own registry knows it: what was asked for, when that was one. */
function digestIn(repoDigests: string, { identifier, range }: VersionRequest, engine: Runtime): string {
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
