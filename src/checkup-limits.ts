/** Limits of `mcpd verify`. As in limits.ts, with the unit in the name and the reason beside it. */

const KIB = 1024;
const SECOND = 1000;

/** A fresh process may take this long for its first answer: what a server may take to start, and then some. */
export const CHECKUP_START_MS = 40 * SECOND;
/** Any later answer: what is asked costs a server nothing. */
export const CHECKUP_ANSWER_MS = 5 * SECOND;
/** From SIGTERM to its exit: what mcpd gives a server too before it kills. */
export const CHECKUP_SIGNAL_MS = 3 * SECOND;
/** From the end of what it was asked to its last event: every stage of a stop, on a loaded machine. */
export const CHECKUP_END_MS = 20 * SECOND;
/** Pages of one list that are read. */
export const CHECKUP_PAGES_MAX = 50;
/** Entries of one list that are looked at: far more than any host shows. */
export const CHECKUP_ENTRIES_MAX = 2000;
/** What a pipe of Linux holds: a server that writes more in a minute of rest freezes with a host that does not read its stderr. */
export const CHECKUP_STDERR_BYTES = 64 * KIB;
/** Reasons told of one check: the first ones say what is wrong. */
export const CHECKUP_REASONS_MAX = 3;
/** At once, in one daemon: each is a process. */
export const CHECKUPS_MAX = 2;
/** Tool names above this length are refused by the APIs behind many hosts. */
export const CHECKUP_NAME_CHARS_MAX = 64;
/** Hosts are known that stop at 40 tools, or choose badly among more. */
export const CHECKUP_TOOLS_MAX = 40;
