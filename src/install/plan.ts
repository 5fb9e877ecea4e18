import { resolve } from 'node:path';
import type { CatalogArgument, CatalogEntry, CatalogInput } from '../../registry/catalog.ts';
import type { InputSpec, InstallPlan, InstallRequest } from '../api/contract.ts';
import type { Sharing } from '../core/model.ts';
import { McpdError } from '../errors.ts';
import { OWN_DIST, OWN_NODE } from '../own-places.ts';
import { riskyVariables } from '../risky-variables.ts';
import { secretReference, secretsIn } from '../secret-references.ts';
import { serverNameOf } from '../server-names.ts';
import type { Runnable } from './bin.ts';
import { commandLineOf } from './command-line.ts';
import type { DevelopmentFolder } from './folder.ts';
import { type CallerPlace, type GivenValue, inputSpec, type Resolved, resolveInput, secretNameOf } from './inputs.ts';
import { checkNoNul, checkVariableName } from './variables.ts';

/** What a spec turned out to be, once the catalog or the folder was looked at. */
export type Origin =
  | { kind: 'catalog'; entry: CatalogEntry }
  | { kind: 'npm'; identifier: string; range: string }
  | { kind: 'folder'; folder: DevelopmentFolder };

export interface PlanContext {
  place: CallerPlace;
}

/** Everything about an install that is known before anything is fetched. Plain data; nothing of it has happened yet. */
export interface PlannedInstall {
  name: string;
  description: string;
  origin: Origin;
  fetch: { identifier: string; range: string } | null;
  /** Null while only the package can tell. */
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
  const given = new Map(Object.entries(request.env ?? {}));
  const args = request.args ?? [];
  for (const arg of args) checkNoNul(arg, 'an argument');
  const values = new Values();
  const own = ownName(origin);
  const plan = {
    ...nameOf(request.name, own),
    description: oneLine(
      origin.kind === 'catalog' ? origin.entry.description : origin.kind === 'folder' ? origin.folder.description : '',
    ),
    origin,
    cwd: origin.kind === 'folder' ? origin.folder.path : null,
    sharing: request.sharing ?? (origin.kind === 'catalog' ? origin.entry.sharing : 'auto'),
    secrets: values.secrets,
    missing: values.missing,
  };
  if (request.allowScripts === true)
    values.warnings.push('the install scripts of the package and of all that it needs will run');
  switch (origin.kind) {
    case 'catalog':
      planEntry(origin.entry, given, args, context.place, values);
      break;
    case 'npm':
    case 'folder':
      values.args.push(...args);
      break;
  }
  values.addVariables(given);
  const program = programOf(origin, values.args);
  const fetch = fetchOf(origin);
  return {
    ...plan,
    env: Object.fromEntries(values.env),
    fetch,
    program,
    args: values.args,
    warnings: [...plan.warnings, ...values.warnings],
  };
}

/** What a person is shown before anything happens. */
export function planView(plan: PlannedInstall): InstallPlan {
  const { name, description, fetch, missing, warnings } = plan;
  const program = plan.program ?? {
    command: OWN_NODE,
    args: [fetch === null ? '…' : `<${fetch.identifier}@${fetch.range}>`],
  };
  return {
    name,
    description,
    fetch: fetch === null ? null : `npm:${fetch.identifier}@${fetch.range}`,
    inputs: missing,
    commandLine: commandLineOf({ command: program.command, args: [...program.args, ...plan.args] }, plan.env),
    warnings,
  };
}

/** A server's name from what was asked for, else from the package; a slugged one is told. @throws McpdError NAME_INVALID */
export function nameOf(asked: string | undefined, own: string): { name: string; warnings: string[] } {
  const name = serverNameOf(asked ?? own);
  if (asked === undefined || name === asked) return { name, warnings: [] };
  return { name, warnings: [`"${asked.slice(0, 60)}" is called ${name} here: names are a-z, 0-9, - and _`] };
}

// — internal —

/** Gathers what the values of the inputs come to. */
class Values {
  readonly args: string[] = [];
  readonly env = new Map<string, string>();
  readonly secrets = new Map<string, string>();
  readonly missing: InputSpec[] = [];
  readonly warnings: string[] = [];

  /** What stands in the launch for it; a placeholder for what is missing, as long as the plan is only shown. */
  textOf(input: CatalogInput, resolved: Exclude<Resolved, { kind: 'absent' }>): string {
    if (resolved.kind === 'value') return this.keep(resolved);
    this.missing.push(inputSpec(input));
    return `<${input.name}>`;
  }

  /** The text for a resolved value; its secret is kept under a name that is still free. */
  keep(resolved: Extract<Resolved, { kind: 'value' }>): string {
    const { secret, text } = resolved;
    if (secret === null) return text;
    let name = secret.name;
    for (let number = 2; this.secrets.has(name) && this.secrets.get(name) !== secret.value; number++)
      name = `${secret.name}_${number}`;
    this.secrets.set(name, secret.value);
    return secretReference(name);
  }

  /** Variables that no input of the catalog took. */
  addVariables(given: ReadonlyMap<string, GivenValue>): void {
    for (const [name, { value, secret }] of given) {
      checkVariableName(name);
      checkNoNul(value, `the value of ${name}`);
      const kept = secret && secretsIn(value).length === 0;
      this.env.set(
        name,
        kept ? this.keep({ kind: 'value', text: value, secret: { name: secretNameOf(name), value } }) : value,
      );
    }
  }
}

function planEntry(
  entry: CatalogEntry,
  given: Map<string, GivenValue>,
  args: readonly string[],
  place: CallerPlace,
  values: Values,
): void {
  values.warnings.push(...entry.warnings.map((text) => `${entry.title}: ${text}`));
  const rest = [...args];
  for (const argument of entry.arguments) {
    for (const resolved of argumentValues(argument, given, rest, place)) {
      if (resolved.kind === 'absent') continue;
      if (resolved.kind === 'value' && resolved.secret !== null) {
        values.warnings.push(
          `${entry.title} takes ${argument.input.name} on its command line only, where other programs of this user see it`,
        );
      }
      values.args.push(...(argument.flag === null ? [] : [argument.flag]), values.textOf(argument.input, resolved));
    }
  }
  values.args.push(...rest);
  for (const input of entry.env) {
    const resolved = resolveInput(input, given.get(input.name), place);
    const own = given.get(input.name)?.value;
    if (own !== undefined && input.value !== null && own !== input.value)
      values.warnings.push(`${input.name} is usually ${input.value}; your value takes its place`);
    given.delete(input.name);
    if (resolved.kind !== 'absent') values.env.set(input.name, values.textOf(input, resolved));
  }
  const fixed = entry.env.filter(({ value }) => value !== null).map(({ name }) => name);
  values.warnings.push(...riskyVariables(fixed, 'the catalog'));
}

/** Given by name, or else for a positional one by what stands after `--` up to the first flag; those are taken out of `rest`. */
function argumentValues(
  argument: CatalogArgument,
  given: Map<string, GivenValue>,
  rest: string[],
  place: CallerPlace,
): Resolved[] {
  const { input } = argument;
  const named = given.get(input.name);
  given.delete(input.name);
  const open = named === undefined && input.value === null && argument.flag === null;
  const firstFlag = rest.findIndex((word) => word.startsWith('-'));
  const words = firstFlag === -1 ? rest.length : firstFlag;
  if (!open || words === 0) return [resolveInput(input, named, place)];
  const taken = rest.splice(0, argument.repeated ? words : 1);
  return taken.map((value) => resolveInput(input, { value, secret: input.secret }, place));
}

function ownName(origin: Origin): string {
  if (origin.kind === 'catalog') return origin.entry.name;
  return origin.kind === 'npm' ? origin.identifier : origin.folder.name;
}

function fetchOf(origin: Origin): PlannedInstall['fetch'] {
  if (origin.kind === 'npm') return { identifier: origin.identifier, range: origin.range };
  if (origin.kind === 'folder' || origin.entry.origin.kind === 'bundled') return null;
  return { identifier: origin.entry.origin.identifier, range: origin.entry.origin.version };
}

/** May take the command out of `args`: that of a folder whose package.json names no program. */
function programOf(origin: Origin, args: string[]): Runnable | null {
  if (origin.kind === 'npm') return null;
  if (origin.kind === 'catalog') {
    const from = origin.entry.origin;
    return from.kind === 'npm' ? null : { command: OWN_NODE, args: [`${OWN_DIST}/${from.entry}`] };
  }
  const { program, path } = origin.folder;
  if (!(program instanceof McpdError)) return program;
  const command = args.shift();
  if (command === undefined) throw program;
  return { command: /[/\\]/.test(command) ? resolve(path, command) : command, args: [] };
}

const DESCRIPTION_MAX = 200;

/** Descriptions of packages are shown in tables. */
export function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= DESCRIPTION_MAX ? line : `${line.slice(0, DESCRIPTION_MAX - 1)}…`;
}
