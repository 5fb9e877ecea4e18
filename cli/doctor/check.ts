import type { McpdError } from '../../src/errors.ts';

/** One thing that the doctor looked at. */
export interface Check {
  /** Where it belongs: `home`, `daemon`, `server weather`. */
  topic: string;
  verdict: Verdict;
  text: string;
  /** What to try; null when nothing is to be done. */
  fix: string | null;
  /** Exit code of `mcpd doctor` when this is its first failure; null unless it is one. */
  exit: number | null;
}

/** `note` is worth knowing and needs nothing; `warning` will hurt some day; `failure` hurts now. */
export type Verdict = 'ok' | 'note' | 'warning' | 'failure';

/** As in the table of errors. */
const EXIT = { installation: 1, server: 5, daemon: 6, home: 7 } as const;

export function ok(topic: string, text: string): Check {
  return { topic, verdict: 'ok', text, fix: null, exit: null };
}

export function note(topic: string, text: string, fix: string | null = null): Check {
  return { topic, verdict: 'note', text, fix, exit: null };
}

export function warning(topic: string, text: string, fix: string | null): Check {
  return { topic, verdict: 'warning', text, fix, exit: null };
}

/** A failure in the words of an error, with its own exit code. */
export function failureOf(topic: string, error: McpdError): Check {
  return { topic, verdict: 'failure', text: error.message, fix: error.parts.fix ?? null, exit: error.exitCode };
}

export function failure(topic: string, text: string, fix: string | null, area: keyof typeof EXIT): Check {
  return { topic, verdict: 'failure', text, fix, exit: EXIT[area] };
}
