import { interleaved, manyCalls } from '../rounds.mjs';

/** Calls in flight, and calls a round. */
const LOADS = [
  { inFlight: 1, calls: 4000, quickCalls: 1000 },
  { inFlight: 8, calls: 16_000, quickCalls: 3000 },
  { inFlight: 64, calls: 32_000, quickCalls: 6000 },
];

/** Calls a second of one host to one server, by the number of calls in flight. */
export async function throughput(opened, quick) {
  const samples = {};
  for (const { inFlight, calls, quickCalls } of LOADS) {
    const count = quick ? quickCalls : calls;
    const once = async ({ host, target }) => {
      const from = performance.now();
      await manyCalls(host, target.toolOf(0, 'echo'), { text: 'hello' }, count, inFlight);
      return { perSecond: count / ((performance.now() - from) / 1000) };
    };
    await interleaved(opened, 1, once);
    samples[`${inFlight} in flight`] = await interleaved(opened, quick ? 3 : 11, once);
  }
  return samples;
}
