import { rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import type { InstallPlan } from '../api/contract.ts';
import type { AskedFor } from '../core/model.ts';
import { type ErrorCode, McpdError } from '../errors.ts';
import { OWN_NODE } from '../own-places.ts';
import { sourceFor } from './packages/kinds.ts';
import type { FetchedPackage } from './packages/source.ts';
import { fetchText, type PlannedFetch, type PlannedInstall, planView } from './plan.ts';
import type { InstallPorts } from './ports.ts';
import { isExactVersion, packageText } from './spec.ts';
import type { Steps } from './steps.ts';
import { removeEmpty } from './traces.ts';

/** The package of a plan, by the source of its kind. What it makes is undone with the steps. @throws McpdError as the source */
export async function fetchPlanned(
  { paths, packages, registry, catalog }: Pick<InstallPorts, 'paths' | 'packages' | 'registry' | 'catalog'>,
  plan: PlannedInstall,
  fetch: PlannedFetch,
  options: { allowScripts?: boolean | undefined },
  steps: Steps,
): Promise<FetchedPackage> {
  const { kind, identifier, fileSha256 } = fetch;
  const source = sourceFor(packages, kind, identifier);
  steps.begin('fetch', fetchText(fetch));
  // Nothing in the registry points there: an install that was killed left it.
  if (registry.server(plan.name) === null) await rm(paths.packageOf(plan.name), { recursive: true, force: true });
  const request = {
    ...versionRequest({ paths, catalog }, plan.name, fetch),
    allowScripts: options.allowScripts === true,
    fileSha256,
    variables: Object.keys(plan.env),
  };
  const fetched = await source.fetch(request, steps.signal, (detail) => steps.detail(detail));
  steps.onUndo('the package', async () => {
    await rm(fetched.root, { recursive: true, force: true });
    await removeEmpty(dirname(fetched.root));
  });
  steps.warn(...fetched.warnings);
  steps.detail(`${packageText(kind, identifier, fetched.installed.version)} is here`);
  const asked = askedFor(plan, fetch);
  return asked === null ? fetched : { ...fetched, installed: { ...fetched.installed, asked } };
}

/** What a person is shown; `exact`: with the version that its tag or range stands for now, and its hash. @throws McpdError as the source */
export async function viewOf(
  ports: Pick<InstallPorts, 'paths' | 'packages' | 'catalog' | 'ending'>,
  plan: PlannedInstall,
  exact: boolean,
): Promise<InstallPlan> {
  if (plan.fetch === null) return planView(plan, null, null);
  const { fetch, integrity } = exact
    ? await asPublished(ports, plan.name, plan.fetch)
    : { fetch: plan.fetch, integrity: null };
  return planView({ ...plan, fetch }, await previewOf(ports, plan, fetch), integrity);
}

// — internal —

async function asPublished(
  ports: Pick<InstallPorts, 'paths' | 'packages' | 'catalog' | 'ending'>,
  name: string,
  fetch: PlannedFetch,
): Promise<{ fetch: PlannedFetch; integrity: string | null }> {
  if (fetch.fileSha256 !== null) return { fetch, integrity: null };
  // A tag is the version that people know of an image; a repository can have one that looks like a version.
  const isNamed = fetch.kind === 'oci' || (fetch.kind !== 'git' && isExactVersion(fetch.range));
  const source = sourceFor(ports.packages, fetch.kind, fetch.identifier);
  try {
    const { version, integrity } = await source.versionOf(versionRequest(ports, name, fetch), ports.ending);
    return { fetch: isNamed ? fetch : { ...fetch, range: version }, integrity };
  } catch (error) {
    // Nobody could be asked: the plan is the same without its hash, and an install will say why.
    if (isNamed && error instanceof McpdError && UNASKED.has(error.code)) return { fetch, integrity: null };
    throw error;
  }
}

const UNASKED: ReadonlySet<ErrorCode> = new Set(['FETCH_FAILED', 'COMMAND_NOT_FOUND']);

async function previewOf({ packages }: Pick<InstallPorts, 'packages'>, plan: PlannedInstall, fetch: PlannedFetch) {
  const source = sourceFor(packages, fetch.kind, fetch.identifier);
  const known = await source.preview?.({ ...fetch, variables: Object.keys(plan.env) });
  return known ?? { command: OWN_NODE, args: [`<${fetch.identifier}@${fetch.range}>`] };
}

function versionRequest(
  { paths, catalog }: Pick<InstallPorts, 'paths' | 'catalog'>,
  name: string,
  { identifier, range, registry, runtimeArguments }: PlannedFetch,
) {
  const knownNames = catalog().map((entry) => entry.name);
  return { identifier, range, knownNames, folder: paths.packageOf(name), registry, runtimeArguments };
}

/** What its other versions need as well; null when that is nothing. */
function askedFor({ given }: PlannedInstall, { kind, registry, runtimeArguments }: PlannedFetch): AskedFor | null {
  const asked: AskedFor = {
    ...(registry === null ? {} : { registry }),
    ...(runtimeArguments.length === 0 ? {} : { runtimeArguments }),
    ...(kind === 'mcpb' ? { given } : {}),
  };
  return Object.keys(asked).length === 0 ? null : asked;
}
