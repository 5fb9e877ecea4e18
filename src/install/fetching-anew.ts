import { rm } from 'node:fs/promises';
import type { GivenToBundle, InstalledPackage, StdioLaunch } from '../core/model.ts';
import { McpdError } from '../errors.ts';
import { installedDefinition } from './definition.ts';
import { sourceFor } from './packages/kinds.ts';
import type { FetchedPackage } from './packages/source.ts';
import type { InstallPorts } from './ports.ts';
import { relaunched } from './relaunch.ts';
import { replanned } from './replan.ts';
import { packageText } from './spec.ts';
import type { Steps } from './steps.ts';
import { versionRequest } from './versions.ts';

/** Another version of an installed package, and the command line with it. */
export interface FetchedAnew extends Pick<FetchedPackage, 'root' | 'installed' | 'scriptsLeftOut'> {
  fresh: StdioLaunch;
}

interface Present {
  name: string;
  launch: StdioLaunch;
  pack: InstalledPackage;
}

/** What it makes is undone with the steps. @throws McpdError as the fetch of that kind; PACKAGE_UNSUPPORTED, INPUT_MISSING */
export async function fetchedAnew(
  ports: InstallPorts,
  present: Present,
  wanted: { version: string; allowScripts: boolean },
  steps: Steps,
): Promise<FetchedAnew> {
  const { name, launch, pack } = present;
  const given = pack.kind === 'mcpb' ? pack.asked?.given : undefined;
  if (given !== undefined) return bundleAnew(ports, present, given, steps);
  if (pack.kind === 'mcpb')
    steps.warn(
      `its arguments stay those of ${pack.version}: an older mcpd installed it, and kept no values by themselves`,
    );
  const variables = Object.keys(launch.env);
  const fetched = await fetchAnew(ports, present, { ...wanted, fileSha256: null, variables }, steps);
  const fresh = relaunched(launch, ports.paths.packageOf(name), pack, fetched);
  if (fresh !== null) return { ...fetched, fresh };
  throw new McpdError('PACKAGE_UNSUPPORTED', {
    what: `${name} cannot be updated in its place`,
    why: 'its command line does not name the package that was installed',
    fix: `mcpd uninstall ${name}, and install it again`,
  });
}

// — internal —

interface Wanted {
  version: string;
  allowScripts: boolean;
  fileSha256: string | null;
  variables: string[];
}

/** Its manifest says how it is started, with what a person gave. */
async function bundleAnew(
  ports: InstallPorts,
  present: Present,
  given: GivenToBundle,
  steps: Steps,
): Promise<FetchedAnew> {
  const { name, pack } = present;
  const plan = await replanned(ports, name, pack, given, steps.signal);
  steps.warn(...plan.warnings);
  const { fetch } = plan;
  if (fetch === null) throw new RangeError('a bundle is fetched');
  const variables = Object.keys(plan.env);
  const wanted = { version: fetch.range, allowScripts: false, fileSha256: fetch.fileSha256, variables };
  const fetched = await fetchAnew(ports, present, wanted, steps);
  const { launch } = installedDefinition(plan, fetched, 0);
  if (launch.kind === 'http') throw new RangeError('a bundle is a program');
  if (plan.secrets.size > 0) await ports.secrets.set(name, plan.secrets);
  return { ...fetched, fresh: launch };
}

async function fetchAnew(
  ports: InstallPorts,
  { name, pack }: Present,
  { version, ...wanted }: Wanted,
  steps: Steps,
): Promise<FetchedPackage> {
  const { kind, identifier, asked } = pack;
  steps.begin('fetch', packageText(kind, identifier, version));
  const request = { ...versionRequest(ports, name, pack, version), ...wanted };
  const source = sourceFor(ports.packages, kind, identifier);
  const fetched = await source.fetch(request, steps.signal, (detail) => steps.detail(detail));
  steps.onUndo('the package', () => rm(fetched.root, { recursive: true, force: true }));
  steps.warn(...fetched.warnings);
  return asked === undefined ? fetched : { ...fetched, installed: { ...fetched.installed, asked } };
}
