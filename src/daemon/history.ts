import { join } from 'node:path';
import { createHistory, type History } from '../../registry/history.ts';
import { packageRoot } from '../package-root.ts';
import type { Paths } from '../paths.ts';
import type { Secrets } from '../secrets.ts';
import { secretMask } from '../servers/masking.ts';
import { VERSION } from '../version.ts';
import { applyHeapOptions } from './heap-options.ts';

/** The history of this home. What it keeps of an error has none of the server's secrets in it. `startedAt` is this daemon's. */
export function historyOf(paths: Paths, secrets: Secrets, startedAt: number): History {
  return createHistory({
    path: paths.history,
    worker: join(packageRoot(), 'dist', 'history-worker.js'),
    threadBegan: applyHeapOptions,
    begun: { at: startedAt, pid: process.pid, version: VERSION },
    lostMark: paths.lostMark,
    mask: (server, text) => secretMask((name) => secrets.mapOf(name), server)(text),
  });
}
