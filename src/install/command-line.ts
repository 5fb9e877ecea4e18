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

// — internal —

const PLACEHOLDER = /^(<[^<>]+>|(\$\{(secret:\w+|dataDir)\}|[\w@%+=:,./-])+)$/;

/** Placeholders (`<directory>`, `${secret:KEY}`) stay as they are, for reading. */
function quoted(word: string): string {
  return PLACEHOLDER.test(word) ? word : shellWord(word);
}
