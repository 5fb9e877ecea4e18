import { expect, test } from 'vitest';
import { commandLineOf } from './command-line.ts';

test('a command line can be pasted, and its placeholders can be read', () => {
  const args = ['plain', 'a b', '', `it's`, '$HOME', '*', '<directory>', `\${secret:KEY}`, '--flag=x'];
  expect(commandLineOf({ command: '/usr/bin/node', args }, { A: '1 2', T: `\${secret:T}` })).toBe(
    `A='1 2' T=\${secret:T} /usr/bin/node plain 'a b' '' 'it'\\''s' '$HOME' '*' <directory> \${secret:KEY} --flag=x`,
  );
});
