import type { CommandRequest } from '../api/contract.ts';
import type { Launch } from '../core/model.ts';
import { placed } from '../own-places.ts';
import { shellWord } from '../shell-word.ts';

/** A command line for people to read and to paste; nothing is ever started from it. */
export function commandLineOf(
  kept: { command: string; args: readonly string[] },
  env: Readonly<Record<string, string>> = {},
): string {
  const launch = placed(kept);
  const variables = Object.entries(env).map(([name, value]) => `${name}=${quoted(value)}`);
  return [...variables, ...[launch.command, ...launch.args].map(quoted)].join(' ');
}

/** What a server is started with or reached at, in one line for people. */
export function launchText(launch: Launch): string {
  return launch.kind === 'http' ? launch.url : commandLineOf(launch, launch.env);
}

/** What else to try when the trial of a command failed. */
export function untestedCommand(name: string, request: CommandRequest): string {
  const variables = Object.keys(request.env).map((variable) => `--env ${variable} `);
  return `run it in a terminal, or register it untested: mcpd add ${name} --no-trial ${variables.join('')}-- ${commandLineOf(request)}`;
}

// — internal —

const PLACEHOLDER = /^(<[^<>]+>|(\$\{(secret:\w+|dataDir|cidFile)\}|[\w@%+=:,./-])+)$/;

/** Placeholders (`<directory>`, `${secret:KEY}`) stay as they are, for reading. */
function quoted(word: string): string {
  return PLACEHOLDER.test(word) ? word : shellWord(word);
}
