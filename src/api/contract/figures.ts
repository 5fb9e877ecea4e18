import type { CallRow } from '../contract.ts';

/** The part of the contract about how servers fare: counted since the daemon started, never kept. Times are milliseconds since 1970. */

export interface ServerFigures {
  name: string;
  perMinute: MinuteFigures;
  latency: LatencyFigures;
  tree: TreeFigures;
  /** Starts after an end that nobody wanted, and by a person who restarts it; not the next start after it was idle. */
  restarts: number;
  /** Ids of the sessions that use it: with an open call, a subscription, or a call within the last ten minutes. */
  sessions: string[];
  openCalls: number;
  /** Since the daemon started, of all its processes. */
  calls: number;
  errors: number;
}

/** Calls by the minute in which they ended. Both columns are of one length, FIGURE_MINUTES (60), oldest first; 0 where nothing was called. */
export interface MinuteFigures {
  /** When the last minute of the columns began; it is still under way. The others are each 60 000 ms earlier. */
  lastAt: number;
  calls: number[];
  /** Those of them that failed: neither answered well nor cancelled. */
  errors: number[];
}

/**
 * From arrival to answer, of the calls of about the last hour that were answered (`ok` and `tool-error`): that share of them took at most
 * so long. They are bounds, above the exact value by a tenth at most.
 */
export interface LatencyFigures {
  count: number;
  /** Milliseconds; null without a call. */
  p50: number | null;
  p95: number | null;
  p99: number | null;
}

/** Memory and CPU of all processes of the server together: looked at every five seconds, every two while somebody watches. */
type TreeFigures =
  | { state: 'measured'; now: TreeSample; samples: TreeSamples }
  /** `reason` for people: it does not run, it runs elsewhere, processes cannot be listed. `samples` are those of before, if any. */
  | { state: 'unknown'; reason: string; samples: TreeSamples };

interface TreeSample {
  at: number;
  processes: number;
  rssBytes: number;
  /** 100 is one core kept busy since the sample before; null in the first sample and where the system does not tell. */
  cpuPercent: number | null;
}

/** The last samples, 60 at most, oldest first and as columns of one length; what is measured now is the last of them. */
interface TreeSamples {
  at: number[];
  rssBytes: number[];
  cpuPercent: (number | null)[];
}

/** Part of the live stream (`LiveEvent`). */
export type FiguresEvent =
  /** All servers soon after the snapshot; then, every FIGURES_EVERY_MS (2 s) at most, those whose figures changed. The later one replaces. */
  | { type: 'figures'; figures: ServerFigures[] }
  /** Calls that ended, oldest first, gathered for a moment. `leftOut`: how many more there were since the event before. */
  | { type: 'calls'; calls: CallRow[]; leftOut: number };
