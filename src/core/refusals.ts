import { INTERNAL_ERROR, INVALID_PARAMS, INVALID_REQUEST, METHOD_NOT_FOUND } from '../protocol/jsonrpc.ts';
import type { ExitReport, ServerLock } from './model.ts';

/**
 * Errors towards hosts: what happened, why, and what to try, in one message that a model or a person can act on; the same as members of
 * `data`, for programs.
 */
export interface Refusal {
  code: number;
  message: string;
  data: Record<string, unknown>;
}

export function unknownTarget(
  what: 'tool' | 'prompt' | 'resource' | 'server',
  name: string,
  hint: string | null,
): Refusal {
  return {
    code: INVALID_PARAMS,
    message: `unknown ${what} ${quoted(name)}${hint === null ? '' : `; ${hint}`}`,
    data: { reason: `unknown-${what}` },
  };
}

export function missingParam(method: string, param: string): Refusal {
  return {
    code: INVALID_PARAMS,
    message: `${method} needs params.${param} as a string`,
    data: { reason: 'missing-param', param },
  };
}

export function invalidParams(message: string): Refusal {
  return { code: INVALID_PARAMS, message, data: { reason: 'invalid-params' } };
}

export function unknownMethod(method: string): Refusal {
  return {
    code: METHOD_NOT_FOUND,
    message: `method not found: ${clipped(method)}`,
    data: { reason: 'unknown-method' },
  };
}

export function idInUse(id: string): Refusal {
  return {
    code: INVALID_REQUEST,
    message: `id ${clipped(id)} is still in use by an unanswered request`,
    data: { reason: 'id-in-use' },
  };
}

export function hostBusy(max: number): Refusal {
  return {
    code: INTERNAL_ERROR,
    message: `this host has ${max} open requests already; wait for some to be answered`,
    data: { reason: 'overloaded' },
  };
}

export function serverBusy(server: string, max: number): Refusal {
  return {
    code: INTERNAL_ERROR,
    message: `${server} has ${max} open requests already; nothing was sent to it, try again later`,
    data: { reason: 'overloaded', server, sent: false },
  };
}

export function serverFull(server: string): Refusal {
  return {
    code: INTERNAL_ERROR,
    message: `${server} does not read its input: the queue to it is full, and nothing of this call was sent`,
    data: { reason: 'overloaded', server, sent: false },
  };
}

export function watchesTooMany(max: number): Refusal {
  return {
    code: INTERNAL_ERROR,
    message: `this host watches ${max} resources already; unsubscribe from some first`,
    data: { reason: 'overloaded' },
  };
}

export function noSubscriptions(server: string): Refusal {
  return {
    code: METHOD_NOT_FOUND,
    message: `${server} has no resource subscriptions`,
    data: { reason: 'no-subscriptions', server },
  };
}

export function serverNotEnabled(server: string): Refusal {
  return {
    code: INTERNAL_ERROR,
    message: `${server} is disabled; to use it: mcpd enable ${server}`,
    data: { reason: 'disabled', server, sent: false, fix: `mcpd enable ${server}` },
  };
}

export function serverIsManual(server: string): Refusal {
  return {
    code: INTERNAL_ERROR,
    message: `${server} is started by hand only and is not running; to start it: mcpd start ${server}`,
    data: { reason: 'manual', server, sent: false, fix: `mcpd start ${server}` },
  };
}

/** A call that was never sent, because the server does not come up. */
export function notStarted(server: string, reason: string, exit: ExitReport | null, nextInMs: number | null): Refusal {
  const next = nextInMs === null ? '' : `; its next start is due in ${Math.ceil(nextInMs / 1000)} s`;
  return {
    code: INTERNAL_ERROR,
    message: `${server} is not running: ${reason}${next}. Nothing was sent to it. See: mcpd logs ${server}${tail(exit)}`,
    data: {
      reason: 'down',
      server,
      sent: false,
      cause: reason,
      stderr: exit?.stderrTail ?? [],
      fix: `mcpd start ${server}`,
    },
  };
}

/** A call that was sent to a process which is gone: it may have been carried out. */
export function outcomeUnknown(server: string, exit: ExitReport): Refusal {
  return {
    code: INTERNAL_ERROR,
    message: `${server} ended during the call (${exit.cause}): the outcome is unknown, it may have been carried out; mcpd does not send it again${tail(exit)}`,
    data: {
      reason: 'crashed',
      server,
      sent: true,
      outcome: 'unknown',
      cause: exit.cause,
      code: exit.code,
      signal: exit.signal,
      stderr: exit.stderrTail,
    },
  };
}

export function callTimedOut(server: string, ms: number): Refusal {
  return {
    code: INTERNAL_ERROR,
    message: `${server} gave no sign of life for ${ms / 1000} s on this call; it was cancelled, the outcome is unknown`,
    data: { reason: 'timeout', server, sent: true, outcome: 'unknown', timeoutMs: ms },
  };
}

export function callTooLong(server: string, ms: number): Refusal {
  return {
    code: INTERNAL_ERROR,
    message: `this call of ${server} took more than ${Math.round(ms / 60_000)} min in all; it was cancelled, the outcome is unknown`,
    data: { reason: 'timeout', server, sent: true, outcome: 'unknown', timeoutMs: ms },
  };
}

export function answerTooLong(server: string, bytes: number, max: number): Refusal {
  const mib = (n: number) => `${Math.round(n / 1024 / 1024)} MiB`;
  return {
    code: INTERNAL_ERROR,
    message: `${server} answered with ${mib(bytes)}, over the limit of ${mib(max)} for one message; the call was carried out, its result was dropped. Ask for less, or raise the limit: mcpd set ${server} --line-max`,
    data: { reason: 'too-long', server, bytes, limitBytes: max },
  };
}

export function unreadableAnswer(server: string, why: string): Refusal {
  return {
    code: INTERNAL_ERROR,
    message: `${server} answered with a message that is not valid (${why}); the call was carried out, its result was dropped`,
    data: { reason: 'invalid-answer', server, outcome: 'unknown' },
  };
}

/** A method without a name that several servers have. */
export function severalHave(method: string, servers: readonly string[]): Refusal {
  return {
    code: INTERNAL_ERROR,
    message: `several servers have ${method} (${servers.join(', ')}), and mcpd does not merge them; ask each of them by its own address, /mcp/s/NAME, or read the resources that they list`,
    data: { reason: 'several-servers', servers },
  };
}

/** A call failed for want of what a modern host has to declare with its request; it may do so and call again. */
export function capabilityMissing(server: string, capability: string): Refusal {
  const [name = '', part] = capability.split('.');
  return {
    code: MISSING_CAPABILITY,
    message: `${server} cannot do this without ${capability}, which this request does not declare`,
    data: { requiredCapabilities: { [name]: part === undefined ? {} : { [part]: {} } } },
  };
}

/** A remote server lets nobody in before a person has acted. */
export function letsNobodyIn(server: string, { because, reason, fix }: ServerLock): Refusal {
  const [says, word, toOpen] =
    because === 'login-wanted'
      ? ['needs a login', 'auth_required', 'to log in']
      : ['does not let mcpd in', 'header_refused', 'to give it another one'];
  return {
    code: INTERNAL_ERROR,
    message: `${server} ${says}: ${reason}. Nothing was sent to it; ${toOpen}: ${fix}`,
    data: { reason: word, server, sent: false, fix },
  };
}

export function unsupportedRevision(requested: string, supported: readonly string[]): Refusal {
  const message = `protocol revision ${clipped(requested)} is not served`;
  return { code: UNSUPPORTED_REVISION, message, data: { supported, requested } };
}

export function daemonStopping(): Refusal {
  return {
    code: INTERNAL_ERROR,
    message: 'mcpd is stopping; nothing was sent, try again in a moment',
    data: { reason: 'stopping', sent: false },
  };
}

export function unknownLevel(level: unknown): Refusal {
  return invalidParams(`params.level must be one of MCP's, not ${clipped(JSON.stringify(level) ?? 'missing')}`);
}

/** What a host wrote, as an error quotes it. */
export function clipped(text: string): string {
  return text.length <= SHOWN_CHARS_MAX ? text : `${text.slice(0, SHOWN_CHARS_MAX)}…`;
}

// — internal —

/** The specification's own codes: by the first a host picks another revision, by the second it declares more if it can. */
const UNSUPPORTED_REVISION = -32_022;
const MISSING_CAPABILITY = -32_021;
/** Of what a host wrote, in an error: it knows the rest. */
const SHOWN_CHARS_MAX = 200;

function quoted(text: string): string {
  return JSON.stringify(clipped(text));
}

function tail(exit: ExitReport | null): string {
  if (exit === null || exit.stderrTail.length === 0) return '';
  return `\nits last lines on stderr:\n${exit.stderrTail.slice(-5).join('\n')}`;
}
