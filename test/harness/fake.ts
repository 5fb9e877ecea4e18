import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The command that starts a fake server of test/servers: `fake('slow')`, `fake('echo', '--name', 'A')`. */
export function fake(name: string, ...args: string[]): [string, ...string[]] {
  return [process.execPath, fileURLToPath(new URL(`../servers/${name}.mjs`, import.meta.url)), ...args];
}

/** A line that a fake server left in the file that its RECORD_FILE named. */
export interface RecordLine {
  pid: number;
  what: string;
  [member: string]: unknown;
}

/** All that fake servers recorded in `file`, oldest first; with `what` only lines of that kind. */
export function recordsIn(file: string, what?: string): RecordLine[] {
  let content: string;
  try {
    content = readFileSync(file, 'utf8');
  } catch {
    return []; // No server has started yet.
  }
  const lines = content.split('\n').filter((line) => line !== '');
  const records = lines.map((line) => JSON.parse(line) as RecordLine);
  return what === undefined ? records : records.filter((record) => record.what === what);
}
