/** Every bound of what is told to other programs: `/metrics`, and OTLP. As in limits.ts, with the unit in the name and the reason beside it. */

const SECOND = 1000;

// — Series —
/** Servers with series of their own, those of removed servers included; calls of further ones count as one. Each costs half a KiB. */
export const METRICS_SERVERS_MAX = 1000;
/** Methods of one server: MCP has some thirty that servers answer. */
export const METRICS_METHODS_MAX = 40;
/** Tools of all servers with series of their own; calls of further ones count as one per server. Prometheus is advised to keep below thousands. */
export const METRICS_SERIES_MAX = 2000;
/** Upper bounds of the buckets of durations, in seconds: from what a local tool takes to the deadline of a call. */
export const DURATION_BOUNDS_S: readonly number[] = [
  0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 300,
];

// — OTLP —
/** Calls wait this long at most to be told together. */
export const OTLP_CALLS_EVERY_MS = 5 * SECOND;
/** Calls of one export: some 100 KiB, written within two milliseconds, in which no other call moves. */
export const OTLP_CALLS_PER_EXPORT_MAX = 50;
/** Calls that wait while the receiver is slow or away, some 2 MiB; further ones are lost and counted. */
export const OTLP_CALLS_WAITING_MAX = 4096;
/** The state of all metrics is sent this often. */
export const OTLP_METRICS_EVERY_MS = 15 * SECOND;
/** One export with its repetitions: long enough for a receiver that starts again, short enough to be told soon that there is none. */
export const OTLP_EXPORT_TIMEOUT_MS = 5 * SECOND;
/** The last export may hold up the end of the daemon, or a change of where to, so long. */
export const OTLP_LAST_EXPORT_MS = 2 * SECOND;
/** What is shown of a receiver's own words. */
export const OTLP_REASON_CHARS_MAX = 200;
/** Extra headers of exports: an authorization and perhaps a tenant. */
export const OTLP_HEADERS_MAX = 16;
