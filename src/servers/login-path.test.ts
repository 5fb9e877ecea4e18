import { expect, test } from 'vitest';
import { betweenMarks, mergedPath, shellArgs } from './login-path.ts';

test('the PATH is what stands between the marks, whatever a profile prints', () => {
  expect(betweenMarks('Welcome!\n\u001b[1mM/usr/bin:/opt/a bM\nbye', 'M')).toBe('/usr/bin:/opt/a b');
  expect(betweenMarks('Welcome! M/usr/b', 'M')).toBeNull();
  expect(betweenMarks('Welcome!', 'M')).toBeNull();
  expect(betweenMarks('MM', 'M')).toBeNull();
});

test("the login shell's folders come first and the daemon's own are kept behind them", () => {
  expect(mergedPath(['/a:/b', '/b:/c'], 'linux')).toBe('/a:/b:/c');
  expect(mergedPath(['C:\\a;C:\\b', 'C:\\c'], 'win32')).toBe('C:\\a;C:\\b;C:\\c');
});

test('folders that depend on where a server runs are left out', () => {
  expect(mergedPath(['.:/a::bin', '~/b:/c'], 'linux')).toBe('/a:/c');
});

test('the C shell gets no -l, which it takes only alone', () => {
  expect(shellArgs('/bin/zsh', 'M').slice(0, 3)).toEqual(['-l', '-i', '-c']);
  expect(shellArgs('/usr/bin/tcsh', 'M').slice(0, 2)).toEqual(['-i', '-c']);
});
