import { expect, test } from 'vitest';
import { type UnreadServer, unreadParts } from './unread.ts';

const server: UnreadServer = {
  name: 'far',
  launch: { kind: 'http', url: 'https://far.example/mcp', transport: 'auto', headers: {} },
  enabled: true,
  state: 'stopped',
  reason: null,
  fix: null,
};
const local: UnreadServer['launch'] = { kind: 'stdio', command: 'node', args: [], cwd: null, env: {} };
const refused = 'could not reach https://far.example/mcp: connection refused';

test.each<[string, Partial<UnreadServer>, string, string]>([
  ['was never wanted', {}, 'it was not reached yet', 'mcpd start far'],
  [
    'cannot be reached',
    { state: 'backoff', reason: refused, fix: 'mcpd logs far' },
    `it was not reached yet: ${refused}`,
    'mcpd logs far',
  ],
  [
    'wants a login',
    { reason: 'far lets nobody in', fix: 'mcpd auth far' },
    'it was not reached yet: far lets nobody in',
    'mcpd auth far',
  ],
  [
    'is disabled',
    { enabled: false, fix: 'mcpd enable far' },
    'it was not reached yet: it is disabled',
    'mcpd enable far',
  ],
  ['runs here, and has not', { launch: local }, 'it has not run yet', 'mcpd start far'],
  ['starts', { state: 'starting' }, 'it is being asked just now', 'again in a moment: mcpd tools far'],
])('of a server that %s, it is told why its lists are not known and what helps', (_, changes, why, fix) => {
  expect(unreadParts({ ...server, ...changes })).toEqual({ what: 'what far offers is not known yet', why, fix });
});
