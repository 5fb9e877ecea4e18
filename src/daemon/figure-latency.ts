import type { LatencyFigures } from '../api/contract/figures.ts';
import { LATENCY_SPAN_MS } from '../figures-limits.ts';

/**
 * How long calls took, as a histogram whose buckets grow by a tenth each, in 1.5 kB whatever the number of calls. Pure; `at` is
 * milliseconds since 1970.
 */
export class LatencyHistogram {
  /** Of the present span, and of the one before. */
  #present = new Uint32Array(BUCKETS);
  #before = new Uint32Array(BUCKETS);
  #span = Number.NEGATIVE_INFINITY;

  add(at: number, ms: number): void {
    this.#advance(at);
    const bucket = bucketOf(ms);
    this.#present[bucket] = (this.#present[bucket] ?? 0) + 1;
  }

  figures(at: number): LatencyFigures {
    this.#advance(at);
    const counts = this.#present.map((count, bucket) => count + (this.#before[bucket] ?? 0));
    const count = counts.reduce((sum, one) => sum + one, 0);
    const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => percentile(counts, Math.ceil(share * count)));
    return { count, p50: p50 ?? null, p95: p95 ?? null, p99: p99 ?? null };
  }

  /** A clock that was set back goes on in the span that was reached, unless it is far from it. */
  #advance(at: number): void {
    const span = Math.floor(at / LATENCY_SPAN_MS);
    if (span === this.#span || span === this.#span - 1) return;
    [this.#before, this.#present] = [this.#present, this.#before];
    this.#present.fill(0);
    if (span !== this.#span + 1) this.#before.fill(0);
    this.#span = span;
  }
}

export const NO_LATENCY: LatencyFigures = { count: 0, p50: null, p95: null, p99: null };

// — internal —

/** Below it a call is as fast as can be told. */
const FIRST_MS = 0.1;
const GROWTH = 1.1;
/** From a tenth of a millisecond to the hour that a call may take. */
const BUCKETS = 184;

function bucketOf(ms: number): number {
  if (ms <= FIRST_MS) return 0;
  return Math.min(BUCKETS - 1, Math.ceil(Math.log(ms / FIRST_MS) / Math.log(GROWTH)));
}

/** The upper edge of the bucket that holds the call of this rank, so that what is said of the share is true; null without a call. */
function percentile(counts: Uint32Array, rank: number): number | null {
  if (rank === 0) return null;
  let bucket = 0;
  for (let seen = counts[0] ?? 0; seen < rank; seen += counts[bucket] ?? 0) bucket++;
  return roundedUp(FIRST_MS * GROWTH ** bucket);
}

/** To three digits. */
function roundedUp(ms: number): number {
  const digit = 10 ** (Math.floor(Math.log10(ms)) - 2);
  return Number((Math.ceil(ms / digit) * digit).toPrecision(3));
}
