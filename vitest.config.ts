import { defineConfig } from 'vitest/config';

/** Limits against hanging, for a machine that is busy with other things too; none of them proves speed. */
const PATIENT = { testTimeout: 180_000, hookTimeout: 180_000, expect: { poll: { timeout: 45_000 } } } as const;
const node = { environment: 'node', pool: 'forks', ...PATIENT } as const;
/** Real processes, sockets, SQLite and browsers, each file in homes of its own: two at a time, as two cores allow. */
const twoAtATime = { ...node, maxWorkers: 2 } as const;
/** Two tests of the whole, which need what is built as those of test/e2e do. */
const WITH_THE_BUILD = ['test/revisions.test.ts', 'test/differential.test.ts'];

export default defineConfig({
  test: {
    reporters: ['default', './scripts/tally-reporter.mjs'],
    projects: [
      {
        test: {
          ...node,
          name: 'unit',
          include: [
            'src/**/*.test.ts',
            'cli/**/*.test.ts',
            'registry/**/*.test.ts',
            'dashboard/src/**/*.test.ts',
            'test/*.test.ts',
          ],
          exclude: WITH_THE_BUILD,
          isolate: false,
          sequence: { groupOrder: 0 },
        },
      },
      {
        test: {
          ...twoAtATime,
          name: 'integration',
          include: ['test/integration/**/*.test.ts'],
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...twoAtATime,
          name: 'e2e',
          include: ['test/e2e/**/*.test.ts', ...WITH_THE_BUILD],
          globalSetup: ['test/e2e/setup.ts'],
          sequence: { groupOrder: 2 },
        },
      },
      {
        test: {
          ...twoAtATime,
          name: 'browser',
          include: ['test/browser/**/*.test.ts'],
          globalSetup: ['test/e2e/setup.ts', 'test/browser/setup.ts'],
          sequence: { groupOrder: 1 },
        },
      },
      {
        test: {
          ...twoAtATime,
          name: 'conformance',
          include: ['test/conformance/*.test.ts'],
          globalSetup: ['test/e2e/setup.ts'],
          sequence: { groupOrder: 1 },
        },
      },
    ],
  },
});
