/** Limits of the flight recorder and of its replays. As in limits.ts, with the unit in the name and the reason beside it. */

const KIB = 1024;
const MIB = 1024 * KIB;
const SECOND = 1000;
const MINUTE = 60 * SECOND;

/** Text kept of one server: a few thousand ordinary calls, and ten servers that are recorded at once cost no more than one of them running. */
export const RECORDING_BYTES_MAX = 4 * MIB;
/** A message costs some hundred bytes beyond its text, so tiny ones are counted too. */
export const RECORDING_FRAMES_MAX = 5000;
/**
 * Memory of what is kept of all servers together, as V8 has it: seven full recordings of Latin text, and less than one usual server takes.
 * Without it, whoever records a hundred servers fills the memory of the daemon.
 */
export const RECORDINGS_BYTES_MAX = 32 * MIB;
/** Of a message beside its text, by the heap of Node 20, 300 to 450: an object of fifteen members, its numbers and short strings. */
export const RECORDING_FRAME_OBJECT_BYTES = 400;
/** Messages up to here are kept whole: nearly all. */
export const RECORDING_FRAME_BYTES_MAX = 64 * KIB;
/** Of a longer one: its beginning, where method and name are, and its end. */
export const RECORDING_HEAD_BYTES = 16 * KIB;
export const RECORDING_TAIL_BYTES = 4 * KIB;
/** Of a method, a name, an address or an id beside the text: whoever sends a long one fills no memory with it. */
export const RECORDING_NAME_CHARS_MAX = 512;
/** A secret as long as this may lie across the place where a message is cut, and is still found: a private key in base64. */
export const RECORDING_SECRET_BYTES_MAX = 8 * KIB;
/** Who forgets to switch it off has it off after this time. */
export const RECORDING_FOR_MS = 60 * MINUTE;
/** Longer is no look at a problem any more. */
export const RECORDING_FOR_MS_MAX = 24 * 60 * MINUTE;
/** Of one answer of the API, unless asked otherwise. */
export const RECORDING_ANSWER_FRAMES = 500;
/** A saved recording that comes back to be replayed: RECORDING_BYTES_MAX of text, of which JSON escapes every quote, and the members beside it. */
export const RECORDING_FILE_BYTES_MAX = 16 * MIB;

/** Protocol lines kept of a server while somebody watches it: a few screens for who comes later. */
export const PROTOCOL_LINES_KEPT = 500;
/** Requests of a watched server whose answers are awaited: far more than are open at once; a server need not answer at all. */
export const PROTOCOL_OPEN_MAX = 4096;
/** Of a method, a tool or an id in a protocol line, which is to be short. */
export const PROTOCOL_NAME_CHARS_MAX = 128;
/** A reader that is so far behind gets no protocol lines, but is told how many: far below what cuts him off, so that the log goes on. */
export const PROTOCOL_QUEUE_BYTES_MAX = 256 * KIB;

/** A fresh process may take this long for its handshake: as a server does for its start, and then some. */
export const REPLAY_START_MS = 60 * SECOND;
/** One answer. A tool that takes longer is not for replaying. */
export const REPLAY_ANSWER_MS = 60 * SECOND;
/** At once, in one daemon: each is a process. */
export const REPLAYS_MAX = 4;
/** Differences told of one answer: the first ones say what happened. */
export const REPLAY_DIFFERENCES_MAX = 20;
/** Of a value in a difference. */
export const REPLAY_VALUE_CHARS_MAX = 200;
