import type { PackageKind } from '../../core/model.ts';
import { McpdError } from '../../errors.ts';
import { gitPackages } from './git.ts';
import { type BundleOptions, bundlePackages } from './mcpb.ts';
import { npmPackages } from './npm.ts';
import { nugetPackages } from './nuget.ts';
import { ociPackages } from './oci.ts';
import { pypiPackages } from './pypi.ts';
import type { PackageSource, PackageSources, ToolOptions } from './source.ts';

/** The table over the kinds of packages. */
export function packageSources(tools: ToolOptions, bundles: BundleOptions): PackageSources {
  return {
    npm: npmPackages(tools),
    pypi: pypiPackages(tools),
    oci: ociPackages(tools),
    nuget: nugetPackages(tools),
    mcpb: bundlePackages(bundles),
    git: gitPackages(tools),
  };
}

/** @throws McpdError PACKAGE_UNSUPPORTED naming the kind */
export function sourceFor(sources: PackageSources, kind: PackageKind, identifier: string): PackageSource {
  const source = sources[kind];
  if (source !== undefined) return source;
  throw new McpdError('PACKAGE_UNSUPPORTED', {
    what: `${kind}:${identifier.slice(0, 80)} cannot be installed`,
    why: `mcpd cannot install packages of the kind "${kind}"`,
    fix: 'install it yourself, then: mcpd add NAME -- COMMAND',
  });
}

/** Of some kinds those whose programs this machine lacks. */
export async function lackingOf<K extends string>(sources: PackageSources, kinds: readonly K[]): Promise<Set<K>> {
  const found = await Promise.all(
    [...new Set(kinds)].map(async (kind) => {
      const source = Object.entries(sources).find(([each]) => each === kind)?.[1];
      return (await source?.canRun?.()) === false ? [kind] : [];
    }),
  );
  return new Set(found.flat());
}
