/** Every wait, buffer and retry of HTTP to servers that run elsewhere, with its unit in the name and its reason beside it. */

const KIB = 1024;
const SECOND = 1000;

/** DNS, TCP and TLS together: what takes longer is not there for a call either. */
export const REMOTE_CONNECT_TIMEOUT_MS = 10 * SECOND;
/** From a request sent to the head of its answer, where nothing is worked on: handshakes, lists, notices. A call has its own deadline. */
export const REMOTE_HEAD_TIMEOUT_MS = 30 * SECOND;
/** Silence in the middle of an answer that is one JSON text. A stream may be silent as long as its call may. */
export const REMOTE_BODY_PAUSE_MS = 30 * SECOND;
export const REMOTE_HEADER_BYTES_MAX = 64 * KIB;
/** Of an answer that is an error: a JSON-RPC error is small, a page that explains one is not needed. */
export const REMOTE_ERROR_BODY_BYTES_MAX = 64 * KIB;
export const REMOTE_REDIRECTS_MAX = 3;
/** A server that is asked too often (429) is asked again when it says, if that is no later than this, and so often. */
export const REMOTE_RETRY_AFTER_MAX_MS = 20 * SECOND;
export const REMOTE_RATE_RETRIES_MAX = 2;
/** A connection without a request is kept this long: many servers close theirs after five seconds, and a request would meet that. */
export const REMOTE_IDLE_SOCKET_MS = 4 * SECOND;
/** An idle connection that was closed in the moment a repeatable request took it: tried again so often. */
export const REMOTE_STALE_RETRIES_MAX = 2;
/** A connection on which nothing moves is asked by TCP whether it is still there. */
export const REMOTE_TCP_KEEPALIVE_MS = 30 * SECOND;
/** The stream of unasked messages of a legacy server is opened again after this time, then after twice as long, and so on. */
export const REMOTE_STREAM_AGAIN_FIRST_MS = 1 * SECOND;
export const REMOTE_STREAM_AGAIN_MAX_MS = 30 * SECOND;
/** A server may want its stream opened again at once; if it ends each at once, that is a request after the other. */
export const REMOTE_STREAM_AGAIN_MIN_MS = 100;
/** An event's id goes back in a header. */
export const REMOTE_EVENT_ID_BYTES_MAX = 4 * KIB;
/** A stream that ended before its answer is taken up again so often in a row without a new event. */
export const REMOTE_RESUMES_MAX = 5;
/** A stream whose answer has come should end by itself; a request that was cancelled may still be answered. */
export const REMOTE_LINGER_MS = 1 * SECOND;
/** Telling a server that a session is over; nobody waits longer for that. */
export const REMOTE_GOODBYE_MS = 1 * SECOND;
/** What the core may wrap around a message that came in: an answer goes on as a part of the params of a request. */
export const JSON_DEPTH_ADDED_MAX = 16;
