import { expect, test } from 'vitest';
import { afterExit, type Phase, restartDelayMs, STATE_OF, TABLE } from './supervision.ts';

const crash = { asked: false, needed: true, halfOpen: false, readyMs: 0, unstable: [], now: 100_000, random: 0.5 };

test('the delay before a restart doubles from one second to sixty', () => {
  expect([0, 1, 2, 5, 6, 40].map((attempt) => restartDelayMs(attempt, 0.5))).toEqual([
    1000, 2000, 4000, 32_000, 60_000, 60_000,
  ]);
});

test('the delay varies by a fifth to both sides', () => {
  expect(restartDelayMs(0, 0)).toBe(800);
  expect(restartDelayMs(0, 0.999_999)).toBe(1200);
});

test('an attempt that is no count is a mistake of the program', () => {
  expect(() => restartDelayMs(-1, 0)).toThrow(RangeError);
});

test('a stop that was asked for ends in stopped and counts as no failure', () => {
  expect(afterExit({ ...crash, asked: true, needed: false })).toEqual({ phase: 'stopped', unstable: [], notBefore: 0 });
});

test('a clean exit that nobody asked for is a failure too', () => {
  expect(afterExit(crash)).toEqual({ phase: 'backoff', unstable: [100_000], notBefore: 101_000 });
});

test('the first exit after a minute of health restarts at once', () => {
  expect(afterExit({ ...crash, readyMs: 60_000, unstable: [99_000] })).toEqual({
    phase: 'queued',
    unstable: [],
    notBefore: 0,
  });
});

test('the fifth unstable start within five minutes ends in failed', () => {
  const unstable = [90_000, 92_000, 95_000, 99_000];
  expect(afterExit({ ...crash, unstable }).phase).toBe('failed');
  expect(afterExit({ ...crash, unstable, now: 400_000 }).phase).toBe('backoff');
});

test('a server that nobody needs rests after a crash, but may not be started again at once', () => {
  expect(afterExit({ ...crash, needed: false })).toEqual({ phase: 'stopped', unstable: [100_000], notBefore: 101_000 });
});

test('the trial of a failed server decides at once', () => {
  expect(afterExit({ ...crash, halfOpen: true }).phase).toBe('failed');
  expect(afterExit({ ...crash, halfOpen: true, readyMs: 60_000 }).phase).toBe('queued');
});

const PHASES = Object.keys(TABLE) as Phase[];
const UP: readonly Phase[] = ['starting', 'running', 'draining', 'stopping'];

test('only an exit leads out of the phases that have a process, and nothing but a slot leads into them', () => {
  for (const from of PHASES) {
    for (const [signal, move] of Object.entries(TABLE[from])) {
      if (typeof move === 'string') continue;
      const [to, ...actions] = move;
      const where = `${from}, ${signal}`;
      if (UP.includes(from)) expect(UP, where).toContain(to);
      else expect(UP.includes(to), where).toBe(signal === 'slot');
      expect(actions.includes('spawn'), where).toBe(signal === 'slot');
    }
    expect(TABLE[from].exited, from).toBe(UP.includes(from) ? 'settle' : 'stay');
  }
});

test('a wish to be down is heard in every phase, and repeated it changes nothing more', () => {
  for (const from of PHASES) {
    for (const signal of ['want-down', 'hurry'] as const) {
      let phase = from;
      for (let n = 0; n < 2; n++) {
        const move = TABLE[phase][signal];
        if (typeof move !== 'string') phase = move[0];
      }
      expect(['stopped', signal === 'hurry' ? 'stopping' : 'draining', 'stopping'], `${from}, ${signal}`).toContain(
        phase,
      );
    }
  }
});

test('whoever waits is refused wherever a stop leaves nobody to answer', () => {
  for (const from of PHASES) {
    for (const signal of ['want-down', 'hurry'] as const) {
      const move = TABLE[from][signal];
      if (typeof move === 'string' || from === 'running') continue;
      expect(move, `${from}, ${signal}`).toContain('refuse-calls');
    }
  }
});

test('people see six states', () => {
  expect(new Set(Object.values(STATE_OF))).toEqual(
    new Set(['stopped', 'starting', 'running', 'stopping', 'backoff', 'failed']),
  );
});
