import { join } from 'node:path';
import { createHistory, type History } from '../../registry/history.ts';
import { packageRoot } from '../package-root.ts';
import type { Paths } from '../paths.ts';
import type { ServerMasks } from '../servers/server-masks.ts';
import { VERSION } from '../version.ts';
import { applyHeapOptions } from './heap-options.ts';

/** The history of this home. What it keeps of an error has none of the server's secrets in it. `startedAt` is this daemon's. */
export function historyOf(paths: Paths, masks: ServerMasks, startedAt: number): History {
  return createHistory({
    path: paths.history,
    worker: join(packageRoot(), 'dist', 'history-worker.js'),
    threadBegan: applyHeapOptions,
    begun: { at: startedAt, pid: process.pid, version: VERSION },
    lostMark: paths.lostMark,
    mask: (server, text) => masks.of(server)(text),
  });
}
