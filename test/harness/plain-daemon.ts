import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { DaemonProgram } from '../../src/engine/program.ts';
import { prepareHome } from '../../src/home.ts';
import { pathsOf } from '../../src/paths.ts';
import type { TemporaryHome } from './home.ts';

export interface PlainDaemon {
  program: DaemonProgram;
  /** How the next one that is started behaves. */
  set(behaviour: { mode?: 'ok' | 'fatal' | 'crash' | 'hung' | 'standby'; version?: string }): void;
  /** Everyone that was started, in order. */
  starts(): { pid: number; args: string[]; env: Record<string, string>; cwd: string; version: string }[];
}

export const PLAIN_DAEMON = fileURLToPath(new URL('../servers/plain-daemon.mjs', import.meta.url));

/** `test/servers/plain-daemon.mjs` as the daemon of a temporary home. */
export function plainDaemon(
  temporary: TemporaryHome,
  home: string = temporary.mcpdHome,
  script: string = PLAIN_DAEMON,
): PlainDaemon {
  const paths = pathsOf(home);
  prepareHome(home, { probe: false });
  const set: PlainDaemon['set'] = (behaviour) => writeFileSync(join(home, 'plain.json'), JSON.stringify(behaviour));
  set({});
  return {
    program: { paths, script, args: ['--plain'], env: temporary.env },
    set,
    starts: () => {
      try {
        const lines = readFileSync(join(home, 'starts.jsonl'), 'utf8').trim().split('\n');
        return lines.map((line) => JSON.parse(line));
      } catch {
        return []; // Nobody was started.
      }
    },
  };
}
