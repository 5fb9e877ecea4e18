import { join } from 'node:path';
import { shellWord } from '../src/shell-word.ts';

/** What a host is told to run: this very node, because it is the one that better-sqlite3 was built for, and the shim's own file. */
export interface HostEntry {
  command: string;
  args: string[];
  env?: Record<string, string>;
}

/** `given` are the variables by which this mcpd is found: a host, which may be the one that starts it, does not have those of this shell. */
export function hostEntry(node: string, dist: string, given: Record<string, string>): HostEntry {
  const entry = { command: node, args: [join(dist, 'stdio.cjs')] };
  return Object.keys(given).length === 0 ? entry : { ...entry, env: given };
}

/** Lines to paste: the JSON that most hosts take, and the command of the one that has a command. */
export function hostEntryLines(entry: HostEntry): { json: string[]; claude: string } {
  const env = Object.entries(entry.env ?? {}).map(([name, value]) => `-e ${shellWord(`${name}=${value}`)} `);
  return {
    json: JSON.stringify({ mcpServers: { mcpd: entry } }, null, 2).split('\n'),
    claude: `claude mcp add mcpd ${env.join('')}-- ${[entry.command, ...entry.args].map(shellWord).join(' ')}`,
  };
}
