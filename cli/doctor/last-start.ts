import { closeSync, openSync, readSync, statSync } from 'node:fs';
import type { Check } from '../../src/api/contract/health.ts';
import { failureOf } from '../../src/doctor/check.ts';
import { START_LOG_TAIL_BYTES } from '../../src/limits.ts';
import type { Paths } from '../../src/paths.ts';
import { shownTime } from '../../src/shown.ts';
import { fatalIn } from '../../src/start-report.ts';

/** Why the daemon's last start failed, as long as no later one has left its traces. That no daemon runs would say nothing of it. */
export function checkLastStart(paths: Paths): Check[] {
  const failedAt = changedAt(paths.startLog);
  const error = fatalIn(tailOf(paths.startLog));
  const isPast = [paths.daemonInfo, paths.endMark, paths.registry].some((file) => changedAt(file) > failedAt);
  if (error === null || isPast) return [];
  const check = failureOf('daemon', error);
  return [{ ...check, text: `its last start, at ${shownTime(failedAt)}, failed: ${check.text}` }];
}

// — internal —

/** Milliseconds since 1970; 0 when there is no such file. */
function changedAt(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0;
}

function tailOf(path: string): string {
  const size = statSync(path, { throwIfNoEntry: false })?.size ?? 0;
  if (size === 0) return '';
  const file = openSync(path, 'r');
  try {
    const bytes = Buffer.alloc(Math.min(size, START_LOG_TAIL_BYTES));
    return bytes.toString('utf8', 0, readSync(file, bytes, 0, bytes.length, size - bytes.length));
  } finally {
    closeSync(file);
  }
}
