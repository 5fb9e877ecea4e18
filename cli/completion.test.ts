import { expect, test } from 'vitest';
import { McpdError } from '../src/errors.ts';
import { COMMANDS } from './command-table.ts';
import { completionScript } from './completion.ts';

test.each(['bash', 'zsh', 'fish'])('the script of %s knows every command and every option', (shell) => {
  const script = completionScript(shell, COMMANDS);
  for (const command of COMMANDS) {
    expect(script).toContain(command.name);
    for (const option of Object.keys(command.options))
      expect(script).toContain(shell === 'fish' ? `-l ${option}` : `--${option}`);
  }
  expect(script).toContain('mcpd list --names');
});

test('another shell is refused with those that are known', () => {
  expect(() => completionScript('tcsh', COMMANDS)).toThrow(McpdError);
  expect(() => completionScript('constructor', COMMANDS)).toThrow('knows no shell constructor');
});
