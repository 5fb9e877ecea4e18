import type { KnownVersions, VersionState } from '../api/contract/updates.ts';
import type { InstalledPackage, ServerDefinition } from '../core/model.ts';
import { asMcpdError, McpdError } from '../errors.ts';
import { DEFAULT_REF, isAbbreviatedCommit, isGitAddress, parseGit } from './packages/git-address.ts';
import { sourceFor } from './packages/kinds.ts';
import type { VersionRequest } from './packages/source.ts';
import type { InstallPorts } from './ports.ts';
import { isExactVersion } from './spec.ts';

/** Which version a server has, and which there is. */

/** How versions stand, and what was found when somebody asked for them. */
export class Versions {
  readonly #ports: InstallPorts;
  #found: { askedAt: number; servers: VersionState[] } | null = null;
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
    const found = new Map(this.#found?.servers.map((state) => [state.server, state]));
    const servers = facts(this.#ports).map(({ state }): VersionState => {
      const last = found.get(state.server);
      const isOfIt = last?.kind === state.kind && last.identifier === state.identifier;
      const available = isOfIt ? last.available : null;
      const isOutdated = available !== null && available !== state.installed;
      return { ...state, available, isOutdated, error: isOfIt ? last.error : null };
    });
    return { askedAt: this.#found?.askedAt ?? null, servers };
  }

  async #ask(): Promise<VersionState[]> {
    const states = facts(this.#ports).map(async ({ definition, state }): Promise<VersionState> => {
      try {
        const available = await versionOf(this.#ports, definition, rangeOf(definition));
        return { ...state, available, isOutdated: available !== state.installed, error: null };
      } catch (thrown) {
        const error = asMcpdError(thrown, 'INTERNAL', 'its versions could not be asked for').report();
        return { ...state, available: null, isOutdated: false, error };
      }
    });
    const servers = await Promise.all(states);
    this.#found = { askedAt: this.#ports.now(), servers };
    return servers;
  }
}

/** The version that `range` stands for now. @throws McpdError as a fetch does; INPUT_INVALID for a server without a package */
export function versionOf(ports: InstallPorts, definition: ServerDefinition, range: string): Promise<string> {
  const pack = packageOf(definition);
  if (pack === null) throw withoutPackage(definition.name);
  const { kind, identifier } = pack;
  const request = versionRequest(ports, definition.name, identifier, range);
  return sourceFor(ports.packages, kind, identifier).versionOf(request, ports.ending);
}

export function versionRequest(
  { paths }: Pick<InstallPorts, 'paths'>,
  name: string,
  identifier: string,
  range: string,
): VersionRequest {
  return { identifier, range, knownNames: [], folder: paths.packageOf(name), registry: null };
}

export function packageOf({ source }: Pick<ServerDefinition, 'source'>): InstalledPackage | null {
  return 'package' in source ? (source.package ?? null) : null;
}

/** A tag or a range that was asked for goes on to count; an exact version was one then, and its newest is asked for now. */
export function rangeOf({ source }: Pick<ServerDefinition, 'source'>): string {
  const asked = source.kind === 'file' ? (source.install ?? '') : source.ref;
  if (packageOf({ source })?.kind === 'git') return refOf(asked);
  const range = /^[a-z]+:.+@([^@/]+)$/.exec(asked)?.[1];
  return range === undefined || isExactVersion(range) ? 'latest' : range;
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
function refOf(asked: string): string {
  const read = isGitAddress(asked) ? parseGit(asked) : null;
  return read === null || 'why' in read || isAbbreviatedCommit(read.range) ? DEFAULT_REF : read.range;
}

interface Facts {
  definition: ServerDefinition;
  state: Omit<VersionState, 'available' | 'isOutdated' | 'error'>;
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
    const keptVersion = before === undefined ? null : (packageOf(before.definition)?.version ?? null);
    const state = { server, kind, identifier, installed, isPinned: pins.has(server), kept: keptVersion };
    return [{ definition, state }];
  });
}
