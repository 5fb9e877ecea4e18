import type { Published, PublishedPackage, PublishedRemote } from '../../registry/published.ts';
import type { InputSpec, InstallPlan, InstallRequest } from '../api/contract.ts';
import type { GivenToBundle, HttpLaunch, PackageKind, Sharing } from '../core/model.ts';
import type { Runnable } from './bin.ts';
import { folderIn } from './bundle/places.ts';
import { bundleText } from './bundle/spec.ts';
import { commandLineOf } from './command-line.ts';
import type { DevelopmentFolder } from './folder.ts';
import type { CallerPlace } from './inputs.ts';
import { nameOf, oneLine } from './naming.ts';
import { type Parts, planFolder, planPackage } from './plan-package.ts';
import { planRemote } from './plan-remote.ts';
import { packageText } from './spec.ts';
import { Values } from './values.ts';
import { checkNoNul } from './variables.ts';
import { versionIs } from './version-is.ts';

/** Where a published server was found: what its definition remembers of it. */
export type Found =
  | { kind: 'catalog' | 'document' | PackageKind; ref: string }
  /** `place`: which MCP registry, for people. */
  | { kind: 'registry'; ref: string; place: string };

interface FoundServer {
  found: Found;
  published: Published;
  /** What the server is called unless a person says otherwise. */
  name: string;
  sharing: Sharing;
  /** Which of its packages and remotes this is, and why; null where there was nothing to choose. */
  choice: string | null;
}

/** What a spec turned out to be, once the catalog or the folder was looked at. */
export type Origin =
  | ({ kind: 'package'; package: PublishedPackage } & FoundServer)
  | ({ kind: 'remote'; remote: PublishedRemote } & FoundServer)
  | { kind: 'folder'; folder: DevelopmentFolder };

export type PackageOrigin = Extract<Origin, { kind: 'package' }>;

export interface PlanContext {
  place: CallerPlace;
}

/** A package to be fetched. */
export interface PlannedFetch {
  kind: PackageKind;
  identifier: string;
  range: string;
  registry: string | null;
  fileSha256: string | null;
  /** The publisher's words before the package. */
  runtimeArguments: string[];
}

/** Everything about an install that is known before anything is fetched. Plain data; nothing of it has happened yet. */
export interface PlannedInstall {
  name: string;
  description: string;
  origin: Origin;
  fetch: PlannedFetch | null;
  /** Null while only the package can tell, and for a server that runs elsewhere. `${__dirname}` in it, in `args` and in `env` is the folder that a bundle will have. */
  program: Runnable | null;
  /** Where a server that runs elsewhere is reached. */
  remote: HttpLaunch | null;
  /** After the program's own. As in `env`, what is missing is a placeholder here: not to be started before `missing` is empty. */
  args: string[];
  cwd: string | null;
  env: Record<string, string>;
  sharing: Sharing;
  /** Values for the secrets file, by the names that `args` and `env` refer to. */
  secrets: Map<string, string>;
  missing: InputSpec[];
  /** What a person gave, so that it can be planned once more. */
  given: GivenToBundle;
  warnings: string[];
}

/** @throws McpdError NAME_INVALID, INPUT_INVALID, PACKAGE_NOT_RUNNABLE */
export function planInstall(request: InstallRequest, origin: Origin, context: PlanContext): PlannedInstall {
  const values = new Values(new Map(Object.entries(request.env ?? {})), context.place);
  const given = request.args ?? [];
  for (const arg of given) checkNoNul(arg, 'an argument');
  const { name, warnings } = nameOf(request.name, origin.kind === 'folder' ? origin.folder.name : origin.name);
  if (request.allowScripts === true)
    warnings.push('the install scripts of the package and of all that it needs will run');
  const { parts, remote } = partsOf(request, origin, given, values);
  const { description } = origin.kind === 'folder' ? origin.folder : origin.published;
  const others = values.others();
  return {
    name,
    description: oneLine(description),
    origin,
    ...parts,
    remote,
    cwd: origin.kind === 'folder' ? origin.folder.path : null,
    env: Object.fromEntries([...parts.env, ...others]),
    sharing: request.sharing ?? (origin.kind === 'folder' ? 'auto' : origin.sharing),
    secrets: values.secrets,
    missing: values.missing,
    given: givenTo(request, given, values),
    warnings: [...warnings, ...parts.warnings],
  };
}

/** What a person is shown before anything happens; `preview` is how a package that is fetched will be started, `integrity` what it must be. */
export function planView(plan: PlannedInstall, preview: Runnable | null, integrity: string | null): InstallPlan {
  const { name, description, fetch, missing, warnings, remote } = plan;
  const program = plan.program ?? preview ?? { command: '…', args: [] };
  const shown = (text: string) => (fetch?.kind === 'mcpb' ? folderIn(text, `<${name}@${fetch.range}>`) : text);
  return {
    name,
    description,
    fetch: fetch === null ? null : fetchText(fetch),
    publisher: plan.origin.kind === 'folder' ? null : plan.origin.published.publisher,
    inputs: missing,
    commandLine:
      remote?.url ??
      commandLineOf(
        { command: shown(program.command), args: [...program.args, ...plan.args].map(shown) },
        Object.fromEntries(Object.entries(plan.env).map(([variable, text]) => [variable, shown(text)])),
      ),
    variables: Object.keys(plan.env),
    fileSha256: fetch?.fileSha256 ?? null,
    integrity,
    versionIs: versionIs(fetch),
    warnings,
    published: publishedAt(plan.origin),
    choice: plan.origin.kind === 'folder' ? null : plan.origin.choice,
  };
}

/** What is fetched, so that it can be asked for once more: the very same. */
export function fetchText({ kind, identifier, range, fileSha256 }: PlannedFetch): string {
  return kind === 'mcpb' ? bundleText(identifier, fileSha256) : packageText(kind, identifier, range);
}

// — internal —

/** With references in the place of what is kept as a secret. */
function givenTo({ env = {}, cwd }: InstallRequest, args: readonly string[], values: Values): GivenToBundle {
  const referred = (text: string) => values.referenceFor(text) ?? text;
  const texts = Object.entries(env).map(([name, { value }]) => [
    name,
    values.referenceFor(value) ?? value.split('\n').map(referred).join('\n'),
  ]);
  return { args: args.map(referred), env: Object.fromEntries(texts), cwd: cwd ?? null };
}

function publishedAt(origin: Origin): InstallPlan['published'] {
  if (origin.kind === 'folder' || origin.found.kind !== 'registry') return null;
  const { name, version, publisher, repository } = origin.published;
  return { name, version, place: origin.found.place, publisher, repository };
}

function partsOf(
  request: InstallRequest,
  origin: Origin,
  given: readonly string[],
  values: Values,
): { parts: Parts; remote: HttpLaunch | null } {
  switch (origin.kind) {
    case 'package':
      return { parts: planPackage(origin, given, values), remote: null };
    case 'folder':
      return { parts: planFolder(origin.folder, given), remote: null };
    case 'remote': {
      const { remote, warnings } = planRemote(origin.published, origin.remote, request, values);
      return { parts: { fetch: null, program: null, args: [], env: [], warnings }, remote };
    }
  }
}
