import type { Published, PublishedPackage, PublishedRemote } from '../../registry/published.ts';
import { McpdError } from '../errors.ts';
import { runtimeNames } from './packages/runtimes.ts';

/** Which of its packages and remotes a published server is installed by, and why. Pure. */

type Installable = { package: PublishedPackage } | { remote: PublishedRemote };

/** As people name them after `--package`. */
type Choosable = PublishedPackage['kind'] | 'remote';

export interface ChoiceFacts {
  /** Kinds of packages whose programs this machine lacks. */
  lacking: ReadonlySet<PublishedPackage['kind']>;
  /** What a person asked for; null leaves it to mcpd. */
  wanted: string | null;
}

export interface Choice {
  taken: Installable;
  /** For people; null where there was nothing to choose. */
  why: string | null;
}

/**
 * The first package of the kind that comes first in `KINDS` and can run here; without any package, the first remote. Where none can run
 * here it is the first of all, whose fetch says what is missing.
 * @throws McpdError PACKAGE_UNSUPPORTED naming what it has instead; INPUT_INVALID for a wish that it cannot meet
 */
export function choose(published: Published, { lacking, wanted }: ChoiceFacts): Choice {
  const packages = inPreference(published.packages);
  const kinds: Choosable[] = [...new Set(packages.map(({ kind }) => kind))];
  const [remote] = published.remotes;
  if (remote !== undefined) kinds.push('remote');
  if (wanted !== null) {
    const asked = packages.find(({ kind }) => kind === wanted);
    if (asked !== undefined) return { taken: { package: asked }, why: `${wanted}, as asked for` };
    if (wanted === 'remote' && remote !== undefined) return { taken: { remote }, why: 'remote, as asked for' };
    throw notOffered(published.title, wanted, kinds);
  }
  const [first] = packages;
  const taken = packages.find(({ kind }) => !lacking.has(kind)) ?? first;
  if (taken !== undefined) return { taken: { package: taken }, why: reason(taken.kind, kinds, lacking) };
  if (remote !== undefined) return { taken: { remote }, why: null };
  throw nothingToInstall(published);
}

/** The packages of a published server, that first which is installed where everything is there. */
export function inPreference(packages: readonly PublishedPackage[]): PublishedPackage[] {
  return [...packages].sort((one, other) => KINDS.indexOf(one.kind) - KINDS.indexOf(other.kind));
}

// — internal —

/** What starts fastest and needs least comes first: mcpd's own node runs npm, a container needs a whole engine. */
const KINDS: readonly PublishedPackage['kind'][] = ['bundled', 'npm', 'mcpb', 'pypi', 'oci', 'nuget'];

function reason(
  taken: Choosable,
  kinds: readonly Choosable[],
  lacking: ReadonlySet<PublishedPackage['kind']>,
): string | null {
  const others = kinds.filter((kind) => kind !== taken);
  if (others.length === 0) return null;
  const passed = kinds.slice(0, kinds.indexOf(taken)).filter((kind) => kind !== 'remote');
  const another = `--package ${others.join('|')} takes another`;
  if (passed.length === 0)
    return lacking.has(taken as PublishedPackage['kind'])
      ? `${taken}, though nothing that runs it was found here; ${another}`
      : `${taken}, which needs least; ${another}`;
  const missing = passed.map((kind) => `${kind} (no ${runtimeNames(kind)})`).join(' and ');
  return `${taken}, as this machine cannot run ${missing}; ${another}`;
}

function notOffered(title: string, wanted: string, kinds: readonly Choosable[]): McpdError {
  return new McpdError('INPUT_INVALID', {
    what: `${title} is not published as ${wanted.slice(0, 40)}`,
    why: kinds.length === 0 ? 'mcpd can install nothing of it' : `it has ${kinds.join(', ')}`,
    ...(kinds[0] === undefined ? {} : { fix: `--package ${kinds[0]}` }),
  });
}

function nothingToInstall({ title, unsupported }: Published): McpdError {
  return new McpdError('PACKAGE_UNSUPPORTED', {
    what: `${title} has nothing that mcpd can install`,
    why:
      unsupported.length === 0 ? 'its description names no package and no address' : `it has ${unsupported.join(', ')}`,
    fix: 'install it as its page says, then: mcpd add NAME -- COMMAND',
  });
}
