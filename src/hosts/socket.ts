import { createServer, type Server, type Socket } from 'node:net';
import type { SessionId } from '../core/model.ts';
import { homeFault } from '../home.ts';
import { type HomeSocket, listenInHome } from '../home-socket.ts';
import { SESSIONS_MAX } from '../limits.ts';
import type { Bytes, RawId } from '../protocol/frame.ts';
import { type ConnectionOptions, HostConnection } from './connection.ts';
import type { MessageClass } from './outbox.ts';

export interface HostSocketOptions extends ConnectionOptions {
  /** Relative: the caller has changed into the home, since a long path would be cut silently. On Windows the name of a pipe. */
  socketName: string;
  sessionId(): SessionId;
}

/** The socket on which shims connect, and all their connections. */
export interface HostSocket {
  /**
   * Replaces what a dead daemon left; only the holder of the lock may call it. Bound when it returns, in service when it resolves.
   * @throws {McpdError} HOME_UNSAFE when something else lies there, HOME_UNWRITABLE, DISK_FULL, OUT_OF_FILES
   */
  listen(): Promise<void>;
  /** A line for one host, with or without newline; it leaves with the others of this turn, or at `flush`. Never waits. */
  send(session: SessionId, bytes: Bytes, kind: MessageClass, id: RawId | null): void;
  /** Writes now what was sent since the last turn. */
  flush(): void;
  close(session: SessionId, reason: string): void;
  sessions(): number;
  /** No new connections; shims hold new requests back for the next daemon while open ones are still answered. */
  drain(reason: 'stopping' | 'upgrade'): void;
  /** Ends all connections, after what waits was written or DAEMON_FLUSH_MS have passed. */
  stop(): Promise<void>;
}

export function createHostSocket(options: HostSocketOptions): HostSocket {
  const connections = new Map<SessionId, HostConnection>();
  /** Not a Set: clearing one many times a second leaves a chain of tables to the collector. */
  let touched: HostConnection[] = [];
  let flushPlanned = false;
  const untilEmpty: (() => void)[] = [];

  const flush = () => {
    flushPlanned = false;
    const flushed = touched;
    touched = [];
    for (const connection of flushed) connection.flush();
  };
  const accept = (socket: Socket) => {
    const session = options.sessionId();
    const full = connections.size >= SESSIONS_MAX;
    const connection = new HostConnection(socket, session, options, () => {
      connections.delete(session);
      if (connections.size === 0) for (const resolve of untilEmpty.splice(0)) resolve();
    });
    connections.set(session, connection);
    if (full) connection.refuse(`${SESSIONS_MAX} hosts are connected, and mcpd takes no more`);
  };
  const server = createServer(accept);
  let file: HomeSocket | null = null;

  return {
    listen: () =>
      bind(server, options.socketName, (bound) => {
        file = bound;
      }),
    send: (session, bytes, kind, id) => {
      const connection = connections.get(session);
      if (connection === undefined) return;
      connection.send(bytes, kind, id);
      if (!touched.includes(connection)) touched.push(connection);
      if (flushPlanned) return;
      flushPlanned = true;
      process.nextTick(flush);
    },
    flush,
    close: (session, reason) => connections.get(session)?.close(reason),
    sessions: () => [...connections.values()].filter((connection) => connection.open).length,
    drain: (reason) => {
      file?.close();
      for (const connection of connections.values()) connection.announce(reason);
    },
    stop: async () => {
      file?.close();
      flush();
      for (const connection of connections.values()) connection.end();
      if (connections.size > 0) await new Promise<void>((resolve) => untilEmpty.push(resolve));
    },
  };
}

// — internal —

function bind(server: Server, socketName: string, bound: (file: HomeSocket) => void): Promise<void> {
  const fault = (thrown: unknown) => homeFault(thrown, `mcpd cannot listen on ${socketName}`);
  return new Promise((resolve, reject) => {
    // Stays for good: out of file descriptors, accepting fails with an event, and the daemon lives on.
    server.on('error', (error) => reject(fault(error)));
    server.once('listening', resolve);
    try {
      bound(listenInHome(server, socketName));
    } catch (thrown) {
      reject(fault(thrown));
    }
  });
}
