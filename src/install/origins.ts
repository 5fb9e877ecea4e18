import type { CatalogEntry } from '../../registry/catalog.ts';
import { shortName } from '../../registry/official/published-listing.ts';
import type { Published, PublishedPackage } from '../../registry/published.ts';
import type { DeclaredSet } from '../api/contract.ts';
import { didYouMean } from '../closest.ts';
import type { Sharing } from '../core/model.ts';
import { McpdError } from '../errors.ts';
import { type ChoiceFacts, choose } from './choice.ts';
import { repositoryName } from './packages/git-address.ts';
import type { ReadPackage } from './packages/source.ts';
import type { Found, Origin, PackageOrigin } from './plan.ts';
import { type Spec, specText } from './spec.ts';

/** From what was found of a server to what is planned: which of its packages is installed. Pure. */

/** What a declared file says of the package of an entry. */
export type DeclaredPackage = NonNullable<DeclaredSet['mcpServers'][string]['package']>;

/** @throws McpdError PACKAGE_UNSUPPORTED, INPUT_INVALID */
export function catalogOrigin({ name, sharing, published }: CatalogEntry, facts: ChoiceFacts): Origin {
  return publishedOrigin({ kind: 'catalog', ref: name }, published, { name, sharing }, facts);
}

/** What of a published server is installed. @throws McpdError PACKAGE_UNSUPPORTED, INPUT_INVALID */
export function publishedOrigin(
  found: Found,
  published: Published,
  settings: { name: string; sharing: Sharing },
  facts: ChoiceFacts,
): Origin {
  const { taken, why } = choose(published, facts);
  const server = { found, published, choice: why, ...settings };
  return 'package' in taken ? { kind: 'package', ...taken, ...server } : { kind: 'remote', ...taken, ...server };
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
    choice: null,
  };
}

/** @throws McpdError PACKAGE_UNSUPPORTED, INPUT_INVALID */
export function registryOrigin(
  { published, place }: { published: Published; place: string },
  facts: ChoiceFacts,
): Origin {
  const found: Found = { kind: 'registry', ref: `${published.name}@${published.version}`, place };
  return publishedOrigin(found, published, { name: shortName(published.name), sharing: 'auto' }, facts);
}

/** A bundle that a person named: only the bundle itself describes it. */
export function namedBundle(spec: Extract<Spec, { kind: 'bundle' }>): PackageOrigin {
  const { identifier, sha256 } = spec;
  const named = namedPackage({ kind: 'package', of: 'mcpb', identifier, range: '' });
  const pack = { ...named.package, version: null, fileSha256: sha256 };
  return { ...named, found: { kind: 'mcpb', ref: specText(spec) }, package: pack };
}

/** The package as it was fetched elsewhere. */
export function withAsked(origin: Origin, { registry, runtimeArguments }: DeclaredPackage): Origin {
  if (origin.kind !== 'package') return origin;
  const words = runtimeArguments?.map((flag) => ({ flag, repeated: false, input: null }));
  const told = {
    ...(registry === undefined ? {} : { registryBaseUrl: registry }),
    ...(words === undefined ? {} : { runtimeArguments: words }),
  };
  return { ...origin, package: { ...origin.package, ...told } };
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
