import type { Server } from 'node:http';
import { errnoOf } from '../errors.ts';
import { HTTP_RETRY_MS } from '../operation-limits.ts';

/** Loopback only: no other machine may ever reach it. */
const HOSTNAME = '127.0.0.1';

/**
 * Keeps `server` on its port of 127.0.0.1. While another program has the port it is tried again, and no other one is taken: a bookmark
 * must never lead to a stranger's page, nor a page of ours appear where nobody expects it.
 */
export class HttpPort {
  private readonly server: Server;
  private readonly wanted: number;
  /** Remembered: asking the server is a system call, and each request is compared with it. */
  private port: number | null = null;
  private reason: string | null = null;
  private timer: NodeJS.Timeout | null = null;
  private closed = false;

  /** `wanted` 0 is any free port. */
  constructor(server: Server, wanted: number) {
    this.server = server;
    this.wanted = wanted;
  }

  /** Resolves when the first attempt is decided, either way. */
  open(): Promise<void> {
    return new Promise((resolve) => {
      this.server.on('error', (error) => {
        // A connection that could not be accepted (no free file descriptor): the client sees it, the listener goes on.
        if (this.server.listening) return;
        this.reason = reasonOf(error);
        this.retryLater();
        resolve();
      });
      this.server.on('close', () => (this.port = null));
      this.server.on('listening', () => {
        const address = this.server.address();
        this.port = typeof address === 'object' && address !== null ? address.port : null;
        this.reason = null;
        resolve();
      });
      this.attempt();
    });
  }

  /** The port it listens on, or null. */
  current(): number | null {
    return this.port;
  }

  warning(): string | null {
    if (this.reason === null) return null;
    return `the dashboard is off: port ${this.wanted} of ${HOSTNAME} ${this.reason}; it is tried again every ${HTTP_RETRY_MS / 1000} s (another port: MCPD_PORT)`;
  }

  close(): void {
    this.closed = true;
    if (this.timer !== null) clearTimeout(this.timer);
    this.port = null;
    if (this.server.listening) this.server.close();
  }

  private attempt(): void {
    this.server.listen({ host: HOSTNAME, port: this.wanted, exclusive: true });
  }

  private retryLater(): void {
    if (this.closed) return;
    this.timer = setTimeout(() => this.attempt(), HTTP_RETRY_MS);
    this.timer.unref();
  }
}

// — internal —

function reasonOf(error: Error): string {
  const errno = errnoOf(error);
  if (errno === 'EADDRINUSE') return 'is taken by another program';
  if (errno === 'EACCES') return 'may not be used by this user';
  return `cannot be used (${error.message})`;
}
