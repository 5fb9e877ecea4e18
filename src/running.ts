import { readFileSync } from 'node:fs';
import { errnoOf } from './errors.ts';

/** Does a process of this pid run? A zombie, whose parent has not noticed its end yet, does not: it holds nothing any more. */
export function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (thrown) {
    return errnoOf(thrown) === 'EPERM';
  }
  try {
    return !/^\d+ \(.*\) [ZX] /s.test(readFileSync(`/proc/${pid}/stat`, 'latin1'));
  } catch {
    return process.platform !== 'linux'; // No entry: it has just gone. Other systems have no such file at all.
  }
}
