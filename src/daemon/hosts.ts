import { randomBytes } from 'node:crypto';
import { HttpFront } from '../hosts/http/front.ts';
import { createHostSocket } from '../hosts/socket.ts';
import { VERSION } from '../version.ts';
import type { Parts } from './parts.ts';
import type { Edges } from './runtime.ts';
import { ToolHeaders } from './tool-headers.ts';
import type { Tries } from './trying.ts';

/** Both doors of hosts, the socket of shims and HTTP; and those that last a try. */
export interface Hosts {
  /** For the runtime: a message goes to the door by which its session came. */
  edge: Edges['hosts'];
  http: HttpFront;
  /** Loaded with the first try: nothing for an idle daemon. */
  tries(): Promise<Tries>;
  /** Bound when it returns, in service when it resolves. @throws {McpdError} HOME_UNWRITABLE */
  listen(): Promise<void>;
  drain(reason: 'stopping' | 'upgrade'): void;
  stop(): Promise<void>;
}

/** Names of sessions begin so; what is behind it counts them. */
const BY_SOCKET = 's';
const BY_HTTP = 'h';
/** Not counted: a page may still answer what a try of the daemon before this one asked. */
const BY_TRY = 't';

export function createHosts(
  parts: Pick<Parts, 'paths' | 'gateway' | 'clients' | 'now'>,
  generation: string,
  report: Report,
): Hosts {
  const { paths, gateway, clients, now } = parts;
  const counted = (prefix: string) => {
    let count = 0;
    return () => `${prefix}${++count}`;
  };
  const socket = createHostSocket({
    socketName: paths.hostSocket,
    sessionId: counted(BY_SOCKET),
    version: VERSION,
    generation,
    report,
    now,
  });
  const headers = new ToolHeaders(gateway.view);
  const http = new HttpFront({
    report,
    now,
    sessionId: counted(BY_HTTP),
    ownerOf: (token) => clients.ownerOf(token),
    knows: (server) => gateway.view.servers.has(server),
    toolHeaders: (scope, name) => headers.of(scope, name),
  });
  let tries: Tries | null = null;
  return {
    edge: {
      send: (session, bytes, kind, id, about) => {
        if (session.startsWith(BY_HTTP)) http.send(session, bytes, kind, id, about);
        else if (session.startsWith(BY_TRY)) tries?.send(session, bytes, kind, id);
        else socket.send(session, bytes, kind, id);
      },
      close: (session, reason) => {
        if (session.startsWith(BY_HTTP)) http.close(session, reason);
        else if (session.startsWith(BY_TRY)) tries?.close(session, reason);
        else socket.close(session, reason);
      },
    },
    http,
    tries: async () => {
      const { Tries } = await import('./trying.ts');
      tries ??= new Tries({ report, now, sessionId: () => `${BY_TRY}${randomBytes(6).toString('hex')}` });
      return tries;
    },
    listen: () => socket.listen(),
    drain: (reason) => {
      socket.drain(reason);
      http.drain();
    },
    stop: () => {
      http.stop();
      tries?.stop();
      return socket.stop();
    },
  };
}

type Report = Parameters<typeof createHostSocket>[0]['report'];
