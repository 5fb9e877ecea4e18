import { type ErrorParts, fromReport, type McpdError } from './errors.ts';

/** The exit code of a daemon that cannot start (a damaged registry, an unsafe home): trying again would not help, so pm2 does not. */
export const FATAL_EXIT_CODE = 78;
/**
 * The exit code of a daemon that pm2 runs and that was asked over the control API to stop. Not 0: pm2 sees 0 when a process is killed by a
 * signal, and then it must come back.
 */
export const ENDED_EXIT_CODE = 79;

/** What such a daemon prints on stderr before it leaves: one line, so that whoever started it can show the very same error. */
export function fatalLine(error: McpdError): string {
  return JSON.stringify({ fatal: error.report() });
}

/** The error in the last such line of a start log, or null. */
export function fatalIn(log: string): McpdError | null {
  const lines = log.split('\n').filter((line) => line.startsWith('{"fatal":'));
  for (const line of lines.reverse()) {
    const report = reportIn(line);
    if (report !== null) return fromReport(report);
  }
  return null;
}

// — internal —

function reportIn(line: string): ({ code: string } & ErrorParts) | null {
  try {
    const { fatal } = JSON.parse(line) as { fatal?: Partial<{ code: string } & ErrorParts> };
    if (typeof fatal?.code !== 'string' || typeof fatal.what !== 'string') return null;
    return { ...fatal, code: fatal.code, what: fatal.what };
  } catch {
    return null; // A line cut in the middle, or one that only looks like it.
  }
}
