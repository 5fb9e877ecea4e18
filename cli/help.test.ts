import { expect, test } from 'vitest';
import { COMMANDS } from './command-table.ts';
import { commandHelp, mainHelp } from './help.ts';
import { widthOf } from './width.ts';

const LINE_COLUMNS_MAX = 110;

test('the main help names every command, fits a screen and ends in examples', () => {
  const help = mainHelp(COMMANDS);
  for (const { name } of COMMANDS) expect(help).toMatch(new RegExp(`^  ${name} `, 'm'));
  expect(help.split('\n').length).toBeLessThan(60);
  expect(help.split('\n\n').at(-1)).toMatch(/^Examples:/);
});

test.each(COMMANDS.map((command) => [command.name, command] as const))(
  'the help of %s is short and ends in examples',
  (_, command) => {
    const help = commandHelp(command);
    expect(help.startsWith(command.summary)).toBe(true);
    expect(help.split('\n').length).toBeLessThan(35);
    expect(Math.max(...help.split('\n').map(widthOf))).toBeLessThanOrEqual(LINE_COLUMNS_MAX);
    expect(help.split('\n\n').at(-1)).toMatch(/^Examples:\n {2}(mcpd|eval|claude) /);
  },
);

test('names, aliases and options are unique', () => {
  const names = COMMANDS.flatMap((command) => [command.name, ...(command.alias === undefined ? [] : [command.alias])]);
  expect(new Set(names).size).toBe(names.length);
  for (const command of COMMANDS) {
    const shorts = Object.values(command.options).flatMap((option) => option.short ?? []);
    expect(new Set([...shorts, 'h']).size).toBe(shorts.length + 1);
  }
});

test('the call timeout of add is documented as a duration', () => {
  const add = COMMANDS.find((command) => command.name === 'add');
  expect(add === undefined ? '' : commandHelp(add)).toMatch(/^ {2}--timeout DURATION .*30s/m);
});
