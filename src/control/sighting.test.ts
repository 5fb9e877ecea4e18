import { expect, test } from 'vitest';
import type { DaemonStatus } from '../api/contract.ts';
import { McpdError } from '../errors.ts';
import { moveFor, type Sighting } from './sighting.ts';

function daemon(version: string, state: DaemonStatus['state'] = 'running'): Sighting {
  const status: DaemonStatus = {
    pid: 1,
    version,
    home: '/home/ann/.mcpd',
    port: 7077,
    startedAt: 0,
    state,
    engine: 'pm2',
    node: 'v20.19.0',
    servers: 0,
    sessions: 0,
    calls: 0,
    warnings: [],
  };
  return { kind: 'answers', status };
}

test('a daemon of the same or a newer version is used, an older one is replaced', () => {
  expect(moveFor(daemon('1.2.0'), '1.2.0')).toBe('use');
  expect(moveFor(daemon('1.3.0'), '1.2.0')).toBe('use');
  expect(moveFor(daemon('1.2.0'), '1.2.1')).toBe('replace');
  expect(moveFor(daemon('1.2.0-rc.1'), '1.2.0')).toBe('replace');
});

test('a daemon that is stopping is waited for, whatever its version', () => {
  expect(moveFor(daemon('1.2.0', 'stopping'), '1.3.0')).toBe('wait');
});

test('none is started, and one that hangs is told to the person', () => {
  expect(moveFor({ kind: 'absent' }, '1.0.0')).toBe('start');
  const error = new McpdError('DAEMON_UNREACHABLE', { what: 'the daemon does not answer' });
  expect(moveFor({ kind: 'hung', error }, '1.0.0')).toBe('give-up');
});
