import { setTimeout as delay } from 'node:timers/promises';
import { interleaved, summary } from '../rounds.mjs';

const LARGE_BYTES = 10_000_000;
const PAUSE_MS = 1;

/** Milliseconds of small calls of one host while another host fetches 10 MB results, one after the other, from another server. */
export async function beside(opened, quick) {
  const once = async ({ target, host }) => {
    const other = await target.open(1);
    let fetching = true;
    const fetcher = (async () => {
      while (fetching) await other.call(target.toolOf(1, 'blob'), { bytes: LARGE_BYTES });
    })();
    const times = await timesOfSmallCalls(host, target.toolOf(0, 'echo'), quick ? 1000 : 3000);
    fetching = false;
    await fetcher;
    await other.end();
    return summary(times);
  };
  return { '10 MB answers': await interleaved(opened, quick ? 2 : 7, once) };
}

/** A call, a short pause, the next: for so many milliseconds. */
export async function timesOfSmallCalls(host, tool, forMs) {
  const times = [];
  const begin = performance.now();
  while (performance.now() - begin < forMs) {
    const from = performance.now();
    await host.call(tool, { text: 'hello' });
    times.push(performance.now() - from);
    await delay(PAUSE_MS);
  }
  return times;
}
