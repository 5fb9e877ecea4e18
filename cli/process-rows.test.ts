import { expect, test } from 'vitest';
import { processRows } from './process-rows.ts';

test('processes are a tree under the daemon, with what has left it marked', () => {
  const node = (pid: number, command: string, children: ReturnType<typeof leaf>[] = []) => ({
    pid,
    command,
    rssBytes: 10,
    children,
  });
  const leaf = (pid: number, command: string) => ({ pid, command, rssBytes: 5, children: [] });
  const rows = processRows({
    daemon: { pid: 1, rssBytes: 100 },
    servers: [
      {
        server: 'a',
        instance: 'a',
        state: 'running',
        hosts: null,
        folder: null,
        root: node(2, 'npx a', [leaf(3, 'node a'), leaf(4, 'sh')]),
        strays: [leaf(9, 'sleep')],
      },
      { server: 'b', instance: 'b', state: 'stopped', hosts: null, folder: null, root: null, strays: [] },
      {
        server: 'a',
        instance: 'a@one',
        state: 'running',
        hosts: ['zed'],
        folder: '/work',
        root: leaf(11, 'a'),
        strays: [],
      },
    ],
  });
  expect(rows.map((row) => `${row.pid} ${row.text}`)).toEqual([
    '1 mcpd daemon',
    '2 ├─ a (running)  npx a',
    '3 │  ├─ node a',
    '4 │  └─ sh',
    '9 ├─ a (left its tree)  sleep',
    '11 └─ a@one (running, for zed in /work)  a',
  ]);
});
