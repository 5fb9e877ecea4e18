/** The part of the contract about `GET /api/health`: what `mcpd doctor` finds, as far as the daemon can see it. */

/** `note` is worth knowing and needs nothing; `warning` will hurt some day; `failure` hurts now. */
export type Verdict = 'ok' | 'note' | 'warning' | 'failure';

/** One thing that was looked at. */
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

export interface HealthReport {
  checkedAt: number;
  /** The worst of the checks. */
  verdict: Verdict;
  checks: Check[];
}
