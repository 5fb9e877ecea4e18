import { expect, test } from 'vitest';
import { DRAIN_MS } from '../limits.ts';
import { nextStage, STAGES, type StopSignal, type StopStage } from './stop.ts';

const SIGNALS: StopSignal[] = ['stop', 'kill', 'pipe-closed', 'exited', 'empty', 'time-up'];

function path(from: StopStage, ...signals: StopSignal[]): StopStage[] {
  const stages = [from];
  for (const signal of signals) stages.push(nextStage(stages.at(-1) ?? from, signal));
  return stages;
}

test('a server that listens to nothing is asked by the end of stdin, then by SIGTERM, then killed', () => {
  expect(path('serving', 'stop', 'time-up', 'time-up', 'exited', 'empty')).toEqual([
    'serving',
    'closing',
    'terminating',
    'killing',
    'killing',
    'gone',
  ]);
  expect([STAGES.closing.signal, STAGES.terminating.signal, STAGES.killing.signal]).toEqual([null, 'end', 'kill']);
});

test('what a stopped server leaves behind has the full time after SIGTERM', () => {
  expect(path('serving', 'stop', 'exited', 'time-up')).toEqual(['serving', 'closing', 'terminating', 'killing']);
});

test('a server that exits unasked is reported within a second, whatever it leaves behind', () => {
  expect(path('serving', 'exited', 'time-up')).toEqual(['serving', 'leaving', 'killing']);
  expect(path('serving', 'pipe-closed', 'time-up', 'time-up')).toEqual(['serving', 'mute', 'leaving', 'killing']);
  expect((STAGES.mute.graceMs ?? 0) + (STAGES.leaving.graceMs ?? 0)).toBeLessThan(500);
});

test('a kill goes straight to SIGKILL from everywhere', () => {
  for (const stage of Object.keys(STAGES) as StopStage[]) {
    expect(nextStage(stage, 'kill')).toBe(stage === 'gone' ? 'gone' : 'killing');
  }
});

test('every way out ends, and no stage is entered twice', () => {
  for (const start of ['stop', 'kill', 'pipe-closed', 'exited'] as const) {
    let stage = nextStage('serving', start);
    let spent = 0;
    for (let step = 0; stage !== 'gone'; step++) {
      expect(step).toBeLessThan(5);
      spent += STAGES[stage].graceMs ?? Number.POSITIVE_INFINITY;
      stage = nextStage(stage, 'time-up');
    }
    // Promise R8: with the drain before it, a daemon is gone in eight seconds without, eighteen with open calls.
    expect(spent + DRAIN_MS).toBeLessThanOrEqual(18_000);
  }
});

test('a process that is gone stays gone', () => {
  for (const signal of SIGNALS) expect(nextStage('gone', signal)).toBe('gone');
});
