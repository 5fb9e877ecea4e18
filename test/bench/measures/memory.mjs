import { setTimeout as delay } from 'node:timers/promises';
import { residentBytes } from '../processes.mjs';
import { manyCalls, timeCalls } from '../rounds.mjs';

const CALLS = 100_000;
const IN_FLIGHT = 8;
const SETTLE_MS = 2000;

/** Resident bytes of the daemon with all its servers running, and how much it grows by 100 000 calls. */
export async function memory(targets, servers) {
  const samples = {};
  for (const target of targets) {
    const host = await target.open();
    for (let n = 0; n < servers; n++) await timeCalls(host, target.toolOf(n, 'echo'), { text: 'hello' }, 2);
    await delay(SETTLE_MS);
    const running = residentBytes(target.daemonPid);
    await manyCalls(host, target.toolOf(0, 'echo'), { text: 'hello' }, CALLS / 2, IN_FLIGHT);
    const half = residentBytes(target.daemonPid);
    await manyCalls(host, target.toolOf(0, 'echo'), { text: 'hello' }, CALLS / 2, IN_FLIGHT);
    const grown = residentBytes(target.daemonPid) - running;
    samples[target.name] = [{ running, grownHalf: half - running, grown }];
    await host.end();
  }
  return { [`${servers} servers`]: samples };
}
