import { expect, test } from 'vitest';
import type { TryEvent } from '../../../src/api/contract/tries.ts';
import { after, IDLE, type Trial } from './trial.ts';

const course = (...events: TryEvent[]): Trial => events.reduce(after, IDLE);
const progress = (value: number, total: number | null, message: string | null = null): TryEvent => ({
  type: 'progress',
  afterMs: 1,
  progress: value,
  total,
  message,
});
const question = (id: string): TryEvent => ({
  type: 'question',
  afterMs: 1,
  id,
  method: 'elicitation/create',
  params: { mode: 'form', message: 'Who?', schema: '{}' },
});

test('progress is a share where the server says how much there is, and words always', () => {
  expect(course(progress(1, 4))).toMatchObject({ share: 0.25, notes: ['1 of 4'] });
  expect(course(progress(9, 4, 'nearly'))).toMatchObject({ share: 1, notes: ['nearly'] });
  expect(course(progress(3, null)).share).toBeNull();
});

test('a question is there until it is withdrawn', () => {
  const asked = course(question('1'), question('2'));
  expect(asked.questions.map(({ id }) => id)).toEqual(['1', '2']);
  expect(after(asked, { type: 'question-withdrawn', afterMs: 2, id: '1' }).questions.map(({ id }) => id)).toEqual([
    '2',
  ]);
});

test('a server that never stops talking fills no memory, and its last words are kept', () => {
  const many = Array.from({ length: 1000 }, (_, at) => progress(at, null));
  const { notes } = course(...many);
  expect(notes.length).toBeLessThan(500);
  expect(notes.at(-1)).toBe('999');
});
