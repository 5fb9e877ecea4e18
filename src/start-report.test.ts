import { expect, test } from 'vitest';
import { McpdError } from './errors.ts';
import { fatalIn, fatalLine } from './start-report.ts';

const damaged = new McpdError('REGISTRY_DAMAGED', {
  what: 'registry.db is damaged',
  why: 'page 3\n{"fatal":',
  fix: 'mcpd doctor',
});

test('the error of a daemon that could not start is read back from its log', () => {
  const log = `(node:1) Warning: something\n${fatalLine(damaged)}\n`;
  expect(fatalIn(log)?.report()).toEqual(damaged.report());
});

test('the last one counts', () => {
  const earlier = new McpdError('DISK_FULL', { what: 'the disk is full' });
  expect(fatalIn(`${fatalLine(earlier)}\n${fatalLine(damaged)}\n`)?.code).toBe('REGISTRY_DAMAGED');
});

test('a log without one, or with a line cut in the middle, has none', () => {
  expect(fatalIn('')).toBeNull();
  expect(fatalIn(`boom\n${fatalLine(damaged).slice(0, 40)}`)).toBeNull();
  expect(fatalIn('{"fatal":null}\n{"fatal":{"code":1}}')).toBeNull();
});
