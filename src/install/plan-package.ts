import { resolve } from 'node:path';
import type { PublishedPackage } from '../../registry/published.ts';
import { McpdError } from '../errors.ts';
import { OWN_DIST, OWN_NODE } from '../own-places.ts';
import { riskyVariables } from '../risky-variables.ts';
import { secretsIn } from '../secret-references.ts';
import { BUNDLE_FOLDER } from './bundle/places.ts';
import type { DevelopmentFolder } from './folder.ts';
import { checkNoSecret, containerArguments, outsideVariables } from './packages/oci-arguments.ts';
import type { Origin, PlannedInstall } from './plan.ts';
import type { Values } from './values.ts';
import { checkVariableName } from './variables.ts';

/** The command line and the environment of a package or a folder. Pure. */

export type Parts = Pick<PlannedInstall, 'fetch' | 'program' | 'args' | 'warnings'> & { env: [string, string][] };

/** @throws McpdError INPUT_INVALID */
export function planPackage(
  { found, published, package: pack }: Extract<Origin, { kind: 'package' }>,
  given: readonly string[],
  values: Values,
): Parts {
  const { title } = published;
  const warnings = published.warnings.map((text) => `${title}: ${text}`);
  const runtimeArguments = pack.runtimeArguments.flatMap((argument) => values.wordsOf(argument));
  const args = packageWords(pack, given, values);
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
  const { kind, identifier, version, registryBaseUrl: registry, fileSha256 } = pack;
  // What is set inside a container changes nothing outside.
  if (kind !== 'oci') warnings.push(...riskyVariables(fixed, found.kind === 'catalog' ? 'the catalog' : title));
  if (kind === 'bundled')
    return { fetch: null, program: { command: OWN_NODE, args: [`${OWN_DIST}/${identifier}`] }, args, env, warnings };
  const fetch = { kind, identifier, range: version ?? 'latest', registry, fileSha256, runtimeArguments };
  if (kind === 'oci') return planContainer({ fetch, args, env, warnings, program: null });
  warnings.push(...secretsOnCommandLine(title, [...runtimeArguments, ...args]));
  const program = kind === 'mcpb' && pack.runtimeHint !== null ? { command: pack.runtimeHint, args: [] } : null;
  return { fetch, program, args, env, warnings };
}

/** May take the command out of what was given: that of a folder whose package.json names no program. */
export function planFolder({ program, path }: DevelopmentFolder, given: readonly string[]): Parts {
  const nothing = { fetch: null, env: [], warnings: [] };
  if (!(program instanceof McpdError)) return { ...nothing, program, args: [...given] };
  const [command, ...args] = given;
  if (command === undefined) throw program;
  const found = /[/\\]/.test(command) ? resolve(path, command) : command;
  return { ...nothing, program: { command: found, args: [] }, args };
}

// — internal —

function planContainer(parts: Parts & { fetch: NonNullable<Parts['fetch']> }): Parts {
  const { fetch, args } = parts;
  const container = containerArguments(fetch.runtimeArguments);
  const { env, words } = outsideVariables([...container.env, ...parts.env]);
  for (const [variable] of container.env) checkVariableName(variable);
  const runtimeArguments = [...container.args, ...words];
  checkNoSecret([...runtimeArguments, ...args]);
  return { ...parts, fetch: { ...fetch, runtimeArguments }, env, warnings: [...parts.warnings, ...container.warnings] };
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
