import type { ApprovalRequest } from '../../../src/api/contract/approvals.ts';
import type { InputSpec, InstallRequest } from '../../../src/api/contract.ts';
import { type Given, type SnippetServer, type SnippetWay, snippetValues } from '../../../src/install/snippet.ts';
import { shellWord } from '../../../src/shell-word.ts';
import { shown } from '../text.ts';
import type { Filled } from './install-request.ts';

/** Servers of a configuration that was pasted, as they are shown and asked for. Pure; the text is a stranger's. */

/** What is filled in for one of them. */
export interface SnippetFilled extends Filled {
  /** Where a command runs; its whole path. */
  folder: string;
}

/** What it needs to know, as a form asks for it. */
export function snippetInputs({ asked }: SnippetServer): InputSpec[] {
  return asked.map(({ name, description, required, secret, default: usual, choices, environment }) => ({
    ...{ name, required, secret, choices, default: usual },
    description:
      description === '' && environment ? `The configuration takes it from the variable ${name}.` : shown(description),
  }));
}

/** Package, address or command line, with `<NAME>` for what is asked for. Values of secrets are not in it. */
export function wayText({ way, asked }: SnippetServer): string {
  const { args } = snippetValues(way, new Map(asked.map(({ name }) => [name, `<${name}>`])));
  const words = args.map(shellWord);
  if (way.kind === 'address') return shown(way.url);
  return shown([way.kind === 'package' ? way.spec : shellWord(way.command), ...words].join(' '));
}

/** Its values as names and words; a secret is named alone. */
export function valueTexts({ way, asked }: SnippetServer): (readonly [string, string])[] {
  const { env, headers } = snippetValues(way, new Map(asked.map(({ name }) => [name, `<${name}>`])));
  return [
    ...Object.entries(env).map(([name, value]) => ['Variable', `${shown(name)}=${valueText(value)}`] as const),
    ...Object.entries(headers).map(([name, value]) => ['Header', `${shown(name)}: ${valueText(value)}`] as const),
  ];
}

/** A package and an address say themselves what they are called; a command does not. */
export function mustBeNamed({ way, name }: SnippetServer): boolean {
  return way.kind === 'command' && name === null;
}

/** What mcpd is asked to do about it. */
export function snippetRequest(server: SnippetServer, { name, folder, values }: SnippetFilled): ApprovalRequest {
  const { way } = server;
  const { args, env, headers } = snippetValues(way, answersOf(server, values));
  const called = name ?? server.name;
  if (way.kind === 'command')
    return { action: 'add', add: { name: called ?? '', command: way.command, args, env, cwd: folder, trial: true } };
  return {
    action: 'install',
    install: { ...requestOf(way, args, env, headers), ...(called === null ? {} : { name: called }) },
  };
}

// — internal —

const HIDDEN = '(a secret, kept apart)';

function valueText({ value, secret }: Given[string]): string {
  return secret ? HIDDEN : shown(value);
}

/** A value that was left empty is its default, or none. */
function answersOf({ asked }: SnippetServer, values: ReadonlyMap<string, string>): Map<string, string> {
  return new Map(
    asked.flatMap(({ name, default: usual }) => {
      const value = values.get(name) || usual;
      return value === null ? [] : [[name, value] as const];
    }),
  );
}

function requestOf(
  way: Exclude<SnippetWay, { kind: 'command' }>,
  args: string[],
  env: Given,
  headers: Given,
): InstallRequest {
  if (way.kind === 'package') return { spec: way.spec, args, env };
  return { spec: way.url, transport: way.transport, headers };
}
