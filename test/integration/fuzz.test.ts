import { expect, test } from 'vitest';
import { fuzzHosts, fuzzServers } from '../simulated/fuzz-runs.ts';

/**
 * Bad input from either side, through the reader of the edges into the core. What a malformed message may come to is said by FuzzWorld, which
 * throws at a wrong pairing, at a closed session and at an answer to nothing; afterwards a sound call of each session must work.
 * `FUZZ_MESSAGES` and `FUZZ_SEED` give other runs.
 */
const MESSAGES = Number(process.env['FUZZ_MESSAGES'] ?? 1_000_000);
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_260_728);
const TIMEOUT_MS = 600_000;

test(`${MESSAGES} wrong messages of hosts: each request is answered once, no session ends, and a sound call still works`, {
  timeout: TIMEOUT_MS,
}, () => {
  const { frames, noise, batches, answers } = fuzzHosts({ messages: MESSAGES, seed: SEED });
  // Were most of it noise, the core would have been spared.
  expect(frames).toBeGreaterThan(MESSAGES / 3);
  expect(Math.min(noise, answers)).toBeGreaterThan(MESSAGES / 10);
  expect(batches).toBeGreaterThan(MESSAGES / 100);
});

test(`${MESSAGES} wrong messages of servers: no host gets an answer that is not its own, and a sound call still works`, {
  timeout: TIMEOUT_MS,
}, () => {
  const { frames, noise, answers } = fuzzServers({ messages: MESSAGES, seed: SEED });
  expect(frames).toBeGreaterThan(MESSAGES / 3);
  expect(Math.min(noise, answers)).toBeGreaterThan(MESSAGES / 50);
});
