import { expect, test } from 'vitest';
import type { TrialOutcome } from '../core/events.ts';
import { trialError } from './trial-failure.ts';

type Failed = Extract<TrialOutcome, { ok: false }>;
const context = { name: 'weather', scriptsLeftOut: [], withScripts: 'mcpd install x --allow-scripts', fix: 'look' };
const exit = (...stderrTail: string[]) => ({
  at: 0,
  uptimeMs: 1,
  code: 1,
  signal: null,
  cause: 'exit code 1',
  stderrTail,
});
const errorOf = (outcome: Omit<Failed, 'ok'>, more = {}) =>
  trialError({ ok: false, ...outcome }, { ...context, ...more });

test('the error names the step, the reason and what was said on stderr', () => {
  const error = errorOf({ step: 'handshake', reason: 'exit code 1', exit: exit('starting', 'KEY is not set', ' ') });
  expect(error.code).toBe('SERVER_START_FAILED');
  expect(error.message).toBe('weather did not become ready: exit code 1; it said on stderr: KEY is not set');
  expect(error.parts.fix).toBe('look');
});

test('a warning is quoted only where nothing says more', () => {
  const errorSaid = (...lines: string[]) =>
    errorOf({ step: 'start', reason: 'exit code 1', exit: exit(...lines) }).parts.why;
  expect(errorSaid('Warning: /x is missing', 'Error: no folder is accessible')).toContain('stderr: Error: no folder');
  expect(errorSaid('URL is not an address', 'Try: URL=https://x.test')).toContain('stderr: URL is not an address');
  expect(errorSaid('[warn] /x is missing', 'bye')).toContain('stderr: [warn] /x is missing');
});

test('a line that the reason has already is not said twice', () => {
  const error = errorOf({ step: 'start', reason: 'exit code 1: KEY is not set', exit: exit('KEY is not set') });
  expect(error.parts.why).toBe('exit code 1: KEY is not set');
});

test.each([
  ['list', 'it answered with an error', 'LIST_FAILED'],
  ['handshake', 'it did not answer the handshake (initialize) within 30 s: timed out', 'SERVER_START_TIMEOUT'],
  ['start', 'spawn ENOENT: command "x" not found', 'COMMAND_NOT_FOUND'],
  ['start', 'spawn EACCES: /x is not executable', 'COMMAND_NOT_EXECUTABLE'],
] as const)('a trial that failed at %s because %s is %s', (step, reason, code) => {
  expect(errorOf({ step, reason, exit: null }).code).toBe(code);
});

test('a package whose install scripts were left out is suspected to need them', () => {
  const error = errorOf({ step: 'start', reason: 'exit code 1', exit: null }, { scriptsLeftOut: ['better-sqlite3'] });
  expect(error.code).toBe('PACKAGE_NEEDS_SCRIPTS');
  expect(error.message).toContain('better-sqlite3');
  expect(error.parts.fix).toBe('mcpd install x --allow-scripts');
});

test('of a crash of Node the complaint is quoted, and neither its stack nor the version at its end', () => {
  const stderrTail = [
    '/x/index.js:3',
    '  throw new Error("no key");',
    '  ^',
    '',
    'Error: no key',
    '    at Object.<anonymous> (/x/index.js:3:9)',
    '',
    'Node.js v20.20.2',
  ];
  const exit = { at: 0, uptimeMs: 5, code: 1, signal: null, cause: 'exit code 1', stderrTail };
  const error = trialError(
    { ok: false, step: 'start', reason: 'exit code 1', exit },
    { name: 'x', scriptsLeftOut: [], withScripts: '', fix: '' },
  );
  expect(error.parts.why).toBe('exit code 1; it said on stderr: Error: no key');
});
