import { expect, test } from 'vitest';
import type { RegistryAsking } from '../../../../src/api/contract/search.ts';
import { remarksOf } from './asking-words.ts';

const NOW = new Date(2026, 7, 9, 14, 30, 0).getTime();
const ASKED: RegistryAsking = {
  ...{ address: 'https://registry.example', place: 'registry.example', state: 'asked', at: NOW },
  ...{ error: null, hasMore: false, warnings: [] },
};
const error = { code: 'FETCH_FAILED', what: 'registry.example cannot be reached', why: 'ECONNREFUSED' } as const;

test('of an answer that is new and whole there is nothing to say', () => {
  expect(remarksOf(ASKED, NOW)).toEqual([]);
});

test('a registry that cannot be reached is named with the reason, and so is one whose old answer is shown', () => {
  expect(remarksOf({ ...ASKED, state: 'unreachable', at: null, error }, NOW)).toEqual([
    { tone: 'bad', text: 'registry.example cannot be reached: ECONNREFUSED. It was not searched.' },
  ]);
  expect(remarksOf({ ...ASKED, state: 'kept', error }, NOW)).toEqual([
    {
      tone: 'busy',
      text: 'registry.example cannot be reached: ECONNREFUSED. Shown is what registry.example said at 14:30:00.',
    },
  ]);
});

test('that it has more is said last, after what it warns of', () => {
  expect(remarksOf({ ...ASKED, hasMore: true, warnings: ['half of it was cut'] }, NOW).map(({ text }) => text)).toEqual(
    ['half of it was cut', 'registry.example has more: search for another word besides.'],
  );
});
