import { lstatSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { join } from 'node:path';
import { errnoOf, McpdError } from '../errors.ts';
import { homeFault, insideHome } from '../home.ts';
import type { Paths } from '../paths.ts';
import { ResponseReader } from './response.ts';

export interface Ask {
  method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  /** With its query. */
  path: string;
  /** Sent as JSON. */
  body?: unknown;
  /** From now to the last byte; null when only the end of the connection ends it. */
  timeoutMs: number | null;
  /** Ends the exchange; the answer then ends as if it were complete. */
  signal?: AbortSignal;
}

export interface Answer {
  status: number;
  headers: ReadonlyMap<string, string>;
  /** @throws {McpdError} DAEMON_LOST when the daemon went away before the end, DAEMON_UNREACHABLE when the time is over */
  body: AsyncIterable<Buffer>;
}

/**
 * One request to the daemon over api.sock. Resolves when the head of the answer is there.
 * @throws {McpdError} DAEMON_UNREACHABLE when no daemon listens or it hangs, DAEMON_LOST when it went away, HOME_UNSAFE
 */
export async function exchange(paths: Paths, ask: Ask): Promise<Answer> {
  const socket = await open(paths);
  const bounded = bound(socket, ask);
  socket.write(requestOf(ask));
  const reader = new ResponseReader();
  const parts = partsOf(socket, reader, bounded);
  const first = await parts.next();
  return {
    status: reader.status,
    headers: reader.headers,
    body: withFirst(first, parts),
  };
}

/** Is there nobody to talk to, as opposed to somebody who fails? */
export function isAbsent(thrown: unknown): boolean {
  return thrown instanceof McpdError && thrown.code === 'DAEMON_UNREACHABLE' && ABSENT.has(errnoOf(thrown.cause) ?? '');
}

// — internal —

/** No home, no socket file, or nobody behind it. */
const ABSENT = new Set(['ENOENT', 'ECONNREFUSED', 'ENOTDIR']);

function open(paths: Paths): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const failed = (thrown: unknown) => {
      if (!ABSENT.has(errnoOf(thrown) ?? '')) {
        reject(homeFault(thrown, `the daemon of ${paths.home} cannot be reached`));
        return;
      }
      const what = `no daemon runs for ${paths.home}`;
      reject(new McpdError('DAEMON_UNREACHABLE', { what, fix: 'mcpd up' }, { cause: thrown }));
    };
    try {
      checkOwner(paths);
      const socket = insideHome(paths.home, () => connect(paths.apiSocket));
      socket.once('error', failed);
      socket.once('connect', () => {
        socket.off('error', failed);
        // The reading loop is told of errors too; one that comes after it is nobody's.
        socket.on('error', () => undefined);
        resolve(socket);
      });
    } catch (thrown) {
      failed(thrown);
    }
  });
}

/** A socket that somebody else put there would read what is sent to it. */
function checkOwner(paths: Paths): void {
  if (process.getuid === undefined) return;
  const stats = lstatSync(join(paths.home, paths.apiSocket));
  if (stats.isSocket() && stats.uid === process.getuid()) return;
  throw new McpdError('HOME_UNSAFE', {
    what: `${paths.apiSocket} in ${paths.home} is not a socket of this user`,
    why: stats.isSocket() ? `it belongs to user ${stats.uid}` : 'it is another kind of file',
    fix: 'look at it, and move it away',
  });
}

function requestOf(ask: Ask): Buffer {
  const body = ask.body === undefined ? null : Buffer.from(JSON.stringify(ask.body));
  const head = [`${ask.method} ${ask.path} HTTP/1.1`, 'host: mcpd', 'connection: close'];
  if (body !== null || ask.method === 'POST' || ask.method === 'PATCH') {
    head.push('content-type: application/json', `content-length: ${body?.length ?? 0}`);
  }
  return Buffer.concat([Buffer.from(`${head.join('\r\n')}\r\n\r\n`), body ?? Buffer.alloc(0)]);
}

interface Bounded {
  aborted: () => boolean;
  timedOut: () => boolean;
  release: () => void;
}

/** Destroying the socket ends the reading loop; why it was destroyed is asked afterwards. */
function bound(socket: Socket, ask: Ask): Bounded {
  let timedOut = false;
  const end = () => socket.destroy();
  const timer = ask.timeoutMs === null ? null : setTimeout(expire, ask.timeoutMs);
  ask.signal?.addEventListener('abort', end, { once: true });
  if (ask.signal?.aborted === true) end();
  function expire() {
    timedOut = true;
    end();
  }
  return {
    aborted: () => ask.signal?.aborted === true,
    timedOut: () => timedOut,
    release: () => {
      if (timer !== null) clearTimeout(timer);
      ask.signal?.removeEventListener('abort', end);
      socket.destroy();
    },
  };
}

/** The first value comes with the head: an empty part. */
async function* partsOf(socket: Socket, reader: ResponseReader, bounded: Bounded): AsyncGenerator<Buffer, void> {
  try {
    let headGiven = false;
    for await (const bytes of chunksOf(socket)) {
      const parts = reader.push(bytes);
      if (!headGiven && reader.stage !== 'head') {
        headGiven = true;
        yield Buffer.alloc(0);
      }
      yield* parts;
      if (reader.stage === 'complete') return;
    }
    reader.end();
    if (reader.stage === 'complete' || bounded.aborted()) return;
    throw bounded.timedOut() ? hung() : lost();
  } finally {
    bounded.release();
  }
}

async function* chunksOf(socket: Socket): AsyncGenerator<Buffer, void> {
  try {
    for await (const bytes of socket) yield bytes as Buffer;
  } catch {
    // Reset, or destroyed by us: the same as an end that came too early, and told as that.
  }
}

async function* withFirst(
  first: IteratorResult<Buffer, void>,
  rest: AsyncGenerator<Buffer, void>,
): AsyncGenerator<Buffer, void> {
  if (first.done !== true) yield* rest;
}

function hung(): McpdError {
  return new McpdError('DAEMON_UNREACHABLE', {
    what: 'the daemon does not answer',
    why: 'it accepted the request and then said nothing in time',
    fix: 'mcpd down && mcpd up',
  });
}

function lost(): McpdError {
  return new McpdError('DAEMON_LOST', {
    what: 'the daemon went away before it had answered',
    why: 'it was stopped, it crashed, or it had no patience left with a slow reader; what was asked may have been done or not',
    fix: 'mcpd status',
  });
}
