import { join } from 'node:path';
import { createHistory, type History } from '../../registry/history.ts';
import { packageRoot } from '../package-root.ts';
import type { Paths } from '../paths.ts';
import type { Secrets } from '../secrets.ts';
import { secretMask } from '../servers/masking.ts';
import { applyHeapOptions } from './heap-options.ts';

/** The history of this home. What it keeps of an error has none of the server's secrets in it. */
export function historyOf(paths: Paths, secrets: Secrets): History {
  return createHistory({
    path: paths.history,
    worker: join(packageRoot(), 'dist', 'history-worker.js'),
    threadBegan: applyHeapOptions,
    mask: (server, text) => secretMask((name) => secrets.mapOf(name), server)(text),
  });
}
