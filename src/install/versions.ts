import { versionFault } from '../../registry/package-names.ts';
import type { KnownVersions, VersionState } from '../api/contract/updates.ts';
import type { InstalledPackage, PackageKind, ServerDefinition, ServerSource } from '../core/model.ts';
import { asMcpdError, McpdError } from '../errors.ts';
import {
  DEFAULT_REF,
  isAbbreviatedCommit,
  isGitAddress,
  misleadingReference,
  parseGit,
} from './packages/git-address.ts';
import { sourceFor } from './packages/kinds.ts';
import { anyVersion } from './packages/pypi-arguments.ts';
import type { PublishedVersion, VersionRequest } from './packages/source.ts';
import type { InstallPorts } from './ports.ts';
import { isExactVersion, packageText, parseSpec } from './spec.ts';

/** Which version a server has, and which there is. */

/** How versions stand, and what was found when somebody asked for them. */
export class Versions {
  readonly #ports: InstallPorts;
  #found: { askedAt: number; servers: Found[] } | null = null;
  #asking: Promise<VersionState[]> | null = null;

  constructor(ports: InstallPorts) {
    this.#ports = ports;
  }

  /** Asks the registries, once for all who wait. What cannot be found out of one server costs the others nothing. */
  ask(): Promise<VersionState[]> {
    this.#asking ??= this.#ask().finally(() => {
      this.#asking = null;
    });
    return this.#asking;
  }

  /** As far as it is known: asks nobody. What was found of another package says nothing. */
  known(): KnownVersions {
    const found = new Map(this.#found?.servers.map((one) => [one.server, one]));
    const servers = facts(this.#ports).map(({ pack, state }): VersionState => {
      const last = found.get(state.server);
      const isOfIt = last?.kind === state.kind && last.identifier === state.identifier;
      return stateOf(state, pack, isOfIt ? last.published : null, isOfIt ? last.error : null);
    });
    return { askedAt: this.#found?.askedAt ?? null, servers };
  }

  async #ask(): Promise<VersionState[]> {
    const asked = facts(this.#ports).map(async ({ definition, pack, state }): Promise<[Found, VersionState]> => {
      const { server, kind, identifier } = state;
      const { published, error } = await this.#askFor(definition);
      return [{ server, kind, identifier, published, error }, stateOf(state, pack, published, error)];
    });
    const answers = await Promise.all(asked);
    this.#found = { askedAt: this.#ports.now(), servers: answers.map(([found]) => found) };
    return answers.map(([, state]) => state);
  }

  async #askFor(definition: ServerDefinition): Promise<Pick<Found, 'published' | 'error'>> {
    try {
      return { published: await publishedNow(this.#ports, definition, rangeOf(definition)), error: null };
    } catch (thrown) {
      const error = asMcpdError(thrown, 'INTERNAL', 'its versions could not be asked for').report();
      return { published: null, error };
    }
  }
}

/** What `range` stands for now. @throws McpdError as a fetch does; INPUT_INVALID for a server without a package */
export function publishedNow(
  ports: InstallPorts,
  definition: ServerDefinition,
  range: string,
): Promise<PublishedVersion> {
  const pack = packageOf(definition);
  if (pack === null) throw withoutPackage(definition.name);
  const request = versionRequest(ports, definition.name, pack, range);
  return sourceFor(ports.packages, pack.kind, pack.identifier).versionOf(request, ports.ending);
}

/** The same; null where only a fetch tells it, and nothing was asked. */
export async function publishedIfAsked(
  ports: InstallPorts,
  definition: ServerDefinition,
  pack: InstalledPackage,
  range: string,
): Promise<PublishedVersion | null> {
  const source = sourceFor(ports.packages, pack.kind, pack.identifier);
  const canAsk = await source.canAsk?.(versionRequest(ports, definition.name, pack, range), ports.ending);
  return canAsk === false ? null : publishedNow(ports, definition, range);
}

/** What tells one publication of a version from another; null of kinds that have one alone. */
export function integrityTold(pack: InstalledPackage, { integrity }: PublishedVersion): string | null {
  return REPUBLISHED.has(pack.kind) ? integrity : null;
}

/** Whether that is the very one that was shown, as far as anything was. */
export function isAsShown(
  pack: InstalledPackage,
  { exactly, integrity }: { exactly?: string | undefined; integrity?: string | null | undefined },
  found: PublishedVersion,
): boolean {
  if (exactly === undefined) return true;
  const told = integrityTold(pack, found);
  return toldApart(pack, found).to === exactly && (integrity == null || told === null || told === integrity);
}

/** Asks where the first install did, and for the same. */
export function versionRequest(
  { paths }: Pick<InstallPorts, 'paths'>,
  name: string,
  { identifier, asked = {} }: InstalledPackage,
  range: string,
): VersionRequest {
  const { registry = null, runtimeArguments = [] } = asked;
  const words = { runtimeArguments: anyVersion(runtimeArguments) };
  return { identifier, range, knownNames: [], folder: paths.packageOf(name), registry, ...words };
}

export function isSame(pack: InstalledPackage, { version, integrity }: PublishedVersion): boolean {
  if (version !== pack.version) return false;
  return !REPUBLISHED.has(pack.kind) || integrity === null || integrity === pack.integrity;
}

/** Versions for people: with a part of what is there where it was published anew under the same name. */
export function toldApart(pack: InstalledPackage, other: PublishedVersion): { from: string; to: string } {
  if (pack.version !== other.version || isSame(pack, other)) return { from: pack.version, to: other.version };
  const labelled = (integrity: string) => `${pack.version}@${integrity.slice(0, INTEGRITY_SHOWN)}`;
  return { from: labelled(pack.integrity), to: labelled(other.integrity ?? '') };
}

export function packageOf({ source }: Pick<ServerDefinition, 'source'>): InstalledPackage | null {
  return 'package' in source ? (source.package ?? null) : null;
}

/**
 * A tag or a range that was asked for goes on to count; an exact version was one then, and its newest is asked for now. Of an image nobody
 * knows which tag is newer: its own one counts.
 */
export function rangeOf(definition: Pick<ServerDefinition, 'source'>): string {
  const { source } = definition;
  const pack = packageOf(definition);
  if (pack?.kind === 'oci') return pack.version;
  const asked = source.kind === 'file' ? (source.install ?? '') : source.ref;
  if (pack?.kind === 'git') return refOf(asked, pack.asked?.reference);
  const range = /^[a-z]+:.+@([^@/]+)$/.exec(asked)?.[1];
  return range === undefined || isOneVersion(pack?.kind ?? 'npm', range) ? 'latest' : range;
}

/** A version or a tag that a person names, as the sources take it. @throws McpdError SPEC_INVALID */
export function rangeNamed({ kind, identifier }: InstalledPackage, to: string): string {
  if (kind === 'mcpb') return to;
  const spec = parseSpec(packageText(kind, identifier, to));
  return spec.kind === 'package' ? spec.range : to;
}

/** Of a version as `toldApart` writes it. */
export function rangeShown({ version }: InstalledPackage, shown: string): string {
  return shown.startsWith(`${version}@`) ? version : shown;
}

/** Whether that is one version and nothing that moves: npm takes `1` for a range, and of a repository a commit is one. */
function isOneVersion(kind: PackageKind, range: string): boolean {
  if (kind === 'git') return isAbbreviatedCommit(range);
  if (kind === 'pypi') return versionFault(kind, range.replace(/^={2,3}\s*/, '')) === null;
  return kind === 'nuget' ? versionFault(kind, range) === null : isExactVersion(range);
}

/**
 * What is followed is what was asked for at install, until an update names another branch, tag or range: one version takes nobody off it.
 * Every version of an image is a tag.
 */
export function sourceAt(source: ServerSource, installed: InstalledPackage, to: string | undefined): ServerSource {
  const { kind, identifier, version, asked } = installed;
  if (to === undefined || source.kind !== kind) return { ...source, package: installed } as ServerSource;
  const reference = kind === 'git' ? misleadingReference(to, version) : null;
  if (kind !== 'oci' && reference === null && isOneVersion(kind, to))
    return { ...source, package: installed } as ServerSource;
  const pack = reference === null ? installed : { ...installed, asked: { ...asked, reference } };
  return { ...source, ref: packageText(kind, identifier, to), package: pack } as ServerSource;
}

export function withoutPackage(name: string): McpdError {
  return new McpdError('INPUT_INVALID', {
    what: `${name} has no package with versions`,
    why: 'it is part of mcpd, runs elsewhere, or was added as a command or a folder',
    fix: 'mcpd outdated shows the servers that have one',
  });
}

// — internal —

/** Of a repository: its branch or tag, and after a commit the branch that it shows first. */
function refOf(asked: string, reference: string | undefined): string {
  const read = isGitAddress(asked) ? parseGit(asked) : null;
  if (read === null || 'why' in read) return DEFAULT_REF;
  return isAbbreviatedCommit(read.range) && read.range !== reference ? DEFAULT_REF : read.range;
}

interface Facts {
  definition: ServerDefinition;
  pack: InstalledPackage;
  state: Omit<VersionState, 'available' | 'isOutdated' | 'error'>;
}

/** What was found of one server when somebody asked; `published` is null when that failed. */
interface Found extends Pick<VersionState, 'server' | 'kind' | 'identifier' | 'error'> {
  published: PublishedVersion | null;
}

function stateOf(
  state: Facts['state'],
  pack: InstalledPackage,
  published: PublishedVersion | null,
  error: VersionState['error'],
): VersionState {
  if (published === null) return { ...state, available: null, isOutdated: false, error };
  const { from, to } = toldApart(pack, published);
  return { ...state, installed: from, available: to, isOutdated: !isSame(pack, published), error };
}

function facts({ registry }: InstallPorts): Facts[] {
  const kept = registry.kept.all();
  const pins = registry.kept.pins();
  return registry.allServers().flatMap((definition): Facts[] => {
    const pack = packageOf(definition);
    if (pack === null) return [];
    const { name: server } = definition;
    const { kind, identifier, version: installed } = pack;
    const before = kept.get(server);
    const old = before === undefined ? null : packageOf(before.definition);
    const keptVersion = old === null ? null : toldApart(pack, old).to;
    const state = { server, kind, identifier, installed, isPinned: pins.has(server), kept: keptVersion };
    return [{ definition, pack, state }];
  });
}

/** Kinds of which the same version can be published anew: tags of images, and bundles at an address. */
const REPUBLISHED: ReadonlySet<PackageKind> = new Set(['oci', 'mcpb']);

/** `sha256:` and twelve digits. */
const INTEGRITY_SHOWN = 19;
