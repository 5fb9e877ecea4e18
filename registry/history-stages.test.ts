import { expect, test } from 'vitest';
import type { CallRecord } from '../src/core/call-record.ts';
import { MARK } from '../src/core/marks.ts';
import { aCall } from '../test/harness/call-record.ts';
import { marksText } from './history-batch.ts';
import { detailOf } from './history-stages.ts';

function shown(marks: number[], other: Partial<CallRecord> = {}) {
  const { traceparent: _, ...record } = aCall(1, { totalMs: 100, ...other });
  const { stages, moments, rounds } = detailOf({ ...record, id: 1, marks: marksText(marks) });
  return {
    stages: stages.map(({ name, fromMs, toMs }) => `${name} ${fromMs}-${toMs}`),
    moments: moments.map(({ name, atMs }) => `${name} ${atMs}`),
    rounds,
  };
}

test('a call is in the stages of its waterfall, which follow each other from its arrival to its end', () => {
  const marks = [MARK.starting, 0, MARK.started, 40, MARK.sent, 42.5, MARK.progress, 50, MARK.answered, 100];
  expect(shown(marks)).toEqual({
    stages: ['start 0-40', 'turn 40-42.5', 'server 42.5-100'],
    moments: ['received 0', 'starting 0', 'started 40', 'sent 42.5', 'progress 50', 'answered 100', 'delivered 100'],
    rounds: 0,
  });
});

test('while its host is asked, a legacy server goes on with it, and a modern one gets it once more', () => {
  const asked = [MARK.sent, 0, MARK.asked, 10, MARK.resumed, 60];
  expect(shown([...asked, MARK.answered, 100]).stages).toEqual(['server 0-10', 'input 10-60', 'server 60-100']);
  expect(shown([...asked, MARK.sent, 70, MARK.answered, 100]).stages).toEqual([
    'server 0-10',
    'input 10-60',
    'turn 60-70',
    'server 70-100',
  ]);
  expect(shown(asked).rounds).toBe(1);
});

test('a call that never got to its server has waited to its end, and a cancelled one was not delivered', () => {
  expect(shown([MARK.starting, 0])).toMatchObject({ stages: ['start 0-100'] });
  expect(shown([MARK.sent, 0], { outcome: 'cancelled' }).moments.at(-1)).toBe('cancelled 100');
});

test('a call of an earlier mcpd, without marks, has waited and then been with its server', () => {
  expect(shown([], { queuedMs: 30 }).stages).toEqual(['turn 0-30', 'server 30-100']);
  expect(shown([], { queuedMs: -30 }).stages).toEqual(['server 0-100']);
});
