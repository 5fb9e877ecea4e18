import { resolve } from 'node:path';
import type { Published, PublishedPackage } from '../../registry/published.ts';
import type { InputSpec, InstallPlan, InstallRequest } from '../api/contract.ts';
import type { PackageKind, Sharing } from '../core/model.ts';
import { McpdError } from '../errors.ts';
import { OWN_DIST, OWN_NODE } from '../own-places.ts';
import { riskyVariables } from '../risky-variables.ts';
import { secretsIn } from '../secret-references.ts';
import { serverNameOf } from '../server-names.ts';
import type { Runnable } from './bin.ts';
import { BUNDLE_FOLDER, folderIn } from './bundle/places.ts';
import { bundleText } from './bundle/spec.ts';
import { commandLineOf } from './command-line.ts';
import type { DevelopmentFolder } from './folder.ts';
import type { CallerPlace } from './inputs.ts';
import { Values } from './values.ts';
import { checkNoNul } from './variables.ts';
import { versionIs } from './version-is.ts';

/** Where a published server was found: what its definition remembers of it. */
export type Found =
  | { kind: 'catalog' | 'document' | PackageKind; ref: string }
  /** `place`: which MCP registry, for people. */
  | { kind: 'registry'; ref: string; place: string };

/** What a spec turned out to be, once the catalog or the folder was looked at. */
export type Origin =
  | {
      kind: 'package';
      found: Found;
      published: Published;
      package: PublishedPackage;
      /** What the server is called unless a person says otherwise. */
      name: string;
      sharing: Sharing;
    }
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
  /** Null while only the package can tell. `${__dirname}` in it, in `args` and in `env` is the folder that a bundle will have. */
  program: Runnable | null;
  /** After the program's own. As in `env`, what is missing is a placeholder here: not to be started before `missing` is empty. */
  args: string[];
  cwd: string | null;
  env: Record<string, string>;
  sharing: Sharing;
  /** Values for the secrets file, by the names that `args` and `env` refer to. */
  secrets: Map<string, string>;
  missing: InputSpec[];
  warnings: string[];
}

/** @throws McpdError NAME_INVALID, INPUT_INVALID, PACKAGE_NOT_RUNNABLE */
export function planInstall(request: InstallRequest, origin: Origin, context: PlanContext): PlannedInstall {
  const values = new Values(new Map(Object.entries(request.env ?? {})), context.place);
  const given = request.args ?? [];
  for (const arg of given) checkNoNul(arg, 'an argument');
  const { name, warnings } = nameOf(request.name, origin.kind === 'package' ? origin.name : origin.folder.name);
  if (request.allowScripts === true)
    warnings.push('the install scripts of the package and of all that it needs will run');
  const parts = origin.kind === 'package' ? planPackage(origin, given, values) : planFolder(origin.folder, given);
  const { description } = origin.kind === 'package' ? origin.published : origin.folder;
  return {
    name,
    description: oneLine(description),
    origin,
    ...parts,
    cwd: origin.kind === 'folder' ? origin.folder.path : null,
    env: Object.fromEntries([...parts.env, ...values.others()]),
    sharing: request.sharing ?? (origin.kind === 'package' ? origin.sharing : 'auto'),
    secrets: values.secrets,
    missing: values.missing,
    warnings: [...warnings, ...parts.warnings],
  };
}

/** What a person is shown before anything happens. */
export function planView(plan: PlannedInstall): InstallPlan {
  const { name, description, fetch, missing, warnings } = plan;
  const program = plan.program ?? {
    command: OWN_NODE,
    args: [fetch === null ? '…' : `<${fetch.identifier}@${fetch.range}>`],
  };
  const shown = (text: string) => (fetch?.kind === 'mcpb' ? folderIn(text, `<${name}@${fetch.range}>`) : text);
  return {
    name,
    description,
    fetch: fetch === null ? null : fetchText(fetch),
    inputs: missing,
    commandLine: commandLineOf(
      { command: shown(program.command), args: [...program.args, ...plan.args].map(shown) },
      Object.fromEntries(Object.entries(plan.env).map(([variable, text]) => [variable, shown(text)])),
    ),
    variables: Object.keys(plan.env),
    fileSha256: fetch?.fileSha256 ?? null,
    versionIs: versionIs(fetch),
    warnings,
    published: publishedAt(plan.origin),
  };
}

/** What is fetched, so that it can be asked for once more: the very same. */
export function fetchText({ kind, identifier, range, fileSha256 }: PlannedFetch): string {
  return kind === 'mcpb' ? bundleText(identifier, fileSha256) : `${kind}:${identifier}@${range}`;
}

/** A server's name from what was asked for, else from the package; a slugged one is told. @throws McpdError NAME_INVALID */
export function nameOf(asked: string | undefined, own: string): { name: string; warnings: string[] } {
  const name = serverNameOf(asked ?? own);
  if (asked === undefined || name === asked) return { name, warnings: [] };
  return { name, warnings: [`"${asked.slice(0, 60)}" is called ${name} here: names are a-z, 0-9, - and _`] };
}

// — internal —

function publishedAt(origin: Origin): InstallPlan['published'] {
  if (origin.kind !== 'package' || origin.found.kind !== 'registry') return null;
  const { name, version, publisher, repository } = origin.published;
  return { name, version, place: origin.found.place, publisher, repository };
}

type Parts = Pick<PlannedInstall, 'fetch' | 'program' | 'args' | 'warnings'> & { env: [string, string][] };

function planPackage(
  { found, published, package: pack }: PackageOrigin,
  given: readonly string[],
  values: Values,
): Parts {
  const { title } = published;
  const warnings = published.warnings.map((text) => `${title}: ${text}`);
  const runtimeArguments = pack.runtimeArguments.flatMap((argument) => values.wordsOf(argument));
  const args = packageWords(pack, given, values);
  warnings.push(...secretsOnCommandLine(title, [...runtimeArguments, ...args]));
  const env = pack.env.flatMap((input): [string, string][] => {
    const own = values.given(input.name)?.value;
    if (own !== undefined && input.value !== null && own !== input.value)
      warnings.push(`${input.name} is usually ${input.value}; your value takes its place`);
    const text = values.textOf(input);
    return text === null ? [] : [[input.name, text]];
  });
  // What a bundle brings along itself is its own code.
  const isOwn = (value: string) => pack.kind === 'mcpb' && value.startsWith(BUNDLE_FOLDER);
  const fixed = pack.env.filter(({ value }) => value !== null && !isOwn(value)).map(({ name }) => name);
  warnings.push(...riskyVariables(fixed, found.kind === 'catalog' ? 'the catalog' : title));
  const { kind, identifier, version, registryBaseUrl: registry, fileSha256 } = pack;
  if (kind === 'bundled')
    return { fetch: null, program: { command: OWN_NODE, args: [`${OWN_DIST}/${identifier}`] }, args, env, warnings };
  const fetch = { kind, identifier, range: version ?? 'latest', registry, fileSha256, runtimeArguments };
  const program = kind === 'mcpb' && pack.runtimeHint !== null ? { command: pack.runtimeHint, args: [] } : null;
  return { fetch, program, args, env, warnings };
}

/** Positional arguments that nobody gave by name take what stands after `--` up to the first flag; the rest comes last. */
function packageWords(pack: PublishedPackage, given: readonly string[], values: Values): string[] {
  const rest = [...given];
  const words = pack.arguments.flatMap((argument) => {
    const { flag, repeated, input } = argument;
    if (flag !== null || input === null || input.value !== null || values.given(input.name) !== undefined)
      return values.wordsOf(argument);
    const firstFlag = rest.findIndex((word) => word.startsWith('-'));
    const open = firstFlag === -1 ? rest.length : firstFlag;
    if (open === 0) return values.wordsOf(argument);
    return rest.splice(0, repeated ? open : 1).flatMap((word) => values.textFor(input, word) ?? []);
  });
  return [...words, ...rest];
}

function secretsOnCommandLine(title: string, words: readonly string[]): string[] {
  const names = [...new Set(words.flatMap(secretsIn))];
  return names.map(
    (name) => `${title} takes ${name} on its command line only, where other programs of this user see it`,
  );
}

/** May take the command out of what was given: that of a folder whose package.json names no program. */
function planFolder({ program, path }: DevelopmentFolder, given: readonly string[]): Parts {
  const nothing = { fetch: null, env: [], warnings: [] };
  if (!(program instanceof McpdError)) return { ...nothing, program, args: [...given] };
  const [command, ...args] = given;
  if (command === undefined) throw program;
  const found = /[/\\]/.test(command) ? resolve(path, command) : command;
  return { ...nothing, program: { command: found, args: [] }, args };
}

const DESCRIPTION_MAX = 200;

/** Descriptions of packages are shown in tables. */
export function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= DESCRIPTION_MAX ? line : `${line.slice(0, DESCRIPTION_MAX - 1)}…`;
}
