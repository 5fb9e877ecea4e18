import type { VersionState } from '../api/contract/updates.ts';
import type { InstalledPackage, ServerDefinition } from '../core/model.ts';
import { asMcpdError, McpdError } from '../errors.ts';
import { DEFAULT_REF, isAbbreviatedCommit, isGitAddress, parseGit } from './packages/git-address.ts';
import { sourceFor } from './packages/kinds.ts';
import type { VersionRequest } from './packages/source.ts';
import type { InstallPorts } from './ports.ts';
import { isExactVersion } from './spec.ts';

/** Which version a server has, and which there is. */

/** Of every server that has a package. What cannot be found out of one costs the others nothing. */
export async function versionStates(ports: InstallPorts): Promise<VersionState[]> {
  const { registry } = ports;
  const kept = registry.kept.all();
  const pins = registry.kept.pins();
  const states = registry.allServers().map(async (definition): Promise<VersionState[]> => {
    const pack = packageOf(definition);
    if (pack === null) return [];
    const { name: server } = definition;
    const { kind, identifier, version: installed } = pack;
    const kept1 = kept.get(server);
    const facts = {
      ...{ server, kind, identifier, installed, isPinned: pins.has(server) },
      kept: kept1 === undefined ? null : (packageOf(kept1.definition)?.version ?? null),
    };
    try {
      const available = await versionOf(ports, definition, rangeOf(definition));
      return [{ ...facts, available, isOutdated: available !== installed, error: null }];
    } catch (thrown) {
      const error = asMcpdError(thrown, 'INTERNAL', 'its versions could not be asked for').report();
      return [{ ...facts, available: null, isOutdated: false, error }];
    }
  });
  return (await Promise.all(states)).flat();
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
