import { expect, test } from 'vitest';
import { mergedPath } from './login-path.ts';

test("the login shell's folders come first and the daemon's own are kept behind them", () => {
  expect(mergedPath(['/a:/b', '/b:/c'], 'linux')).toBe('/a:/b:/c');
  expect(mergedPath(['C:\\a;C:\\b', 'C:\\c'], 'win32')).toBe('C:\\a;C:\\b;C:\\c');
});

test('folders that depend on where a server runs are left out', () => {
  expect(mergedPath(['.:/a::bin', '~/b:/c'], 'linux')).toBe('/a:/c');
});
