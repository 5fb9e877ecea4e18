/**
 * Every bound of asking MCP registries (the official one, and others of the same API). As in limits.ts, with the unit in the name and the
 * reason beside it.
 */

const KIB = 1024;
const MIB = 1024 * KIB;
const SECOND = 1000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

// — Which are asked —
/** Registries that are asked one beside the other: a person has the official one, and perhaps one of his company. */
export const REGISTRIES_MAX = 8;
/** The address of one. */
export const REGISTRY_ADDRESS_CHARS_MAX = 500;

// — One question —
/** One answer, from the question to its last byte: a person waits for it. */
export const REGISTRY_ANSWER_MS = 10 * SECOND;
/** All pages of one question. */
export const REGISTRY_QUESTION_MS = 20 * SECOND;
/** One answer, unpacked: a hundred entries are some 200 KiB. */
export const REGISTRY_ANSWER_BYTES_MAX = 8 * MIB;
/** Entries asked for at once, which is what the official registry gives at most. */
export const REGISTRY_PAGE_ENTRIES = 100;
/** Pages of one question; more of it is told as more. */
export const REGISTRY_PAGES_MAX = 5;
/** Entries read of one page: a registry that gives more than it was asked for is passed over from there. */
export const REGISTRY_PAGE_ENTRIES_MAX = 1000;
/** A cursor goes into the next address. */
export const REGISTRY_CURSOR_CHARS_MAX = 2 * KIB;
/** Redirects within the same origin. */
export const REGISTRY_REDIRECTS_MAX = 3;
/** Of what a registry says with a refusal. */
export const REGISTRY_REFUSAL_CHARS_MAX = 200;
/** Of a body that is read for that. */
export const REGISTRY_REFUSAL_BYTES_MAX = 16 * KIB;

// — What is shown —
/** Words of a search. */
export const SEARCH_CHARS_MAX = 200;
/** Servers that a search shows of registries: whoever has more needs another word. */
export const SEARCH_HITS_MAX = 100;
/** Of a line that a registry says of a server, such as why it is deprecated. */
export const REGISTRY_TEXT_CHARS_MAX = 500;

// — Kept answers —
/** An answer is good for so long without asking again: a person types a search twice, then installs. */
export const REGISTRY_FRESH_MS = 10 * MINUTE;
/** An older answer serves no more, not even when nobody can be asked: its versions may have been taken back long ago. */
export const REGISTRY_KEPT_MS = 30 * DAY;
/** Answers kept; the oldest gives way. */
export const REGISTRY_KEPT_MAX = 200;
/** All of them together. */
export const REGISTRY_KEPT_BYTES_MAX = 32 * MIB;
