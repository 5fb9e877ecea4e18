import { DAEMON_FLUSH_MS, DRAIN_MS, STOP_STDIN_GRACE_MS, STOP_SWEEP_MS, STOP_TERM_GRACE_MS } from './limits.ts';

/**
 * Every wait, queue, buffer and retry of running mcpd itself: its daemon, control API, CLI, installs and watching. As in limits.ts, with the
 * unit in the name and the reason beside it.
 */

const KIB = 1024;
const MIB = 1024 * KIB;
const SECOND = 1000;
const MINUTE = 60 * SECOND;

// — Starting and ending the daemon —
/** A CLI or shim waits this long for a daemon that is starting. */
export const DAEMON_START_TIMEOUT_MS = 10 * SECOND;
/** A daemon that ends: drain, stop of all servers, and a second for a loaded machine. */
export const SERVERS_END_MS = DRAIN_MS + STOP_STDIN_GRACE_MS + STOP_TERM_GRACE_MS + STOP_SWEEP_MS + 1 * SECOND;
/** A CLI waits this long for a daemon that was asked to stop: its servers, its last words to hosts, and closing its files. */
export const DAEMON_STOP_TIMEOUT_MS = SERVERS_END_MS + DAEMON_FLUSH_MS + 4 * SECOND;
/** Waiting for another process that holds a lock of ours (a start, a replacement). */
export const LOCK_WAIT_MS = 30 * SECOND;
/** A standby daemon looks for the lock this often. */
export const STANDBY_RETRY_MS = 500;
/** A standby asks so long whether the running daemon accepts connections. */
export const SOCKET_PROBE_MS = 500;
/** A daemon that ends waits so long for installs that are undone: npm gets TOOL_KILL_GRACE_MS, removing its files a second. */
export const INSTALLS_END_MS = 3 * SECOND;
/** A daemon looks this often whether its home is still where it was. */
export const HOME_CHECK_MS = 2 * SECOND;
/** pm2 kills the daemon after this time; our own stop is shorter. */
export const PM2_KILL_TIMEOUT_MS = 20 * SECOND;
/** One call of the pm2 command. */
export const PM2_COMMAND_TIMEOUT_MS = 30 * SECOND;
/** After `pm2 kill` returned, pm2's own daemon may need a moment more. */
export const PM2_END_TIMEOUT_MS = 10 * SECOND;
/** First delay of a restart by pm2; it grows by half each time up to 15 s, and starts anew after 30 s up. */
export const PM2_RESTART_DELAY_FIRST_MS = 100;
/** What is kept of pm2's own words, for an error. */
export const PM2_OUTPUT_CHARS_MAX = 2 * KIB;
/** pm2's own files are emptied above this size; mcpd's logs are elsewhere. */
export const PM2_LOG_BYTES_MAX = 1 * MIB;

// — Control API —
/** An API request that waits for a server's start or stop. */
export const COMMAND_WAIT_MS = 60 * SECOND;
/** One request body of the control API. */
export const API_BODY_BYTES_MAX = 4 * MIB;
/** Live events waiting for one watcher (CLI or page); beyond it the watcher is cut off and reconnects. */
export const LIVE_QUEUE_BYTES_MAX = 1 * MIB;
/** Connections to one listener of the control API at once: pages and CLIs are few, and a flood must not use up the file descriptors. */
export const API_CONNECTIONS_MAX = 256;
/** The same on 127.0.0.1, where hosts may come too: each holds a stream and a connection for every call. */
export const WEB_CONNECTIONS_MAX = 1024;
/** The head of a request, and all of it: who is slower ties up a connection on purpose. */
export const HTTP_HEAD_MS = 10 * SECOND;
export const HTTP_REQUEST_MS = 60 * SECOND;
/** A connection without a request is kept this long: longer than the pauses of a conversation's calls, so that few are made anew. */
export const HTTP_IDLE_CONNECTION_MS = 75 * SECOND;
/** Open answers may still finish this long when the daemon closes its listeners. */
export const API_CLOSE_MS = 1 * SECOND;
/** Lines of a log in one answer. */
export const LOG_ANSWER_LINES_MAX = 10_000;
/** Rows of the call history in one answer. */
export const CALL_ANSWER_ROWS_MAX = 10_000;
export const CALL_ANSWER_ROWS = 100;
/** Calls that fit a filter are counted up to here: counting all of them would cost as much as reading them. */
export const CALLS_COUNTED_MAX = 10_000;

// — Page —
/** A taken HTTP port is tried again this often. */
export const HTTP_RETRY_MS = 2 * SECOND;
/** A page's socket must send its token within this time. */
export const WS_TOKEN_TIMEOUT_MS = 5 * SECOND;
/** One message of a page's socket: only the token comes that way. */
export const WS_MESSAGE_BYTES_MAX = 4 * KIB;
/** A code of `mcpd dashboard` waits this long for its page. */
export const DASHBOARD_CODE_MS = 60 * SECOND;
/** Codes that wait at once; the oldest gives way. */
export const DASHBOARD_CODES_MAX = 16;

// — Trying a server —
/** Tries at once, each a session of its own: a person has a few pages open, and every one of them may wait for a form. */
export const TRIES_MAX = 16;
/** Of a result that is shown: what a person can look through. The rest is counted. */
export const TRY_RESULT_BYTES_MAX = 1 * MIB;
/** A log, a step of progress or a question above this size is not shown. */
export const TRY_MESSAGE_BYTES_MAX = 256 * KIB;
/** Servers whose lists are read anew at a time: each is a process, and a page may ask for as many as it likes. */
export const READINGS_MAX = 4;
/** Of a completion that is offered while somebody types; the protocol has 100. */
export const COMPLETIONS_SHOWN_MAX = 100;
/** The data of an error: the rest is in the server's log. */
export const TRY_ERROR_DATA_CHARS_MAX = 64 * KIB;
/** Logs and progress are dropped and counted while the reader is so far behind: far enough below LIVE_QUEUE_BYTES_MAX for him to keep the result. */
export const TRY_NOTICES_BYTES_MAX = 256 * KIB;

// — Health —
/** Pages that look again so soon are told the same: the doctor starts a login shell and reads all processes. */
export const HEALTH_FRESH_MS = 5 * SECOND;

// — Approvals —
/** What a page asks for waits this long for a person at a terminal: he must find one, and read. */
export const APPROVAL_MS = 5 * MINUTE;
/** Requests of pages that wait at once: a person reads each of them. */
export const APPROVALS_WAITING_MAX = 8;
/** Ended ones that are remembered, so that a page that comes late sees what became of its own. */
export const APPROVALS_ENDED_KEPT = 16;
/** One such request: what a person must read in full must be readable. */
export const APPROVAL_BYTES_MAX = 16 * KIB;
/** What an install told so far, for a page that looks later: the last of it. */
export const APPROVAL_EVENTS_KEPT = 100;
/** A code of `mcpd approve --code` is typed at once, and wrong at most so often. */
export const APPROVAL_CODE_MS = 60 * SECOND;
export const APPROVAL_CODE_TRIES_MAX = 5;

// — Logins at remote servers —
/** From the link of a login until the browser is back: a person looks for a password, perhaps for a phone. */
export const LOGIN_WAIT_MS = 10 * MINUTE;
/** One answer of an authorization server. */
export const AUTH_ANSWER_MS = 10 * SECOND;
/** All questions of one step: from the server's address to the link, from the code to the token, a renewal. A host may be waiting. */
export const AUTH_STEP_MS = 20 * SECOND;
/** The largest such answer: metadata of large providers is some 10 KB. */
export const AUTH_ANSWER_BYTES_MAX = 256 * KIB;
/** Scopes that a refusal names: they stand in errors and in the next link, and real lists have a few. */
export const AUTH_SCOPES_CHARS_MAX = 1000;
/** Revoking the tokens of a login that is forgotten: somebody waits, and it is forgotten here in any case. */
export const LOGIN_REVOKE_MS = 5 * SECOND;
/** A token is renewed so long before it ends: it must still be good when the server looks at it. */
export const TOKEN_RENEW_EARLY_MS = 30 * SECOND;
/** After a renewal that failed for the moment (authorization server down), requests are refused with its reason so long without another try. */
export const TOKEN_RENEW_RETRY_MS = 5 * SECOND;
/** A token that the server refused within this time of its issue is not renewed again: it will not like the next one better. */
export const TOKEN_FRESH_MS = 10 * SECOND;
/** Ended logins that are remembered, so that a browser that comes late or twice is told so. */
export const LOGIN_STATES_KEPT = 64;

// — CLI towards the daemon —
/** What the daemon answers from memory (status, lists). Beyond it the daemon hangs. */
export const CONTROL_ANSWER_MS = 10 * SECOND;
/** An answer that waits for a server (start, stop, a changed setting): COMMAND_WAIT_MS and the way back. */
export const CONTROL_COMMAND_MS = COMMAND_WAIT_MS + 5 * SECOND;
/** A daemon that hangs up without an answer is asked again this long: one that ends is gone by then, one that is crowded has room again. */
export const CONTROL_CLOSED_MS = 2 * SECOND;
/** A line or an answer that the CLI takes from the daemon. */
export const CONTROL_ANSWER_BYTES_MAX = 64 * MIB;
/** The head of the daemon's answer, and the line before each of its chunks: what is longer was not written by a daemon. */
export const ANSWER_HEAD_BYTES_MAX = 64 * KIB;
export const ANSWER_CHUNK_HEAD_BYTES_MAX = 1 * KIB;
/** A daemon that is starting or stopping is looked at this often. */
export const CONTROL_POLL_MS = 50;

// — Install —
export const NPM_TIMEOUT_MS = 5 * MINUTE;
/** Packages of PyPI bring their own compiled parts, images whole systems: a slow line needs its time. */
export const TOOL_FETCH_MS = 15 * MINUTE;
/** A page waits for it, and nothing is fetched but what packages say of themselves. */
export const NPM_RESOLVE_MS = 30 * SECOND;
/** One question to a registry of images; then the image itself is pulled. */
export const OCI_DIGEST_MS = 30 * SECOND;
/** npm's own default waits 70 s for a host that is not there; a person at a terminal should know sooner. */
export const NPM_FETCH_RETRIES = 2;
export const NPM_FETCH_RETRY_MIN_MS = 1 * SECOND;
export const NPM_FETCH_RETRY_MAX_MS = 2 * SECOND;
/** From TERM to KILL of an npm, uv or docker that is given up. */
export const TOOL_KILL_GRACE_MS = 2 * SECOND;
/** Fetches of one kind at once: each takes some 100 MB and a core. */
export const TOOL_RUNS_MAX = 2;
/** What is kept of a tool's output: its error is at the end. */
export const TOOL_OUTPUT_BYTES_MAX = 256 * KIB;

/** A repository of git with what its checkout holds: as a package, but known only while it comes. */
export const GIT_BYTES_MAX = 512 * MIB;
export const GIT_FILES_MAX = 50_000;
/** While it comes, its size is looked at this often: a fast line brings 50 MB in that time. */
export const GIT_SIZE_CHECK_MS = 500;

// — mcpd.lock —
/** Lists that are read together are compared with it together. */
export const AGREEMENTS_LOOK_MS = 200;

// — Updates —
/** What an update would change waits this long for a yes: a person reads the differences. Then the new version is removed again. */
export const UPDATE_AGREE_MS = 10 * MINUTE;
/** A replaced version is kept until the new one has answered a call well, and this long after: some faults show on the next day. */
export const KEPT_AFTER_PROOF_MS = 24 * 60 * MINUTE;
/** Entries of which an update tells how they differ; the others are counted. */
export const UPDATE_CHANGES_MAX = 200;
/** Of a value in such a difference: descriptions are read whole, schemas of usual size too. */
export const UPDATE_VALUE_CHARS_MAX = 4000;

/** Files of one package whose digest is kept: more than any server has with all that it needs. */
export const PACKAGE_FILES_MAX = 50_000;
/** Their bytes: beyond it, looking at them costs seconds each time. */
export const PACKAGE_BYTES_MAX = 1024 * MIB;

// — Watching —
/** Changes of a development folder are gathered this long before its server restarts. */
export const WATCH_DEBOUNCE_MS = 300;
export const WATCH_RESTARTS_PER_MINUTE_MAX = 20;
/** A folder that does not become quiet (a build, a log) is told of after this time all the same. */
export const WATCH_GATHER_MAX_MS = 3 * SECOND;
/** A watched folder is looked at this often: nothing tells that it was replaced by another of the same name. */
export const WATCH_ROOT_CHECK_MS = 1 * SECOND;
/** Where the system gives no more watches, files are looked at this often. */
export const WATCH_POLL_MS = 1 * SECOND;

// — Secrets —
/** The daemon's start waits this long for the keyring that has the key of the secrets, and then goes on without them until it answers. */
export const KEYRING_START_MS = 500;
/** Whatever needs secrets (a start of a server, `mcpd secret set`) waits this long for the keyring. A healthy one takes some milliseconds. */
export const KEYRING_ANSWER_MS = 3 * SECOND;
/** A keyring that is locked shows a person its dialog and waits; the program that asks is ended after this. The next need asks again. */
export const KEYRING_PROMPT_MS = 60 * SECOND;
/** Of what that program answers: a key of 44 letters, or an error of the system. */
export const KEYRING_ANSWER_CHARS_MAX = 8 * KIB;

// — CLI on a terminal —
/** A value of `mcpd secret set` from standard input: a key file has a few KiB, and a variable of a process cannot be much longer. */
export const SECRET_BYTES_MAX = 64 * KIB;
/** The live line of a step: smooth to the eye, nothing to the CPU. */
export const PROGRESS_REPAINT_MS = 100;
/** After Ctrl-C a command may tell the daemon and print its last words this long. */
export const INTERRUPT_GRACE_MS = 1 * SECOND;
/** One small program that the doctor or `boot` runs. */
export const SMALL_PROGRAM_TIMEOUT_MS = 10 * SECOND;

// — History —
export const HISTORY_BATCH_MS = 250;
export const HISTORY_BATCH_ROWS_MAX = 500;
/** Above this rate rows are sampled; counters stay exact. */
export const HISTORY_ROWS_PER_SECOND_MAX = 2000;
export const HISTORY_ROWS_KEPT = 100_000;
export const HISTORY_TRANSITIONS_KEPT = 20_000;
/** Rows given to the history worker and not yet written; beyond it rows are dropped and counted. About 5 s at the highest rate. */
export const HISTORY_QUEUE_ROWS_MAX = 10_000;
/** Of a tool name, URI or reason kept in a row: whoever sends a 10 MB URI does not fill the disk with it. */
export const HISTORY_TEXT_CHARS_MAX = 512;
/** History that switched itself off (full disk, dead worker) tries again after this time. */
export const HISTORY_RETRY_MS = 1 * MINUTE;
/** A daemon that starts asks for the highest number of a call, and waits so long for whoever holds the file: a curious person, a backup. */
export const HISTORY_NUMBER_WAIT_MS = 50;
/** One question to the history worker. */
export const HISTORY_QUERY_TIMEOUT_MS = 5 * SECOND;
/** Writing the last rows when the daemon stops; less than what its stop may take. */
export const HISTORY_CLOSE_TIMEOUT_MS = 2 * SECOND;
/** Without a row or a question for this long the history worker ends: a thread costs 6 MiB, its next start 40 ms on another core. */
export const HISTORY_IDLE_MS = 5 * SECOND;
/** JavaScript heap of the history worker: a batch and a page of rows fit several times. */
export const HISTORY_WORKER_HEAP_MIB = 24;
