import { setMaxListeners } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Duplex } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { asMcpdError, type McpdError } from '../errors.ts';
import { folderIdentity, homeFault, insideHome, isStill } from '../home.ts';
import { type HomeSocket, listenInHome } from '../home-socket.ts';
import type { CallbackPage } from '../oauth-callback.ts';
import {
  API_CLOSE_MS,
  API_CONNECTIONS_MAX,
  HTTP_HEAD_MS,
  HTTP_IDLE_CONNECTION_MS,
  HTTP_REQUEST_MS,
  WEB_CONNECTIONS_MAX,
} from '../operation-limits.ts';
import { CONTROL_PROTOCOL } from '../version.ts';
import { answerError, answerJson, type Listener } from './answer.ts';
import { DashboardCodes } from './codes.ts';
import type { DaemonControl } from './daemon-control.ts';
import { type Door, judgeLocal, judgeWeb, type RequestFacts } from './guard.ts';
import { SECURITY_HEADERS } from './headers.ts';
import { HttpPort } from './http-port.ts';
import { answerMetrics } from './metrics.ts';
import { answerAsItIs, wantsWebSocket } from './not-upgraded.ts';
import { OpenerFiles } from './opener-files.ts';
import { answerHtml, answerPage } from './page.ts';
import type { LiveSockets } from './web-socket.ts';

export interface ApiOptions {
  control: DaemonControl;
  /** The home, and the bare name of the socket in it (on Windows the whole name of the pipe). */
  home: string;
  socket: string;
  token: string;
  /** The token for `/metrics` alone, if there is one. */
  scrapeToken(): string | null;
  /** 0 is any free one. */
  port: number;
  /** Folder of the built dashboard. */
  assets: string;
  /** Answers browsers that come back from an authorization server; `target` as it came. */
  callback(target: string): Promise<CallbackPage>;
  /** Who answers on 127.0.0.1 besides, with rules of its own; null: nobody. */
  front: WebFront | null;
}

/** Takes over the requests whose target it owns, before anything else has looked at them. */
interface WebFront {
  owns(target: string): boolean;
  handle(incoming: IncomingMessage, outgoing: ServerResponse, port: number): void;
}

export interface Api {
  /**
   * Listens on the socket and, if its port is free, on 127.0.0.1. Only under the daemon's lock: what is left of an earlier daemon's socket
   * is replaced.
   * @throws {McpdError} HOME_UNSAFE, HOME_UNWRITABLE, DISK_FULL, OUT_OF_FILES
   */
  listen(): Promise<void>;
  /** Port of the page, or null while another program has it. */
  port(): number | null;
  warnings(): string[];
  /** Ends what is open, after a moment for answers that are under way. */
  close(): Promise<void>;
}

/**
 * The control interface on its two listeners. Plain servers: Hono, zod and ws cost an idle daemon some 10 MB, so they are loaded by the
 * first request that needs them, and no request that the guard refuses gets so far.
 */
export function createApi(options: ApiOptions): Api {
  return new Listening(options);
}

// — internal —

type App = Record<Listener, (incoming: IncomingMessage, outgoing: ServerResponse) => unknown>;

/** Whoever sends a head or a body byte by byte ties up a connection. */
const TIMEOUTS = {
  headersTimeout: HTTP_HEAD_MS,
  requestTimeout: HTTP_REQUEST_MS,
  keepAliveTimeout: HTTP_IDLE_CONNECTION_MS,
  connectionsCheckingInterval: HTTP_HEAD_MS,
};

class Listening implements Api {
  private readonly options: ApiOptions;
  private readonly local: Server;
  private readonly web: Server;
  private readonly httpPort: HttpPort;
  private readonly codes = new DashboardCodes();
  private readonly openers: OpenerFiles;
  private readonly closing = new AbortController();
  private app: Promise<App> | null = null;
  private sockets: Promise<LiveSockets> | null = null;
  private socket: HomeSocket | null = null;
  /** The folder in which that socket is. */
  private identity: string | null = null;

  constructor(options: ApiOptions) {
    this.options = options;
    this.openers = new OpenerFiles(options.home);
    this.local = this.serverOf('local');
    this.web = this.serverOf('web');
    this.httpPort = new HttpPort(this.web, options.port);
    // Each open stream listens once.
    setMaxListeners(0, this.closing.signal);
  }

  async listen(): Promise<void> {
    await this.listenLocally();
    await this.httpPort.open();
  }

  port(): number | null {
    return this.httpPort.current();
  }

  warnings(): string[] {
    const warning = this.httpPort.warning();
    return warning === null ? [] : [warning];
  }

  async close(): Promise<void> {
    const open = [this.local, this.web].filter((server) => server.listening);
    const closed = open.map((server) => new Promise<void>((done) => server.once('close', done)));
    this.httpPort.close();
    this.openers.close();
    this.closeLocal();
    this.closing.abort();
    await this.closeSockets();
    for (const server of open) server.closeIdleConnections();
    const patience = new AbortController();
    const late = delay(API_CLOSE_MS, undefined, { signal: patience.signal }).catch(() => undefined); // aborted: all closed in time
    await Promise.race([Promise.all(closed), late]);
    patience.abort();
    for (const server of open) server.closeAllConnections();
  }

  /** The socket is removed by its bare name, so inside the home; of a home that was moved the daemon's working folder is what is left. */
  private closeLocal(): void {
    const { home } = this.options;
    if (isStill(home, this.identity)) insideHome(home, () => this.socket?.close());
    else this.socket?.close();
  }

  private async closeSockets(): Promise<void> {
    try {
      (await this.sockets)?.close();
    } catch {
      // They could not be loaded, so none is open.
    }
  }

  private listenLocally(): Promise<void> {
    const { home, socket } = this.options;
    return new Promise((resolve, reject) => {
      const failed = (thrown: unknown) => reject(homeFault(thrown, `the socket ${socket} in ${home} cannot be opened`));
      this.local.once('error', failed);
      this.local.once('listening', () => {
        this.local.off('error', failed);
        // A connection that could not be accepted (no free file descriptor): the client sees it, the listener goes on.
        this.local.on('error', () => undefined);
        resolve();
      });
      try {
        insideHome(home, () => {
          this.identity = folderIdentity('.');
          this.socket = listenInHome(this.local, socket);
        });
      } catch (thrown) {
        failed(thrown);
      }
    });
  }

  private serverOf(listener: Listener): Server {
    const front = listener === 'web' ? this.options.front : null;
    const server = createServer(TIMEOUTS, (incoming, outgoing) => {
      if (front?.owns(incoming.url ?? '')) front.handle(incoming, outgoing, this.httpPort.current() ?? 0);
      else void this.answer(listener, incoming, outgoing);
    });
    server.maxConnections = listener === 'web' ? WEB_CONNECTIONS_MAX : API_CONNECTIONS_MAX;
    server.on('upgrade', (incoming, socket, head) => {
      if (wantsWebSocket(incoming)) void this.upgrade(listener, incoming, socket, head);
      else answerAsItIs(server, incoming, socket, head);
    });
    return server;
  }

  private judge(listener: Listener, incoming: IncomingMessage, upgrade: boolean): Door {
    const facts: RequestFacts = {
      method: incoming.method ?? '',
      target: incoming.url ?? '',
      rawHeaders: incoming.rawHeaders,
      upgrade,
    };
    if (listener === 'local') return judgeLocal(facts);
    const { token, scrapeToken } = this.options;
    return judgeWeb(facts, { port: this.httpPort.current() ?? 0, token, scrapeToken: scrapeToken() });
  }

  private async answer(listener: Listener, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) outgoing.setHeader(name, value);
    if (listener === 'local') outgoing.setHeader('mcpd-protocol', CONTROL_PROTOCOL);
    try {
      const door = this.judge(listener, incoming, false);
      if (door === 'health') answerJson(outgoing, 200, { ok: true }, listener);
      else if (door === 'metrics') await answerMetrics(this.options.control.telemetry, outgoing);
      else if (door === 'page') await answerPage(this.options.assets, incoming.url?.split('?', 1)[0] ?? '', outgoing);
      else if (door === 'callback') answerHtml(outgoing, await this.options.callback(incoming.url ?? ''));
      else await (await this.loadedApp())[listener](incoming, outgoing);
    } catch (thrown) {
      answerError(outgoing, asMcpdError(thrown, 'INTERNAL', 'the daemon could not answer'), listener);
    }
  }

  private async upgrade(listener: Listener, incoming: IncomingMessage, socket: Duplex, head: Buffer): Promise<void> {
    // A peer that leaves in the middle; `close` follows.
    socket.on('error', () => undefined);
    try {
      this.judge(listener, incoming, true);
      const sockets = await this.loadedSockets();
      if (this.closing.signal.aborted) socket.destroy();
      else sockets.accept(listener, incoming, socket, head);
    } catch (thrown) {
      refuseUpgrade(socket, asMcpdError(thrown, 'INTERNAL', 'the daemon could not answer'));
    }
  }

  private loadedApp(): Promise<App> {
    const { control, token } = this.options;
    const [codes, openers, closing] = [this.codes, this.openers, this.closing.signal];
    const options = { control, token, codes, openers, port: () => this.port(), closing };
    this.app ??= import('./app.ts').then((module) => module.createListeners(options));
    // A load that failed (no free file descriptor) is tried again by the next request.
    this.app.catch(() => (this.app = null));
    return this.app;
  }

  private loadedSockets(): Promise<LiveSockets> {
    const { control, token } = this.options;
    this.sockets ??= import('./web-socket.ts').then((module) => module.createLiveSockets(control, token));
    this.sockets.catch(() => (this.sockets = null));
    return this.sockets;
  }
}

function refuseUpgrade(socket: Duplex, error: McpdError): void {
  const head = [
    `HTTP/1.1 ${error.httpStatus} ${STATUS_CODES[error.httpStatus] ?? ''}`,
    'connection: close',
    'content-length: 0',
    ...Object.entries(SECURITY_HEADERS).map(([name, value]) => `${name}: ${value}`),
  ];
  socket.end(`${head.join('\r\n')}\r\n\r\n`);
}
