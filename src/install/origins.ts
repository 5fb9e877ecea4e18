import type { CatalogEntry } from '../../registry/catalog.ts';
import { shortName } from '../../registry/official/published-listing.ts';
import type { Published, PublishedPackage } from '../../registry/published.ts';
import { didYouMean } from '../closest.ts';
import type { Sharing } from '../core/model.ts';
import { McpdError } from '../errors.ts';
import { repositoryName } from './packages/git-address.ts';
import type { ReadPackage } from './packages/source.ts';
import type { Found, Origin, PackageOrigin } from './plan.ts';
import { type Spec, specText } from './spec.ts';

/** From what was found of a server to what is planned: which of its packages is installed. Pure. */

/** @throws McpdError PACKAGE_UNSUPPORTED */
export function catalogOrigin({ name, sharing, published }: CatalogEntry): Origin {
  return publishedOrigin({ kind: 'catalog', ref: name }, published, { name, sharing });
}

/**
 * The package of a published server that is installed: the first of the kind that comes first in `KINDS`; without any, its first remote.
 * @throws McpdError PACKAGE_UNSUPPORTED naming what it has instead
 */
export function publishedOrigin(
  found: Found,
  published: Published,
  settings: { name: string; sharing: Sharing },
): Origin {
  const [pack] = inPreference(published.packages);
  const [remote] = published.remotes;
  if (pack !== undefined) return { kind: 'package', found, published, package: pack, ...settings };
  if (remote !== undefined) return { kind: 'remote', found, published, remote, ...settings };
  throw nothingToInstall(published);
}

/** A package that a person named by itself: nobody describes its inputs. */
export function namedPackage(spec: Extract<Spec, { kind: 'package' }>): PackageOrigin {
  const { of: kind, identifier, range } = spec;
  const pack: PublishedPackage = {
    ...{ kind, identifier, version: range },
    ...{ registryBaseUrl: null, fileSha256: null, runtimeHint: null },
    ...{ runtimeArguments: [], arguments: [], env: [] },
  };
  const published: Published = {
    ...{ name: identifier, title: identifier, description: '', version: '' },
    ...{ publisher: null, repository: null, websiteUrl: null, licence: null },
    ...{ status: 'active', statusMessage: null, warnings: [] },
    ...{ packages: [pack], remotes: [], unsupported: [] },
  };
  const found = { kind, ref: specText(spec) };
  return {
    kind: 'package',
    found,
    published,
    package: pack,
    name: kind === 'git' ? repositoryName(identifier) : identifier,
    sharing: 'auto',
  };
}

/** The packages of a published server, that first which is installed. */
export function inPreference(packages: readonly PublishedPackage[]): PublishedPackage[] {
  return [...packages].sort((one, other) => KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind));
}

/** @throws McpdError PACKAGE_UNSUPPORTED */
export function registryOrigin({ published, place }: { published: Published; place: string }): Origin {
  const found: Found = { kind: 'registry', ref: `${published.name}@${published.version}`, place };
  return publishedOrigin(found, published, { name: shortName(published.name), sharing: 'auto' });
}

/** A bundle that a person named: only the bundle itself describes it. */
export function namedBundle(spec: Extract<Spec, { kind: 'bundle' }>): PackageOrigin {
  const { identifier, sha256 } = spec;
  const named = namedPackage({ kind: 'package', of: 'mcpb', identifier, range: '' });
  const pack = { ...named.package, version: null, fileSha256: sha256 };
  return { ...named, found: { kind: 'mcpb', ref: specText(spec) }, package: pack };
}

/** What is known of a package once it was looked at. It says itself what it is called where a person named nothing but the package. */
export function readOrigin(origin: PackageOrigin, { published, package: pack }: ReadPackage): PackageOrigin {
  if (origin.found.kind === pack.kind) return { ...origin, published, package: pack, name: published.name };
  const warnings = [...origin.published.warnings, ...published.warnings];
  return { ...origin, published: { ...origin.published, warnings }, package: pack };
}

/** A name that the catalog does not have: with the one that was meant, and what else it may be. */
export function unknownName(name: string, catalog: readonly CatalogEntry[]): McpdError {
  const hint = didYouMean(
    name,
    catalog.flatMap((entry) => [entry.name, ...entry.aliases]),
  );
  return new McpdError('PACKAGE_UNKNOWN', {
    what: `the catalog has no "${name.slice(0, NAME_SHOWN)}"`,
    ...(hint === undefined ? {} : { why: hint }),
    fix:
      name.length > NAME_SHOWN
        ? 'mcpd search'
        : `mcpd search ${name}; a package of npm: mcpd install npm:${name}; a folder: mcpd install ./${name}`,
  });
}

export function noPackage(url: string): McpdError {
  return new McpdError('SPEC_INVALID', {
    what: `${url.slice(0, NAME_SHOWN)} is no package`,
    fix: 'name the address of a remote server by "url"',
  });
}

// — internal —

/** Of a name in an error. */
const NAME_SHOWN = 60;

/** What starts fastest and needs least comes first: mcpd's own node runs npm, a container needs a whole engine. */
const KINDS: readonly PublishedPackage['kind'][] = ['bundled', 'npm', 'mcpb', 'pypi', 'oci', 'nuget'];

function nothingToInstall({ title, unsupported }: Published): McpdError {
  return new McpdError('PACKAGE_UNSUPPORTED', {
    what: `${title} has nothing that mcpd can install`,
    why:
      unsupported.length === 0 ? 'its description names no package and no address' : `it has ${unsupported.join(', ')}`,
    fix: 'install it as its page says, then: mcpd add NAME -- COMMAND',
  });
}
