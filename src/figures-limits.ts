/** Every bound of the figures that pages show of servers. As in limits.ts, with the unit in the name and the reason beside it. */

const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Minutes of which calls and errors are counted: an hour is what a sparkline can show. */
export const FIGURE_MINUTES = 60;
export const FIGURE_MINUTE_MS = 1 * MINUTE;
/** Latencies are gathered so long before a fresh histogram begins; with the one before, they tell of the last half to whole hour. */
export const LATENCY_SPAN_MS = 30 * MINUTE;
/** A session counts as using a server so long after its last call. */
export const SESSION_USES_MS = 10 * MINUTE;
/** Looks at a server's processes that are kept: two minutes for who watches, five from before he came. */
export const TREE_SAMPLES_KEPT = 60;
/** Samples of a server that has not run for so long are forgotten. */
export const TREE_SAMPLES_AGE_MS = 10 * MINUTE;
/** While somebody watches, all processes are looked at this often, in the place of PROCESS_SCAN_EVERY_MS; a scan takes 5 to 10 ms. */
export const PROCESS_SCAN_WATCHED_MS = 2 * SECOND;
/** Figures that changed are told this often: faster nobody reads numbers. */
export const FIGURES_EVERY_MS = 2 * SECOND;
/** Of so many servers before other work has its turn: making, comparing and encoding them takes half a millisecond. */
export const FIGURES_PER_TURN = 10;
/** Calls that end are gathered this long for one event, so that a thousand a second are four events. */
export const LIVE_CALLS_GATHER_MS = 250;
/** Calls told per second; more scroll past unread. The rest is counted. */
export const LIVE_CALLS_PER_SECOND_MAX = 100;
/** A reader that is so far behind gets no figures and calls until it has caught up, and then the latest: far below what cuts it off. */
export const LIVE_FIGURES_QUEUE_BYTES_MAX = 256 * 1024;
