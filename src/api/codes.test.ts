import { expect, test } from 'vitest';
import { DASHBOARD_CODE_MS, DASHBOARD_CODES_MAX } from '../operation-limits.ts';
import { DashboardCodes } from './codes.ts';

test('a code works once', () => {
  const codes = new DashboardCodes();
  codes.add('a', 0);
  expect([codes.use('a', 1), codes.use('a', 1)]).toEqual([true, false]);
});

test('a code ends after its time', () => {
  const codes = new DashboardCodes();
  codes.add('a', 0);
  expect(codes.use('a', DASHBOARD_CODE_MS)).toBe(false);
});

test('a code that nobody made is refused', () => {
  expect(new DashboardCodes().use('__proto__', 0)).toBe(false);
});

test('when too many codes wait, the oldest gives way', () => {
  const codes = new DashboardCodes();
  for (let i = 0; i <= DASHBOARD_CODES_MAX; i++) codes.add(`code ${i}`, i);
  expect([codes.use('code 0', 20), codes.use('code 1', 20), codes.use(`code ${DASHBOARD_CODES_MAX}`, 20)]).toEqual([
    false,
    true,
    true,
  ]);
});
