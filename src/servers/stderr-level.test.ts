import { expect, test } from 'vitest';
import { levelOf } from './stderr-level.ts';

test.each([
  '{"level":50,"time":1767225600000,"msg":"no key"}',
  '{"timestamp":"2026-01-01","severity":"ERROR","message":"no key"}',
  'ts=2026-01-01T00:00:00Z level=error msg="no key"',
  '[error] no key',
  '2026-01-01 10:00:00,123 - server - ERROR - no key',
  '2026-01-01T10:00:00.123Z ERROR acme: no key',
  '[2026-01-01 10:00:00] CRITICAL no key',
  'ERROR:root:no key',
  'Error: no key',
  'TypeError: x is not a function',
  'Error [ERR_MODULE_NOT_FOUND]: Cannot find module',
  'requests.exceptions.ConnectionError: refused',
  'Traceback (most recent call last):',
  'panic: runtime error',
  'npm ERR! code E404',
  'Uncaught exception',
])('%s is an error', (line) => {
  expect(levelOf(line)).toBe('error');
});

test.each([
  '{"level":40,"msg":"slow"}',
  '{"levelname":"WARNING","message":"slow"}',
  'level=warn msg=slow',
  '[WARN] slow',
  '2026-01-01 10:00:00,123 - server - WARNING - slow',
  '2026-01-01T10:00:00Z WARN acme: slow',
  'Warning: slow',
  '(node:123) [DEP0040] DeprecationWarning: The punycode module is deprecated.',
  '(node:123) ExperimentalWarning: Type stripping',
  'npm warn deprecated',
])('%s is a warning', (line) => {
  expect(levelOf(line)).toBe('warn');
});

test.each([
  '',
  'Weather MCP server running on stdio',
  'listening, 0 errors so far',
  'INFO: handled an ERROR of the client',
  '{"level":30,"msg":"the error page is ready"}',
  '2026-01-01T10:00:00Z INFO  warnings are off',
  'errors: none',
  `${'x'.repeat(300)} [error]`,
])('%s is nothing bad', (line) => {
  expect(levelOf(line)).toBe('info');
});
