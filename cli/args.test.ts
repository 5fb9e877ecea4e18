import { expect, test } from 'vitest';
import { McpdError } from '../src/errors.ts';
import { hasFlag, parseCommand } from './args.ts';
import type { Command } from './command.ts';
import { COMMANDS } from './command-table.ts';

function command(name: string): Command {
  const found = COMMANDS.find((one) => one.name === name);
  if (found === undefined) throw new RangeError(name);
  return found;
}

function refusal(name: string, argv: string[]): McpdError {
  try {
    parseCommand(command(name), argv);
  } catch (thrown) {
    if (thrown instanceof McpdError) return thrown;
  }
  throw new RangeError('it was accepted');
}

test('what stands after -- belongs to the server, untouched', () => {
  const parsed = parseCommand(command('add'), [
    'db',
    '--env',
    'A=1',
    '--env',
    'B',
    '--timeout',
    '2s',
    '--',
    'node',
    'x.js',
    '--env',
    '--',
    '-h',
  ]);
  expect(parsed.operands).toEqual(['db']);
  expect(parsed.values('env')).toEqual(['A=1', 'B']);
  expect(parsed.value('timeout')).toBe('2s');
  expect(parsed.flag('no-trial')).toBe(false);
  expect(parsed.rest).toEqual(['node', 'x.js', '--env', '--', '-h']);
});

test('options may stand before and after the name', () => {
  expect(parseCommand(command('add'), ['--no-trial', 'db', '--', 'x']).flag('no-trial')).toBe(true);
  expect(parseCommand(command('logs'), ['-f', 'weather']).operands).toEqual(['weather']);
});

test('an unknown option is answered with the one that was meant', () => {
  expect(refusal('install', ['weather', '--allow-script']).parts).toMatchObject({
    what: 'mcpd install has no option --allow-script',
    why: 'did you mean --allow-scripts?',
  });
  expect(refusal('install', ['weather', '--frobnicate=1']).parts.what).toBe('mcpd install has no option --frobnicate');
  expect(refusal('logs', ['weather', '-x']).parts.what).toBe('mcpd logs has no option -x');
});

test('what is missing or too much is said with the usage', () => {
  expect(refusal('info', []).parts).toMatchObject({
    what: "mcpd info needs a server's name",
    why: 'usage: mcpd info NAME [--json]',
  });
  expect(refusal('info', ['a', 'b']).parts.what).toBe('mcpd info does not know what to do with b');
  expect(refusal('add', ['db']).parts.what).toBe('mcpd add needs the command that starts it after --');
  expect(parseCommand(command('add'), ['db', '--url', 'https://x.test']).value('url')).toBe('https://x.test');
  expect(refusal('add', ['db', '--url', 'https://x.test', '--', '']).code).toBe('USAGE');
  expect(refusal('list', ['--', 'x']).parts.what).toBe('mcpd list takes nothing after --');
  expect(refusal('install', ['weather', '--name']).code).toBe('USAGE');
});

test('an option without its value, and a flag with one, are said in our words', () => {
  expect(refusal('set', ['weather', '--timeout']).parts).toMatchObject({
    what: '--timeout needs a value',
    fix: '--timeout DURATION, or --timeout=DURATION for a value with a dash',
  });
  expect(refusal('set', ['weather', '--timeout', '-1']).parts.what).toBe('--timeout needs a value');
  expect(refusal('logs', ['weather', '-n']).parts.what).toBe('--lines needs a value');
  expect(refusal('list', ['--json=1']).parts.what).toBe('--json takes no value');
});

test('an empty word is no name', () => {
  expect(refusal('logs', ['']).parts.what).toBe("mcpd logs needs a server's name, and got an empty word");
  expect(refusal('install', [' ']).parts.what).toBe(
    'mcpd install needs a name of the catalog, a package, a bundle, a folder or a URL, and got an empty word',
  );
  expect(refusal('add', ['db', '--', '']).parts.what).toBe('mcpd add needs the command that starts it after --');
  expect(parseCommand(command('search'), ['']).operands).toEqual(['']);
});

test('help is asked for without giving the operands', () => {
  expect(parseCommand(command('info'), ['--help']).flag('help')).toBe(true);
});

test('call takes its arguments as one JSON object behind --json, in both spellings', () => {
  for (const argv of [
    ['a__b', '--json', '{"x":"--y"}'],
    ['a__b', '--json={"x":"--y"}'],
  ]) {
    const parsed = parseCommand(command('call'), argv);
    expect(parsed.value('args')).toBe('{"x":"--y"}');
    expect(parsed.flag('json')).toBe(true);
    expect(parsed.operands).toEqual(['a__b']);
  }
  expect(parseCommand(command('call'), ['a__b', '--json', 'x=1']).operands).toEqual(['a__b', 'x=1']);
});

test('asking for an option that a command does not declare is a fault of ours', () => {
  expect(() => parseCommand(command('list'), []).flag('lines')).toThrow(RangeError);
});

test('a flag behind -- is not ours', () => {
  expect(hasFlag(['add', 'x', '--json', '--', 'y'], '--json')).toBe(true);
  expect(hasFlag(['add', 'x', '--', 'y', '--json'], '--json')).toBe(false);
  expect(hasFlag(['call', 'x', '--json={}'], '--json')).toBe(true);
});
