import { interleaved, summary, timeCalls } from '../rounds.mjs';

/** Size of the answer, and calls a round. */
const SIZES = [
  { name: '100 B', bytes: 100, calls: 500, quickCalls: 300 },
  { name: '10 KB', bytes: 10_000, calls: 500, quickCalls: 300 },
  { name: '1 MB', bytes: 1_000_000, calls: 60, quickCalls: 30 },
  { name: '10 MB', bytes: 10_000_000, calls: 12, quickCalls: 6 },
];

/** Milliseconds of a call by one host, by the size of its answer. */
export async function latency(opened, quick) {
  const samples = {};
  for (const { name, bytes, calls, quickCalls } of SIZES) {
    const once = ({ host, target }) => timeCalls(host, target.toolOf(0, 'blob'), { bytes }, quick ? quickCalls : calls);
    // The first round makes the answer in the server and is not counted.
    await interleaved(opened, 1, once);
    samples[name] = await interleaved(opened, quick ? 3 : 15, async (each) => summary(await once(each)));
  }
  return samples;
}
