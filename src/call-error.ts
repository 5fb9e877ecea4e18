import { type ErrorCode, McpdError } from './errors.ts';

/**
 * The error of an answer. Errors of servers come the same way as those of mcpd, so a server can claim a reason; but what a person is told
 * to try is never its words.
 */
export function callError(
  error: { code?: unknown; message?: unknown; data?: unknown },
  call: { target: string; server: string },
): McpdError {
  const reason = (error.data as { reason?: unknown } | null | undefined)?.reason;
  const known = typeof reason === 'string' && Object.hasOwn(REASONS, reason) ? REASONS[reason] : undefined;
  const [code, fix] = known ?? ['CALL_FAILED', (server: string) => `mcpd logs ${server}`];
  return new McpdError(code, {
    what: `the call of ${call.target} failed`,
    why: typeof error.message === 'string' ? error.message : `JSON-RPC error ${String(error.code)}`,
    fix: fix(call.server),
  });
}

// — internal —

type Advice = readonly [code: ErrorCode, fix: (server: string) => string];

const LOOK_FIRST = 'look whether it took effect before you call it again';

/** What `data.reason` of an error of mcpd is for a person. */
const REASONS: Readonly<Record<string, Advice>> = {
  'unknown-tool': ['TOOL_UNKNOWN', (server) => `mcpd tools ${server}`],
  'unknown-prompt': ['CALL_FAILED', (server) => `mcpd info ${server}`],
  'unknown-resource': ['CALL_FAILED', (server) => `mcpd info ${server}`],
  auth_required: ['SERVER_FAILED', (server) => `mcpd auth ${server}`],
  // The next login asks for what was refused last.
  insufficient_scope: ['CALL_FAILED', (server) => `mcpd auth ${server}`],
  header_refused: ['SERVER_FAILED', (server) => `mcpd info ${server}`],
  'daemon-unreachable': ['DAEMON_UNREACHABLE', () => 'mcpd doctor'],
  'daemon-lost': ['DAEMON_LOST', () => LOOK_FIRST],
  stopping: ['DAEMON_STOPPING', () => 'again in a moment'],
  disabled: ['SERVER_DISABLED', (server) => `mcpd enable ${server}`],
  manual: ['SERVER_MANUAL', (server) => `mcpd start ${server}`],
  down: ['SERVER_FAILED', (server) => `mcpd logs ${server}; then: mcpd start ${server}`],
  crashed: ['SERVER_EXITED', (server) => `mcpd logs ${server}; ${LOOK_FIRST}`],
  overloaded: ['SERVER_BUSY', () => 'again in a moment'],
  timeout: ['CALL_TIMEOUT', (server) => `mcpd set ${server} --timeout DURATION for more time`],
  'too-long': ['LINE_TOO_LONG', (server) => `ask for less, or: mcpd set ${server} --line-max SIZE`],
};
