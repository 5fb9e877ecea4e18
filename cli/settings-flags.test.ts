import { expect, test } from 'vitest';
import { SHARINGS } from '../src/core/model.ts';
import { McpdError } from '../src/errors.ts';
import { parseCommand } from './args.ts';
import { COMMANDS } from './command-table.ts';
import { settingsOf } from './settings-flags.ts';

function settings(...options: string[]): ReturnType<typeof settingsOf> {
  const command = COMMANDS.find((one) => one.name === 'set');
  if (command === undefined) throw new RangeError('no set');
  return settingsOf(parseCommand(command, ['db', ...options]));
}

test('durations and sizes become the limits of a server', () => {
  expect(
    settings('--timeout', '2s', '--start-timeout', '1.5s', '--idle', '15m', '--line-max', '64MB', '--start', 'always'),
  ).toEqual({
    start: 'always',
    limits: { callTimeoutMs: 2000, startTimeoutMs: 1500, idleStopMs: 900_000, lineBytesMax: 67_108_864 },
  });
});

test.each(SHARINGS)('a server may be shared %s', (sharing) => {
  expect(settings('--sharing', sharing)).toEqual({ sharing });
});

test('the memory limit recycles at its value and kills at twice that', () => {
  expect(settings('--memory', '1GB')).toEqual({
    limits: { memorySoftBytes: 1_073_741_824, memoryHardBytes: 2_147_483_648 },
  });
});

test('default takes a limit back', () => {
  expect(settings('--timeout', 'default', '--memory', 'default')).toEqual({
    limits: { callTimeoutMs: null, memorySoftBytes: null, memoryHardBytes: null },
  });
});

test('nothing given changes nothing', () => {
  expect(settings()).toEqual({});
});

test('what is no setting is refused by name', () => {
  expect(() => settings('--start', 'sometimes')).toThrow(McpdError);
  expect(() => settings('--sharing', 'alone')).toThrow('--sharing alone');
  expect(() => settings('--timeout', 'soon')).toThrow('--timeout soon');
});
