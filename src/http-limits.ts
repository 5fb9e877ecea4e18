/** Bounds of the door by which hosts come in by HTTP, each with its unit in the name and its reason beside it. */

const MIB = 1024 * 1024;
const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Sessions with a handshake at once: each may hold a stream, which is a file descriptor. The one that was idle longest gives way. */
export const HTTP_SESSIONS_MAX = 256;
/** A session without an open stream or request ends after this time; its host makes a new one when it needs it. */
export const HTTP_SESSION_IDLE_MS = 60 * MINUTE;
/** GET streams of one session at once: hosts open one, and a second when they have lost sight of the first. */
export const HTTP_STREAMS_MAX = 8;
/** An answer that takes longer becomes a stream, so that the host and whatever is in between sees that somebody is there. */
export const HTTP_STREAM_AFTER_MS = 1 * SECOND;
/** A comment is sent on a stream that was quiet so long: proxies and clients give up after 30 s or more. */
export const HTTP_KEEP_ALIVE_MS = 15 * SECOND;
/** Waiting answers and quiet streams are looked at this often. */
export const HTTP_LOOK_EVERY_MS = 500;
/** What a host waits before it resumes a broken stream, told in its first event. */
export const HTTP_RESUME_AFTER_MS = 1 * SECOND;
/** Events kept of one session for streams that are resumed. A longer one than all of them is sent, and not kept. */
export const HTTP_EVENTS_KEPT = 1000;
export const HTTP_EVENTS_BYTES_MAX = 1 * MIB;
/** Answers written to clients that have not taken them yet, of all clients together. Beyond it answers become small errors. */
export const HTTP_UNREAD_BYTES_MAX = 64 * MIB;
/** Bodies that are under way, of all clients together: each is small but for a file, and a thousand connections may send one. */
export const HTTP_BODIES_BYTES_MAX = 128 * MIB;
/** A client that has not taken a byte of its answer for so long is cut off: others need the room. */
export const HTTP_UNREAD_MS = 1 * MINUTE;
/** Requests on one connection that wait behind others: no host sends more than one at a time, and each is held in memory. */
export const HTTP_QUEUED_MAX = 16;
/** Arguments of one tool that go into headers: each is one of its own, and servers take some hundred in all. */
export const TOOL_HEADERS_MAX = 64;
