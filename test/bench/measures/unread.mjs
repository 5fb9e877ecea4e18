import { setTimeout as delay } from 'node:timers/promises';
import { residentBytes } from '../processes.mjs';
import { interleaved, timeCalls, WARM_UP_CALLS } from '../rounds.mjs';
import { timesOfSmallCalls } from './beside.mjs';

const LARGE_BYTES = 10_000_000;
const LARGE_CALLS = 15;
const LOOK_EVERY_MS = 10;
const SETTLE_MS = 1000;

/**
 * One host asks for 150 MB and reads nothing of it; another makes small calls to another server meanwhile. How much the daemon grows at
 * most, and how long a small call takes at most. Each round has a daemon of its own, which has served nobody before.
 */
export async function unread(targets, quick) {
  const once = async (target) => {
    await target.start();
    const host = await target.open();
    await timeCalls(host, target.toolOf(0, 'echo'), { text: 'warm' }, WARM_UP_CALLS);
    await timeCalls(host, target.toolOf(1, 'echo'), { text: 'warm' }, 1);
    const lazy = await target.open();
    lazy.stopReading();
    // What a daemon starts with its first calls (a thread for their log) is there by now, and is not the lazy host's doing.
    await delay(SETTLE_MS);
    const before = residentBytes(target.daemonPid);
    for (let n = 0; n < LARGE_CALLS; n++) {
      // It never hears of the answers, and is killed in the end.
      lazy.start('tools/call', { name: target.toolOf(1, 'blob'), arguments: { bytes: LARGE_BYTES } }, ignore, ignore);
    }
    const largest = watchLargest(target.daemonPid);
    const times = await timesOfSmallCalls(host, target.toolOf(0, 'echo'), quick ? 1000 : 3000);
    const grown = (await largest()) - before;
    await lazy.kill();
    await host.end();
    await target.stop();
    return { grown, max: Math.max(...times) };
  };
  return { '150 MB': await interleaved(targets, quick ? 2 : 5, once) };
}

const ignore = () => {};

/** Looks at the memory of a process until the returned function is called, which resolves with the most that was seen. */
function watchLargest(pid) {
  let most = 0;
  let watching = true;
  const watch = (async () => {
    while (watching) {
      most = Math.max(most, residentBytes(pid));
      await delay(LOOK_EVERY_MS);
    }
  })();
  return async () => {
    watching = false;
    await watch;
    return most;
  };
}
