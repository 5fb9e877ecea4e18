import { expect, test } from 'vitest';
import { betweenMarks, loginShell, shellArgs } from './login-shell.ts';

test('the PATH is what stands between the marks, whatever a profile prints', () => {
  expect(betweenMarks('Welcome!\n\u001b[1mM/usr/bin:/opt/a bM\nbye', 'M', 1)).toEqual(['/usr/bin:/opt/a b']);
  expect(betweenMarks('MxvalueMM', 'M', 2)).toEqual(['xvalue', '']);
  expect(betweenMarks('Welcome! M/usr/b', 'M', 1)).toBeNull();
  expect(betweenMarks('Welcome!', 'M', 1)).toBeNull();
});

test('the C shell gets no -l, which it takes only alone', () => {
  expect(shellArgs('/bin/zsh', 'M', []).slice(0, 3)).toEqual(['-l', '-i', '-c']);
  expect(shellArgs('/usr/bin/tcsh', 'M', []).slice(0, 2)).toEqual(['-i', '-c']);
});

test('the shell is the one that SHELL names by its path', () => {
  expect(loginShell({ SHELL: '/usr/bin/fish' })).toBe('/usr/bin/fish');
  expect(loginShell({ SHELL: 'fish' })).toMatch(/^\//);
});
