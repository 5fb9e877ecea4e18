/**
 * Every wait, queue, buffer and retry between hosts and servers has its bound here, with its unit in the name and its reason beside it; for
 * input during a call and tasks see input-limits.ts, for the door by HTTP http-limits.ts, for servers elsewhere remote-limits.ts, for mcpd
 * itself operation-limits.ts.
 */

const KIB = 1024;
const MIB = 1024 * KIB;
const SECOND = 1000;
const MINUTE = 60 * SECOND;

// — Lines and messages —
/** A line of a server. Above it, that message alone fails; 64 MiB lets a 50 MB result through and bounds memory. Settable per server. */
export const SERVER_LINE_BYTES_MAX = 64 * MIB;
/** A line of a host: requests are small; 16 MiB leaves room for inlined files. */
export const HOST_LINE_BYTES_MAX = 16 * MIB;
/** Messages in one batch. No host needs more at once than it may have open. */
export const BATCH_ELEMENTS_MAX = 1000;
/** Answers to one batch, which are kept until all are there; one that is longer may be there alone. As much as may wait for a slow host. */
export const BATCH_ANSWERS_BYTES_MAX = 16 * MIB;
/** Nesting that the scanner accepts: deeper JSON breaks parsers further on. */
export const JSON_DEPTH_MAX = 256;
/** Below this size a rewritten message becomes one buffer: one copy costs less than several iovecs. */
export const COALESCE_BYTES_MAX = 64 * KIB;
/** Results up to this size are searched for URIs that hosts know under another name; beyond it they pass as they are. */
export const RESULT_URIS_BYTES_MAX = 1 * MIB;
/** Pieces up to here are copied together for a write. Longer ones are not: at 30 KB two buffers cost a third of the copy, below 4 KB more. */
export const COPIED_BYTES_MAX = 8 * KIB;
/** What is kept of a line that is not a message, for the log. */
export const NOISE_SAMPLE_BYTES = 512;

// — Queues —
/** Answers waiting for one host that does not read. One frame more may be in flight; then answers become small errors. */
export const HOST_QUEUE_BYTES_MAX = 16 * MIB;
/** Small errors in place of such answers. A host that writes for ever and never reads is closed above this. */
export const HOST_REFUSALS_BYTES_MAX = 1 * MIB;
/** Requests waiting in one server's stdin. Beyond it calls are refused as busy. */
export const SERVER_QUEUE_BYTES_MAX = 32 * MIB;
/** Open requests of one host. */
export const HOST_OPEN_REQUESTS_MAX = 1000;
/** Resources that one host may watch at once, by subscriptions and listens together. */
export const HOST_SUBSCRIPTIONS_MAX = 1000;
/** Open requests towards one server, started or waiting for its start. */
export const SERVER_OPEN_REQUESTS_MAX = 256;
/** Hosts connected at once: far above any desktop, far below the file descriptor limit. */
export const SESSIONS_MAX = 512;

// — Starting —
/** From spawn to a finished handshake. Time in the start queue does not count. Settable per server. */
export const START_TIMEOUT_MS = 30 * SECOND;
/** How long the era probe may stay unanswered before `initialize` is sent on the same pipe. */
export const PROBE_TIMEOUT_MS = 3 * SECOND;
/** The same for a server that was modern when it last ran: it is slow, and hardly old. */
export const PROBE_REMEMBERED_TIMEOUT_MS = 10 * SECOND;
/** The second start of a trial, which only looks for more tools, is given up sooner. */
export const COMPARE_TIMEOUT_MS = 10 * SECOND;
/** One list request while the lists are read. */
export const LIST_TIMEOUT_MS = 15 * SECOND;
/** A server in its first second uses the CPU; afterwards it waits for something and frees its start slot. */
export const START_SLOT_HELD_MS = 1 * SECOND;
/** Start slots: at least this many, or twice the cores. */
export const START_SLOTS_MIN = 4;
/** Spawn errors of the moment (EMFILE, EAGAIN, ENOMEM) are tried again this often before they count as a failed start. */
export const SPAWN_RETRIES_MAX = 3;
export const SPAWN_RETRY_MS = 500;

// — Restarting (promise R5) —
export const RESTART_DELAY_FIRST_MS = 1 * SECOND;
export const RESTART_DELAY_MAX_MS = 60 * SECOND;
/** Jitter of the delay, as a share to both sides. */
export const RESTART_JITTER = 0.2;
/** Up this long counts as healthy: the counter of unstable starts is reset. */
export const STABLE_UPTIME_MS = 60 * SECOND;
/** So many unstable starts within the window end in `failed`. */
export const UNSTABLE_STARTS_MAX = 5;
export const UNSTABLE_WINDOW_MS = 5 * MINUTE;
/** A failed server gets one trial by a call in this time; a person may start it always. */
export const FAILED_TRIAL_EVERY_MS = 10 * MINUTE;
/** A call waits for a server in backoff when its next start is this near; else it is refused with the reason. */
export const BACKOFF_WAIT_MAX_MS = 4 * SECOND;
/** Exit reports kept per server. */
export const EXITS_KEPT = 20;

// — Stopping (promise R8) —
export const DRAIN_MS = 10 * SECOND;
export const STOP_STDIN_GRACE_MS = 2 * SECOND;
export const STOP_TERM_GRACE_MS = 3 * SECOND;
export const STOP_SWEEP_MS = 1 * SECOND;
/** The container of a server whose engine's client has ended: removed by force, which an engine does at once unless it hangs. */
export const CONTAINER_END_MS = 5_000;
/** After an exit nobody asked for, leftovers of its group have this long to end by themselves and what is still in its pipes is read: calls fail within a second. */
export const EXIT_DRAIN_MS = 200;
/** While processes of a stopping server are left, they are looked for this often. */
export const SWEEP_EVERY_MS = 100;
/** After the daemon was killed, its guardian leaves the groups this long between TERM and KILL (whole seconds: POSIX sleep knows no others). */
export const GUARDIAN_TERM_GRACE_MS = 2 * SECOND;
/** A guardian that died is started again after this time. */
export const GUARDIAN_RESTART_MS = 500;
/** A daemon looks for leftovers of an earlier one, and then starts servers, this long after it listens: a host that waited for it comes first. */
export const REAP_DELAY_MS = 200;
/** Leftovers of an earlier daemon: from TERM to KILL, and from KILL until they are given up. In all below five seconds (promise R9). */
export const REAP_TERM_GRACE_MS = 2 * SECOND;
export const REAP_KILL_MS = 2 * SECOND;
/** Idle time after the last call before an on-demand server is stopped. */
export const IDLE_STOP_MS = 15 * MINUTE;
/** A server that was started for its lists alone is stopped so soon after it told them. */
export const REST_AFTER_LISTING_MS = 1 * SECOND;
/** What is still written to hosts when the daemon stops. */
export const DAEMON_FLUSH_MS = 500;

// — Calls —
/** Without a sign of life; progress counts as one. Settable per server. */
export const CALL_TIMEOUT_MS = 10 * MINUTE;
/** In all, progress or not. */
export const CALL_TOTAL_MS = 60 * MINUTE;
/** Ids of given-up requests whose late answers are still known as such; a server need not answer what was cancelled. */
export const ABANDONED_IDS_KEPT = 256;
/** Progress notices passed on per token and second. */
export const PROGRESS_PER_SECOND_MAX = 20;

// — Lists —
export const LIST_PAGES_MAX = 100;
export const LIST_ENTRIES_MAX = 1000;
export const LIST_BYTES_MAX = 8 * MIB;
/** A server that was started for a call reads its lists again afterwards: when no call is open, looked at so often, and at the latest after the second time. */
export const LEARN_QUIET_MS = 250;
export const LEARN_DELAY_MAX_MS = 5 * SECOND;
/** Notices of a server are gathered this long before its list is read again, and it is not read more often than the second says. */
export const LIST_CHANGED_GATHER_MS = 100;
export const LIST_REREAD_EVERY_MS = 1 * SECOND;
/** A list that could not be read is asked for again while the server runs: what is behind it (a database) may come back. */
export const LIST_RETRY_MS = 1 * MINUTE;
/** Findings kept of one list: a thousand odd entries are told by the first few and their number. */
export const LIST_FINDINGS_KEPT = 20;
/** A server's answer to the handshake: name, capabilities and instructions, all kept in the registry. */
export const GREETING_BYTES_MAX = 1 * MIB;
/** After a notice, a list that has not changed is read once more: some servers announce before the change is visible. */
export const LIST_RECHECK_MS = 600;
/** list_changed notices to hosts, gathered so long, and not sent more often than the second says. */
export const HOST_NOTICE_GATHER_MS = 60;
export const HOST_NOTICE_EVERY_MS = 1 * SECOND;
/** A modern server that ended mcpd's listen is asked for its notices again after this time. */
export const LISTEN_AGAIN_MS = 5 * SECOND;
/** Log messages and resource updates of one server passed on to hosts per second; the rest is dropped and counted. */
export const SERVER_NOTICES_PER_SECOND_MAX = 200;
/** Exposed names: hosts put `mcp__mcpd__` before them and stop at 60 or 64. */
export const EXPOSED_NAME_MAX = 48;
/** Merged instructions of all servers. */
export const INSTRUCTIONS_BYTES_MAX = 16 * KIB;
/** `ttlMs` of lists towards modern hosts: mcpd announces changes, so a minute is a fallback only. */
export const LIST_TTL_MS = 60 * SECOND;

// — Health (promise R16) —
export const HEALTH_PROBE_EVERY_MS = 30 * SECOND;
export const HEALTH_PROBE_TIMEOUT_MS = 10 * SECOND;
export const HEALTH_MISSES_MAX = 3;
/** One scan of all processes for memory and descendants. */
export const PROCESS_SCAN_EVERY_MS = 5 * SECOND;
/** A scan gives way to other work after this time: a call that comes meanwhile waits no longer. */
export const PROCESS_SCAN_SLICE_MS = 1;
/** Where a scan is a run of `ps`. */
export const PS_TIMEOUT_MS = 5 * SECOND;
/** A command line shown in `ps --tree`. */
export const COMMAND_SHOWN_CHARS = 400;
/** Whole process tree of one server. The soft limit recycles it when idle, the hard limit kills it. Settable per server. */
export const MEMORY_SOFT_BYTES = 1024 * MIB;
export const MEMORY_HARD_BYTES = 2048 * MIB;
/** A server over its soft limit that is at work is looked at again after this time. */
export const RECYCLE_RETRY_MS = 5 * SECOND;

// — Logs (promise R15) —
export const LOG_LINE_BYTES_MAX = 16 * KIB;
export const LOG_FILE_BYTES_MAX = 10 * MIB;
export const LOG_FILES_KEPT = 5;
export const LOG_MEMORY_LINES = 200;
/** The same lines in bytes: 200 long ones of 50 servers would be 160 MiB. */
export const LOG_MEMORY_BYTES_MAX = 256 * KIB;
/** Lines of a log are gathered this long, or to this size, for one write: at a daemon's start each of fifty servers has something to say. */
export const LOG_GATHER_MS = 50;
export const LOG_GATHER_BYTES = 64 * KIB;
/** A line without its newline, or the count of a repeated line, is written after this time: a prompt must be seen. */
export const LOG_SETTLE_MS = 1 * SECOND;
/** After a failed write (full disk) the log file is tried again no sooner than this. */
export const LOG_RETRY_MS = 5 * SECOND;
/** One reading of past lines. */
export const LOG_READ_LINES_MAX = 10_000;
export const LOG_READ_BYTES_MAX = 16 * MIB;
/**
 * Values shorter than this are no secrets (`true`, `5432`), and words of mcpd and of servers are as short: masking them would make logs
 * unreadable and guessing them would take minutes. A longer value is masked wherever it stands, also inside of a word.
 */
export const SECRET_MASKED_CHARS_MIN = 6;
/** Unwritten log bytes of one server; beyond it lines are dropped and counted. */
export const LOG_QUEUE_BYTES_MAX = 1 * MIB;
/** Lines of stderr shown in an error. */
export const STDERR_TAIL_LINES = 20;

// — Registry —
/** Another program (a backup, a curious person) may hold registry.db this long; the daemon waits inside a write, so it stays short. */
export const REGISTRY_BUSY_MS = 500;
/** Up to this size the whole file is checked at each start: about 1 ms per MiB, and every damage is found before it spreads. */
export const REGISTRY_CHECK_BYTES_MAX = 8 * MIB;
/** Exposed names kept of one server: four full lists five times over. A server that renames its tools for ever loses its oldest. */
export const EXPOSED_NAMES_KEPT_PER_SERVER = 20_000;

// — Servers' environment —
/** File mode mask of servers: the usual one. The daemon's own, 077, would give a person's project files only he can read. */
export const SERVER_UMASK = 0o022;
export const LOGIN_SHELL_TIMEOUT_MS = 1500;
/** A profile that is too slow twice is too slow: then the daemon's own PATH and the usual folders serve. */
export const LOGIN_SHELL_TRIES_MAX = 2;

// — Shim —
/** A shim without daemon answers each request with the cause after this time. */
export const RECONNECT_TIMEOUT_MS = 10 * SECOND;
export const RECONNECT_EVERY_MS = 50;
/** In its first second a shim looks this often: a daemon is there after some 100 ms, and looking costs one system call. */
export const RECONNECT_FIRST_EVERY_MS = 5;
export const RECONNECT_FIRST_MS = 1 * SECOND;
/** A shim for whom nobody waits looks for a daemon this often. */
export const RECONNECT_IDLE_MS = 1 * SECOND;
/** After the host closed stdin, open requests may still be answered this long. */
export const SHIM_LINGER_MS = 2 * SECOND;
/** Bytes a shim holds while no daemon is there; beyond it the host's pipe is paused. */
export const SHIM_HELD_BYTES_MAX = 16 * MIB;
/** Bytes a shim holds for a daemon that is there but does not read; small, so that the host feels it soon. */
export const SHIM_QUEUE_BYTES_MAX = 1 * MIB;
/** A shim keeps a request up to this length while it is under way, in case that a daemon which stops has not sent it. */
export const SHIM_KEPT_LINE_BYTES_MAX = 16 * KIB;
/** One write of a shim or to a host takes about this much; a longer line goes alone. */
export const WRITE_BATCH_BYTES = 64 * KIB;
/** Questions of servers that may wait at one host; the shim refuses further ones, so that what it remembers of them stays small. */
export const SHIM_QUESTIONS_MAX = 1000;
/** A shim whose daemon ended at once starts another after this time, then after twice as long, and so on. */
export const SHIM_RESPAWN_FIRST_MS = 1 * SECOND;
export const SHIM_RESPAWN_MAX_MS = 10 * SECOND;
/** Daemons of one shim that failed in a row: then its requests are answered with the reason at once. */
export const SHIM_FAILED_STARTS_MAX = 2;
/** A shim leaves a newer mcpd that takes over this long before it starts its own. */
export const UPGRADE_GRACE_MS = 5 * SECOND;
/**
 * For V8 in the daemon. It sets them itself: options on the command line make Node compile its own modules anew, 15 ms of each start.
 * The young generation stays as small as it begins: free to grow it took up to 30 MiB more and collected in pauses ten times as long;
 * calls cost the same. (V8 sets that option back whenever a thread makes a heap, so the daemon sets it again then.) The whole heap
 * may grow to one and a half times what lives in it before it is marked; by its own rule V8 lets it grow to three times and more.
 */
export const DAEMON_HEAP_OPTIONS: readonly string[] = ['--semi-space-growth-factor=1', '--heap-growing-percent=50'];
/**
 * While large messages pass, to two and a half times: V8 counts their bytes in it, and would mark it for nearly each answer of 10 MB,
 * which doubles what such an answer costs.
 */
export const LARGE_MESSAGES_HEAP_OPTION = '--heap-growing-percent=150';
/** A call is one with large messages when its request and its answer have so many bytes. */
export const LARGE_MESSAGES_BYTES = 256 * KIB;
/** An idle daemon gives memory back: it looks at its heap so often, … */
export const IDLE_HEAP_LOOK_MS = 2 * SECOND;
/** … is idle when so many looks in a row … */
export const IDLE_HEAP_LOOKS = 3;
/** … saw no more events than this (a few come from its own timers and from probes of quiet servers), … */
export const IDLE_HEAP_EVENTS_MAX = 20;
/** … and collects when V8 holds so much more than after the last time. */
export const IDLE_HEAP_WORTH_BYTES = 2 * MIB;
/** For its process: one heap of the C library (glibc) in the place of one for each thread, which saves 3 MiB. Servers do not get it. */
export const DAEMON_ENVIRONMENT: Readonly<Record<string, string>> = { MALLOC_ARENA_MAX: '1' };
/** A connection to the host socket must say who it is within this time. */
export const HELLO_TIMEOUT_MS = 5 * SECOND;
/** The hello repeats the params of `initialize`, a host's line, as a JSON string. */
export const HELLO_BYTES_MAX = 2 * HOST_LINE_BYTES_MAX;
/** A control line after the hello. */
export const CONTROL_LINE_BYTES_MAX = 16 * KIB;
/** The id of a broken request, in a control line; as JSON in JSON it may grow six times. A longer one is answered without an id. */
export const NOISE_ID_CHARS_MAX = 2 * KIB;
/** The end of the daemon's start log that an error quotes. */
export const START_LOG_TAIL_BYTES = 4 * KIB;
