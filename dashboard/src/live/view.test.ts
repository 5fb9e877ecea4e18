import { expect, test } from 'vitest';
import type { ServerFigures } from '../../../src/api/contract/figures.ts';
import type { LiveEvent, ServerStatus } from '../../../src/api/contract.ts';
import { afterEvent, NOTHING, type View } from './view.ts';

// Only the name matters here.
const server = (name: string, calls = 0) => ({ name, calls }) as ServerStatus;

const SNAPSHOT: LiveEvent = {
  type: 'snapshot',
  status: {
    pid: 1,
    version: '0.1.0',
    home: '/home/ann/.mcpd',
    port: 7077,
    startedAt: 0,
    state: 'running',
    engine: 'pm2',
    node: 'v20.19.0',
    servers: 2,
    sessions: 0,
    calls: 0,
    warnings: [],
  },
  servers: [server('todo'), server('weather')],
  sessions: [],
};

const after = (...events: LiveEvent[]): View => events.reduce(afterEvent, NOTHING);

test('a snapshot replaces everything that was known', () => {
  const view = after({ type: 'server', server: server('old') }, SNAPSHOT);
  expect([...view.servers.keys()]).toEqual(['todo', 'weather']);
});

test('a changed server keeps its place, a new one comes last, a removed one goes', () => {
  const changed = after(
    SNAPSHOT,
    { type: 'server', server: server('todo', 5) },
    { type: 'server', server: server('memory') },
  );
  expect([...changed.servers.values()].map(({ name, calls }) => `${name} ${calls}`)).toEqual([
    'todo 5',
    'weather 0',
    'memory 0',
  ]);
  expect([...afterEvent(changed, { type: 'server-removed', name: 'todo' }).servers.keys()]).toEqual([
    'weather',
    'memory',
  ]);
});

test('figures replace the earlier ones of the same server, outlive a reconnection, and go with their server', () => {
  const figures = (name: string, restarts: number) => ({ name, restarts }) as ServerFigures;
  const counted = after(
    SNAPSHOT,
    { type: 'figures', figures: [figures('todo', 0), figures('weather', 0)] },
    { type: 'figures', figures: [figures('todo', 1)] },
    SNAPSHOT,
  );
  expect([...counted.figures.values()].map(({ name, restarts }) => `${name} ${restarts}`)).toEqual([
    'todo 1',
    'weather 0',
  ]);
  const removed = afterEvent(counted, { type: 'server-removed', name: 'todo' });
  expect([...removed.figures.keys()]).toEqual(['weather']);
});

test('a daemon that stops is shown as stopping, and nothing is invented before the first snapshot', () => {
  expect(after(SNAPSHOT, { type: 'stopping' }).status?.state).toBe('stopping');
  expect(after({ type: 'stopping' }).status).toBeNull();
});
