import { setTimeout as delay } from 'node:timers/promises';
import { residentBytes } from '../processes.mjs';
import { endAll, manyCalls, openAll, timeCalls } from '../rounds.mjs';

const CALLS = 100_000;
const IN_FLIGHT = 64;
/** V8 gives back what the starts of so many servers needed once it was idle for eight seconds. */
const SETTLE_MS = 10_000;

/**
 * Resident bytes of the daemon with all its servers running, ten seconds after the last one started, and how much it grows by 100 000
 * calls. `meanwhile` may do something else, which asks nothing of these daemons.
 */
export async function memory(targets, servers, meanwhile) {
  const samples = {};
  const opened = await openAll(targets);
  for (const { host, target } of opened) {
    for (let n = 0; n < servers; n++) await timeCalls(host, target.toolOf(n, 'echo'), { text: 'hello' }, 2);
  }
  await Promise.all([delay(SETTLE_MS), meanwhile()]);
  for (const { host, target } of opened) {
    const running = residentBytes(target.daemonPid);
    await manyCalls(host, target.toolOf(0, 'echo'), { text: 'hello' }, CALLS / 2, IN_FLIGHT);
    const half = residentBytes(target.daemonPid);
    await manyCalls(host, target.toolOf(0, 'echo'), { text: 'hello' }, CALLS / 2, IN_FLIGHT);
    const grown = residentBytes(target.daemonPid) - running;
    samples[target.name] = [{ running, grownHalf: half - running, grown }];
  }
  await endAll(opened);
  return { [`${servers} servers`]: samples };
}
