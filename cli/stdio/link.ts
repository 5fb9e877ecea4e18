import { connect, type Socket } from 'node:net';
import {
  RECONNECT_EVERY_MS,
  RECONNECT_FIRST_EVERY_MS,
  RECONNECT_FIRST_MS,
  RECONNECT_IDLE_MS,
  RECONNECT_TIMEOUT_MS,
  SHIM_FAILED_STARTS_MAX,
  SHIM_RESPAWN_FIRST_MS,
  SHIM_RESPAWN_MAX_MS,
  UPGRADE_GRACE_MS,
} from '../../src/limits.ts';
import type { Bye } from '../../src/protocol/preamble.ts';
import type { Cause } from './answers.ts';
import { startDaemon } from './daemon-start.ts';
import { enterHome, lookForSocket } from './home.ts';

export interface LinkOptions {
  home: string;
  socketName: string;
  /** The daemon's file. */
  program: string;
  /** Some request of the host waits for a daemon. */
  waiting(): boolean;
  /** Somebody listens. Whether he is a daemon that takes this host, his first line must say: `accepted` or `declined`. */
  onConnected(socket: Socket): void;
  /** What was connected is connected no more. */
  onLost(): void;
  /** Nobody can be reached: what waits should be answered. Trying goes on. */
  onUnreachable(cause: Cause): void;
}

type Stage =
  | { name: 'resting' }
  | { name: 'trying'; timer: NodeJS.Timeout }
  | { name: 'connecting'; socket: Socket }
  | { name: 'greeting'; socket: Socket; timer: NodeJS.Timeout }
  | { name: 'ready'; socket: Socket; sinceMs: number };

const FIX = 'mcpd doctor';
/** Of a connect: nobody is there. Any other error is of the moment. */
const ABSENT: readonly (string | undefined)[] = ['ENOENT', 'ECONNREFUSED'];

/** Keeps a connection to a daemon: finds one, starts one, and finds the next when it goes. */
export class Link {
  readonly #options: LinkOptions;
  #stage: Stage = { name: 'resting' };
  #tryingSince = 0;
  /** When the oldest of the requests that wait now came. */
  #waitingSince: number | null = null;
  /** The last daemon said that it would stop: nobody wants one until a request comes. */
  #parted = false;
  /** It also said that another one follows: that one is given time, from when this one has gone. */
  #succeeded = false;
  /** The last thing that was in the way. */
  #why = '';
  #starting = false;
  #startAgainAt = 0;
  #startDelayMs = SHIM_RESPAWN_FIRST_MS;
  #failedStarts = 0;

  constructor(options: LinkOptions) {
    this.#options = options;
  }

  get ready(): boolean {
    return this.#stage.name === 'ready';
  }

  start(): void {
    this.#tryingSince = monotonicMs();
    this.#attempt();
  }

  /** A request waits. */
  wanted(): void {
    if (this.#stage.name !== 'trying' || this.#waitingSince !== null) return;
    this.#waitingSince = monotonicMs();
    this.#attempt();
  }

  /** The daemon took this host. */
  accepted(): void {
    if (this.#stage.name !== 'greeting') return;
    const { socket, timer } = this.#stage;
    clearTimeout(timer);
    this.#stage = { name: 'ready', socket, sinceMs: monotonicMs() };
    this.#waitingSince = null;
    this.#parted = false;
    this.#failedStarts = 0;
    this.#startDelayMs = SHIM_RESPAWN_FIRST_MS;
    this.#startAgainAt = 0;
  }

  /** What listens does not take this host. */
  declined(why: string): void {
    if (this.#stage.name !== 'greeting') return;
    const { socket, timer } = this.#stage;
    clearTimeout(timer);
    this.#stage = { name: 'resting' };
    socket.destroy();
    this.#options.onLost();
    this.#refused({ what: 'mcpd did not take this host', why, fix: FIX });
  }

  /** The daemon told that it will go. */
  parting(reason: Bye['reason']): void {
    this.#parted = true;
    this.#succeeded = reason === 'upgrade';
  }

  /** Lets go of the daemon, and looks for the next. */
  leave(): void {
    if (this.#stage.name === 'ready') this.#stage.socket.destroy();
  }

  #attempt(): void {
    if (this.#stage.name === 'trying') clearTimeout(this.#stage.timer);
    const { home, socketName } = this.#options;
    const seen = enterHome(home) ?? lookForSocket(home, socketName);
    if (seen === 'there') this.#connect();
    else if (seen === 'absent') this.#absent();
    else this.#refused(seen);
  }

  #connect(): void {
    const socket = connect(this.#options.socketName);
    this.#stage = { name: 'connecting', socket };
    let code: string | undefined;
    socket.once('connect', () => {
      this.#options.onConnected(socket);
      const timer = setTimeout(() => {
        this.#why = 'a daemon takes connections and says nothing';
        this.#unreachable();
        socket.destroy();
      }, RECONNECT_TIMEOUT_MS);
      this.#stage = { name: 'greeting', socket, timer };
    });
    socket.on('error', (error: NodeJS.ErrnoException) => {
      code = error.code;
      if (!ABSENT.includes(code)) this.#why = error.message;
    });
    socket.once('close', () => this.#closed(socket, code));
  }

  #closed(socket: Socket, code: string | undefined): void {
    const stage = this.#stage;
    if (!('socket' in stage) || stage.socket !== socket) return;
    if (stage.name === 'greeting') clearTimeout(stage.timer);
    if (stage.name === 'ready') {
      const now = monotonicMs();
      // One that goes as soon as it comes is not asked again at once.
      const delayMs = now - stage.sinceMs < RECONNECT_FIRST_MS ? RECONNECT_EVERY_MS : 0;
      this.#tryingSince = now;
      if (this.#succeeded) this.#startAgainAt = now + UPGRADE_GRACE_MS;
      this.#succeeded = false;
      this.#why = '';
      this.#stage = { name: 'trying', timer: setTimeout(() => this.#attempt(), delayMs) };
    } else if (ABSENT.includes(code)) {
      this.#absent();
    } else {
      this.#tryLater();
    }
    if (stage.name !== 'connecting') this.#options.onLost();
  }

  /** Nothing listens. */
  #absent(): void {
    const now = monotonicMs();
    const wantsOne = !this.#parted || this.#options.waiting();
    if (wantsOne && !this.#starting && now >= this.#startAgainAt) this.#startDaemon(now);
    this.#tryLater();
  }

  #startDaemon(now: number): void {
    this.#starting = true;
    this.#startAgainAt = now + this.#startDelayMs;
    this.#startDelayMs = Math.min(2 * this.#startDelayMs, SHIM_RESPAWN_MAX_MS);
    startDaemon(this.#options.home, this.#options.program, (why) => {
      this.#starting = false;
      // It served, or another one does.
      if (why === null || this.#stage.name === 'ready') return;
      this.#why = why;
      if (++this.#failedStarts >= SHIM_FAILED_STARTS_MAX) this.#unreachable();
    });
  }

  #tryLater(): void {
    const now = monotonicMs();
    const waiting = this.#options.waiting();
    if (!waiting) this.#waitingSince = null;
    else this.#waitingSince ??= now;
    if (this.#waitingSince !== null && now - this.#waitingSince >= RECONNECT_TIMEOUT_MS) this.#unreachable();
    const tryingMs = now - this.#tryingSince;
    const delayMs =
      tryingMs < RECONNECT_FIRST_MS
        ? RECONNECT_FIRST_EVERY_MS
        : waiting || tryingMs < RECONNECT_TIMEOUT_MS
          ? RECONNECT_EVERY_MS
          : RECONNECT_IDLE_MS;
    this.#stage = { name: 'trying', timer: setTimeout(() => this.#attempt(), delayMs) };
  }

  /** Waiting would not help: answers at once, and looks again from time to time. */
  #refused(cause: Cause): void {
    this.#waitingSince = null;
    this.#stage = { name: 'trying', timer: setTimeout(() => this.#attempt(), RECONNECT_IDLE_MS) };
    if (this.#options.waiting()) this.#options.onUnreachable(cause);
  }

  #unreachable(): void {
    this.#waitingSince = null;
    if (!this.#options.waiting()) return;
    const why = this.#why !== '' ? this.#why : this.#starting ? 'it was started and is not ready yet' : '';
    this.#options.onUnreachable({ what: 'no mcpd daemon answers', why, fix: FIX });
  }
}

// — internal —

/** Not `performance.now`: the first use of it costs a start more than a millisecond. */
function monotonicMs(): number {
  return process.uptime() * 1000;
}
