import type { GivenToBundle, InstalledPackage } from '../core/model.ts';
import { McpdError } from '../errors.ts';
import { readFrom } from './lookup.ts';
import { namedBundle } from './origins.ts';
import { type PlannedInstall, planInstall } from './plan.ts';
import type { InstallPorts } from './ports.ts';
import { packageText } from './spec.ts';

/**
 * The bundle that is at its place now, planned with what a person gave to the one before: its manifest may have another command line.
 * @throws McpdError INPUT_MISSING when it asks what the one before did not; as the reading of a bundle
 */
export async function replanned(
  ports: Pick<InstallPorts, 'packages' | 'userHome'>,
  name: string,
  { kind, identifier, version }: InstalledPackage,
  given: GivenToBundle,
  signal: AbortSignal,
): Promise<PlannedInstall> {
  const named = namedBundle({ kind: 'bundle', identifier, sha256: null });
  const origin = await readFrom(ports, named, signal, () => undefined);
  const env = Object.fromEntries(Object.entries(given.env).map(([key, value]) => [key, { value, secret: false }]));
  const request = { spec: identifier, name, args: given.args, env };
  const plan = planInstall(request, origin, { place: { cwd: given.cwd, userHome: ports.userHome } });
  if (plan.missing.length === 0) return plan;
  const asks = plan.missing.map((input) => input.name);
  throw new McpdError('INPUT_MISSING', {
    what: `${name} stays at ${version}`,
    why: `the new ${packageText(kind, identifier, plan.fetch?.range ?? '')} also asks for ${asks.join(' and ')}`,
    fix: `mcpd uninstall ${name}; mcpd install ${identifier} --name ${name} ${asks.map((each) => `--env ${each}=VALUE`).join(' ')}`,
  });
}
