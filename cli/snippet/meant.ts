import type { SnippetServer, SnippetWay } from '../../src/install/snippet.ts';
import type { Context } from '../context.ts';
import { fromCaller, type GivenVariables } from '../environment-flags.ts';

/** What a server of a pasted configuration is called, and has besides, when the command line is counted in. */

/** An address and a package name their server themselves. */
export function nameOfWay(way: SnippetWay): string | undefined {
  if (way.kind !== 'command') return undefined;
  return /^[\w.-]+$/.test(way.command) && !/^(node|python\d?|bash|sh)$/.test(way.command) ? way.command : undefined;
}

/** `--env` for a variable that the configuration has a value for: the command line wins. */
export function ownVariables(
  { way, asked }: SnippetServer,
  given: GivenVariables,
  { env }: Pick<Context, 'env'>,
): Map<string, string> {
  const own = new Map<string, string>();
  if (way.kind === 'address') return own;
  const questions = new Set(asked.map(({ name }) => name));
  for (const [name, value] of fromCaller(given, env))
    if (value !== null && way.env.has(name) && !questions.has(name)) own.set(name, value);
  return own;
}
