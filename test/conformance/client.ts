/**
 * What the suite starts as the client under test: `node client.ts URL`, on the Node that runs the suite, which reads TypeScript. The suite
 * starts one for each scenario at once. Here they take turns, a few at a time: else its servers would be too slow to be taken for what
 * they are.
 */
import { mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const AT_ONCE = 3;
const LOOK_EVERY_MS = 50;

const folder = process.env['MCPD_TURNS'] ?? '';
const turn = await turnIn(folder);
try {
  await (await import('./client-plays.ts')).play(process.argv.at(-1) ?? '');
} finally {
  rmSync(turn, { recursive: true });
}

/** Waits for one of the turns. Who has made its folder has it. */
async function turnIn(turns: string): Promise<string> {
  for (;;) {
    for (let nth = 0; nth < AT_ONCE; nth++) {
      try {
        const taken = join(turns, `turn-${nth}`);
        mkdirSync(taken);
        return taken;
      } catch {
        // Another client has it.
      }
    }
    await pause(LOOK_EVERY_MS);
  }
}
