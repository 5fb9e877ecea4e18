import type { DaemonStatus, ErrorBody, ShutdownRequest } from '../api/contract.ts';
import { fromReport, McpdError } from '../errors.ts';
import { CONTROL_ANSWER_BYTES_MAX, CONTROL_ANSWER_MS, CONTROL_COMMAND_MS } from '../operation-limits.ts';
import type { Paths } from '../paths.ts';
import { CONTROL_PROTOCOL } from '../version.ts';
import { type Answer, type Ask, exchange } from './exchange.ts';

/** Asks the daemon of one home. Holds no connection: each request has its own, so a restarted daemon is found again. */
export class DaemonClient {
  private readonly paths: Paths;

  constructor(paths: Paths) {
    this.paths = paths;
  }

  /**
   * One answer of the control API.
   * @throws {McpdError} as the daemon reported it, or as `exchange` does, or DAEMON_OLDER / DAEMON_NEWER when it speaks another protocol
   */
  async request<T>(method: Ask['method'], path: string, body?: unknown): Promise<T> {
    const answer = await this.ask({ method, path, body, timeoutMs: answerTimeoutMs(method, path) });
    return JSON.parse(await textOf(answer)) as T;
  }

  /**
   * An answer of several lines, one JSON value each; ends with the answer, or quietly when `signal` is aborted.
   * @throws {McpdError} as `request`; DAEMON_LOST in the middle when the daemon goes away
   */
  async *lines<T>(method: 'GET' | 'POST', path: string, body: unknown, signal: AbortSignal): AsyncGenerator<T, void> {
    const answer = await this.ask({ method, path, body, timeoutMs: null, signal });
    for await (const line of linesOf(answer.body)) yield JSON.parse(line) as T;
  }

  /** Also of a daemon that speaks another protocol: it may be there to be replaced. */
  async status(): Promise<DaemonStatus> {
    const ask: Ask = { method: 'GET', path: '/api/status', timeoutMs: CONTROL_ANSWER_MS };
    return JSON.parse(await textOf(await checked(await exchange(this.paths, ask)))) as DaemonStatus;
  }

  /** The daemon drains and stops. Resolves when it has agreed. Any protocol, as `status`. */
  async shutdown(request: ShutdownRequest): Promise<void> {
    const ask: Ask = { method: 'POST', path: '/api/shutdown', body: request, timeoutMs: CONTROL_ANSWER_MS };
    await textOf(await checked(await exchange(this.paths, ask)));
  }

  private async ask(ask: Ask): Promise<Answer> {
    const answer = await exchange(this.paths, ask);
    if (ask.signal?.aborted !== true) checkProtocol(answer);
    return checked(answer);
  }
}

// — internal —

const LINE_FEED = 10;

/** What is answered from memory comes soon; what waits for a server has a bound of its own; installs and downloads end themselves. */
function answerTimeoutMs(method: Ask['method'], path: string): number | null {
  if (path.startsWith('/api/search?') || path === '/api/registries/standings') return CONTROL_COMMAND_MS; // it waits for other machines
  if (method === 'GET') return CONTROL_ANSWER_MS;
  return path.startsWith('/api/servers/') ? CONTROL_COMMAND_MS : null;
}

function checkProtocol(answer: Answer): void {
  const protocol = Number(answer.headers.get('mcpd-protocol') ?? 0);
  if (protocol === CONTROL_PROTOCOL) return;
  const newer = protocol > CONTROL_PROTOCOL;
  throw new McpdError(newer ? 'DAEMON_NEWER' : 'DAEMON_OLDER', {
    what: `the running daemon is ${newer ? 'newer' : 'older'} than this mcpd, and they cannot talk`,
    why: `it speaks version ${protocol} of the control protocol, this mcpd speaks ${CONTROL_PROTOCOL}`,
    fix: newer ? 'use the mcpd that started it, or update this one' : 'mcpd restart',
  });
}

async function checked(answer: Answer): Promise<Answer> {
  if (answer.status < 400 || answer.status === 0) return answer;
  throw errorOf(await textOf(answer), answer.status);
}

function errorOf(text: string, status: number): McpdError {
  try {
    const { error } = JSON.parse(text) as Partial<ErrorBody>;
    if (typeof error?.code === 'string' && typeof error.what === 'string') return fromReport(error);
  } catch {
    // Not the daemon's own words; the status is all there is.
  }
  return new McpdError('INTERNAL', { what: 'the daemon could not answer', why: `status ${status}` });
}

async function textOf(answer: Answer): Promise<string> {
  const parts: Buffer[] = [];
  let size = 0;
  for await (const part of answer.body) {
    size += part.length;
    if (size > CONTROL_ANSWER_BYTES_MAX) throw tooLarge();
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

async function* linesOf(body: AsyncIterable<Buffer>): AsyncGenerator<string, void> {
  let held: Buffer[] = [];
  let size = 0;
  for await (const part of body) {
    let start = 0;
    for (let end = part.indexOf(LINE_FEED); end !== -1; end = part.indexOf(LINE_FEED, start)) {
      yield Buffer.concat([...held, part.subarray(start, end)]).toString('utf8');
      held = [];
      size = 0;
      start = end + 1;
    }
    const rest = part.subarray(start);
    size += rest.length;
    if (size > CONTROL_ANSWER_BYTES_MAX) throw tooLarge();
    if (rest.length > 0) held.push(rest);
  }
}

function tooLarge(): McpdError {
  return new McpdError('DAEMON_LOST', { what: `the daemon's answer is larger than ${CONTROL_ANSWER_BYTES_MAX} bytes` });
}
