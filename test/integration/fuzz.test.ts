import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { build } from 'esbuild';
import { beforeAll, expect, test } from 'vitest';
import type { FuzzReport } from '../simulated/fuzz-runs.ts';

/**
 * Bad input from either side, through the reader of the edges into the core. What a malformed message may come to is said by FuzzWorld, which
 * throws at a wrong pairing, at a closed session and at an answer to nothing; afterwards a sound call of each session must work.
 * `FUZZ_MESSAGES` and `FUZZ_SEED` give other runs.
 */
const MESSAGES = Number(process.env['FUZZ_MESSAGES'] ?? 1_000_000);
const SEED = Number(process.env['FUZZ_SEED'] ?? 20_260_728);
const TIMEOUT_MS = 600_000;
/** JSON-RPC's own, and those of an extension that is needed and of a revision that is not served: sound servers answer with no other. */
const GIVEN_TO_HOSTS = [-32700, -32600, -32601, -32602, -32603, -32021, -32022];

/** Both sides at once, each in a thread of its own. */
const reports: Partial<Record<'hosts' | 'servers', Promise<FuzzReport>>> = {};

beforeAll(async () => {
  const { outputFiles } = await build({
    entryPoints: ['test/integration/programs/fuzz.ts'],
    bundle: true,
    platform: 'node',
    target: 'node20.19',
    format: 'cjs',
    write: false,
    logLevel: 'error',
  });
  for (const side of ['hosts', 'servers'] as const) {
    const workerData = { side, messages: MESSAGES, seed: SEED };
    const worker = new Worker(outputFiles[0]?.text ?? '', { eval: true, workerData });
    const report = once(worker, 'message').then(([message]) => message as FuzzReport);
    // Looked at by its test, which may begin later.
    report.catch(() => {});
    reports[side] = report;
  }
});

test(`${MESSAGES} wrong messages of hosts: each request is answered once, no session ends, and a sound call still works`, {
  timeout: TIMEOUT_MS,
}, async () => {
  const report = await reports.hosts;
  // Were most of it noise, the core would have been spared.
  expect(report?.frames).toBeGreaterThan(MESSAGES / 3);
  expect(Math.min(report?.noise ?? 0, report?.answers ?? 0)).toBeGreaterThan(MESSAGES / 10);
  expect(report?.batches).toBeGreaterThan(MESSAGES / 100);
  expect([...(report?.codes ?? [])].filter((code) => !GIVEN_TO_HOSTS.includes(code))).toEqual([]);
});

test(`${MESSAGES} wrong messages of servers: no host gets an answer that is not its own, and a sound call still works`, {
  timeout: TIMEOUT_MS,
}, async () => {
  const report = await reports.servers;
  expect(report?.frames).toBeGreaterThan(MESSAGES / 3);
  expect(Math.min(report?.noise ?? 0, report?.answers ?? 0)).toBeGreaterThan(MESSAGES / 50);
});
