import { percentile } from './statistics.mjs';

/** Calls that are made before the first that counts: code is compiled and memory has its size. */
export const WARM_UP_CALLS = 3000;

/**
 * Runs `measure(item)` for each item, `rounds` times, and every round begins with another one: what the machine does meanwhile meets
 * all of them alike. Resolves with `{ [item.name]: [one sample a round] }`.
 */
export async function interleaved(items, rounds, measure) {
  const samples = Object.fromEntries(items.map(({ name }) => [name, []]));
  for (let round = 0; round < rounds; round++) {
    for (let turn = 0; turn < items.length; turn++) {
      const item = items[(round + turn) % items.length];
      samples[item.name].push(await measure(item));
    }
  }
  return samples;
}

/** Milliseconds that each of `count` calls took, one after the other. */
export async function timeCalls(host, tool, args, count) {
  const times = [];
  for (let n = 0; n < count; n++) {
    const from = performance.now();
    await host.call(tool, args);
    times.push(performance.now() - from);
  }
  return times;
}

/** Makes `count` calls with `inFlight` of them open at any time. */
export function manyCalls(host, tool, args, count, inFlight) {
  return new Promise((resolve, reject) => {
    let started = 0;
    let answered = 0;
    const next = () => {
      started++;
      host.start('tools/call', { name: tool, arguments: args }, done, reject);
    };
    const done = () => {
      answered++;
      if (started < count) next();
      else if (answered === count) resolve();
    };
    for (let n = 0; n < Math.min(inFlight, count); n++) next();
  });
}

/** One opened host for each target, all of them warm. */
export async function openAll(targets) {
  const opened = [];
  for (const target of targets) {
    const host = await target.open();
    await timeCalls(host, target.toolOf(0, 'echo'), { text: 'warm' }, WARM_UP_CALLS);
    opened.push({ name: target.name, target, host });
  }
  return opened;
}

export const endAll = (opened) => Promise.all(opened.map(({ host }) => host.end()));

export function summary(times) {
  return {
    p50: percentile(times, 0.5),
    p95: percentile(times, 0.95),
    p99: percentile(times, 0.99),
    max: Math.max(...times),
  };
}
