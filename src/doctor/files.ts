import { readdirSync, readFileSync } from 'node:fs';
import type { Check } from '../api/contract/health.ts';
import { ok, warning } from './check.ts';

/** File descriptors of the daemon, as far as the system tells: each server takes some, and each host one. */
export function checkFiles(pid: number): Check[] {
  if (process.platform !== 'linux') return [];
  try {
    const limit = /^Max open files\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/limits`, 'utf8'))?.[1];
    return limit === undefined ? [] : [judgeFiles(readdirSync(`/proc/${pid}/fd`).length, Number(limit))];
  } catch {
    return []; // It ended just now, or /proc is closed to us.
  }
}

export function judgeFiles(open: number, limit: number): Check {
  const text = `the daemon has ${open} of ${limit} files open`;
  return open > limit * CROWDED
    ? warning('files', text, 'raise the limit (ulimit -n), then: mcpd restart')
    : ok('files', text);
}

// — internal —

/** Beyond this part of the limit the next few servers find none. */
const CROWDED = 0.8;
