/** The bounds of what is open longer than a call and its answer: input that a server asks for during a call, and tasks. See limits.ts. */

const KIB = 1024;
const MIB = 1024 * KIB;
const SECOND = 1000;
const MINUTE = 60 * SECOND;

// — Input during a call —
/** Requests of one server to hosts that are not answered yet. */
export const SERVER_QUESTIONS_MAX = 64;
/** A person may think about a form so long; then the server is told that nobody answered. */
export const QUESTION_TIMEOUT_MS = 10 * MINUTE;
/** A server's questions that come in the same moment are asked together of a modern host. */
export const PARKED_GATHER_MS = 5;
/** A modern host has so long to come back with the input that it was asked for. */
export const PARKED_MS = 10 * MINUTE;
/** Calls that wait for their modern hosts to come back; what has come of them is kept so long. */
export const PARKED_CALLS_MAX = 1000;
/** A server that was told of a cancelled call may so long ask for its sake all the same: no other host is to be shown that. */
export const CANCELLED_ASKS_MS = 1 * MINUTE;
/** Rounds of input in one call. */
export const INPUT_ROUNDS_MAX = 10;
/** A result above this size is no request for input. */
export const INPUT_BYTES_MAX = 4 * MIB;
/** A modern server that asks for nothing but a retry gets it after this time. */
export const INPUT_RETRY_MS = 250;
/** Elicitations by URL whose end a server may still tell. */
export const ELICITATIONS_KEPT = 256;
/** Tools and prompts of one server that are known to answer without asking. */
export const QUIET_TARGETS_KEPT = 2000;
/** The first call of a tool waits so long for other hosts' calls to end, in case that it asks its host something. */
export const TURN_WAIT_MS = 1 * SECOND;
/** Processes of one server for one client by HTTP, while calls in the others wait for its input: each is a whole program. */
export const OWN_PROCESSES_MAX = 4;
/** A call of a server that is known to ask waits so long for another one; while a person is being asked it is then refused. */
export const TURN_MAX_MS = 30 * SECOND;

// — Tasks —
/** Tasks whose owners are remembered; of an older one its id alone tells. */
export const TASKS_KEPT = 4096;
/** A process is kept up so long for a task that somebody may still ask for, if the task's own time to live is not shorter. As long as a call may take. */
export const TASK_HOLDS_MS = 60 * MINUTE;
/** A larger result is no task that was made in the place of one. */
export const TASK_BYTES_MAX = 64 * KIB;
/** How often mcpd looks at a task that it runs for a host: as the server says, within these; and where it says nothing. */
export const TASK_POLL_MS = 1 * SECOND;
export const TASK_POLL_MIN_MS = 100;
export const TASK_POLL_MAX_MS = 30 * SECOND;
/** One page of `tasks/list`; a server that does not answer in time has none. */
export const TASK_LIST_TIMEOUT_MS = 15 * SECOND;
/** Of one host, at once. */
export const TASK_LISTINGS_MAX = 16;
/** Pages read of one server, and tasks told to a host in all. */
export const TASK_LIST_PAGES_MAX = 20;
export const TASKS_LISTED_MAX = 1000;
/** Tasks that one host may listen for at once. */
export const HOST_TASK_LISTENS_MAX = 1000;

/** A `server.json`: the largest published ones have some 50 KB. */
export const SERVER_JSON_BYTES_MAX = 1024 * 1024;
