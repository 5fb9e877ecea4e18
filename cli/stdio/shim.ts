import { isUtf8 } from 'node:buffer';
import type { Socket } from 'node:net';
import type { Readable, Writable } from 'node:stream';
import {
  HOST_LINE_BYTES_MAX,
  JSON_DEPTH_MAX,
  NOISE_SAMPLE_BYTES,
  SHIM_HELD_BYTES_MAX,
  SHIM_LINGER_MS,
  SHIM_QUEUE_BYTES_MAX,
} from '../../src/limits.ts';
import type { Bytes } from '../../src/protocol/frame.ts';
import { FrameReader } from '../../src/protocol/framing.ts';
import { decodeControl } from '../../src/protocol/preamble.ts';
import type { Cause } from './answers.ts';
import type { HostLine } from './host-line.ts';
import { Inbound } from './inbound.ts';
import { Link, type LinkOptions } from './link.ts';
import { Outbound } from './outbound.ts';
import { recognise, scanned } from './recognise.ts';
import { Session } from './session.ts';

export interface ShimOptions extends Pick<LinkOptions, 'home' | 'socketName' | 'program'> {
  /** Both are read after the daemon was called, because Node makes them at first use, and that takes as long as an answer. */
  readonly stdin: Readable;
  readonly stdout: Writable;
  /** The control line that opens a connection. */
  hello(session: Session): string;
  /** For the host's log: real trouble only. */
  complain(text: string): void;
  exit(): void;
}

/** Stands between a host, which may not notice anything, and daemons, which come and go. */
export class Shim {
  readonly #options: ShimOptions;
  readonly #session = new Session();
  readonly #outbound = new Outbound((line) => this.#session.handed(line));
  readonly #inbound = new Inbound({
    onMessage: (line) => this.#passes(line),
    onControl: (line) => this.#control(line),
  });
  readonly #link: Link;
  #socket: Socket | null = null;
  /** The daemon said that it will stop. */
  #parting = false;
  #stdinEnded = false;
  #stdinPaused = false;
  #socketPaused = false;
  #lingering = false;

  constructor(options: ShimOptions) {
    this.#options = options;
    this.#link = new Link({
      home: options.home,
      socketName: options.socketName,
      program: options.program,
      waiting: () => this.#session.waiting,
      onConnected: (socket) => this.#connected(socket),
      onLost: () => this.#lost(),
      onUnreachable: (cause) => this.#unreachable(cause),
    });
  }

  start(): void {
    this.#link.start();
    const { stdin, stdout, exit } = this.#options;
    const send = (line: HostLine | null) => {
      if (line !== null) this.#outbound.push(line);
    };
    const reader = new FrameReader({
      lineBytesMax: HOST_LINE_BYTES_MAX,
      depthMax: JSON_DEPTH_MAX,
      sampleBytesMax: NOISE_SAMPLE_BYTES,
      isUtf8,
      onFrame: (frame) => send(this.#session.fromHost(frame)),
      onNoise: (noise) => send(this.#session.noise(noise)),
      onBatch: (line) => {
        for (const one of this.#session.batch(line)) this.#outbound.push(one);
      },
    });
    stdin.on('data', (chunk: Buffer) => {
      reader.push(chunk);
      this.#afterHost();
    });
    const ended = () => {
      if (this.#stdinEnded) return;
      this.#stdinEnded = true;
      reader.end();
      this.#session.hostEnded();
      this.#afterHost();
      this.#afterDaemon();
    };
    stdin.on('end', ended);
    stdin.on('error', ended);
    stdout.on('drain', () => this.#hostReads());
    // Nobody reads any more: the host has gone, and the daemon learns it by our end.
    stdout.on('error', exit);
  }

  #afterHost(): void {
    this.#answer();
    this.#outbound.flush();
    this.#say();
    if (!this.#link.ready && this.#session.waiting) this.#link.wanted();
    this.#regulate();
  }

  /** Stops reading the host while too much waits for the daemon. */
  #regulate(): void {
    const max = !this.#link.ready || this.#parting ? SHIM_HELD_BYTES_MAX : SHIM_QUEUE_BYTES_MAX;
    const pause = this.#outbound.bytes > max;
    if (pause === this.#stdinPaused) return;
    this.#stdinPaused = pause;
    if (pause) this.#options.stdin.pause();
    else this.#options.stdin.resume();
  }

  #connected(socket: Socket): void {
    this.#socket = socket;
    this.#parting = false;
    this.#socketPaused = false;
    this.#inbound.drop();
    socket.on('data', (chunk: Buffer) => this.#fromDaemon(chunk));
    socket.on('drain', () => {
      this.#outbound.drained();
      this.#regulate();
    });
    socket.write(this.#options.hello(this.#session));
    this.#outbound.connect(socket);
    if (this.#options.stdout.writableLength > 0) this.#hostStalls();
  }

  #fromDaemon(chunk: Buffer): void {
    this.#print(this.#inbound.push(chunk));
    if (this.#answer()) this.#outbound.flush();
    this.#afterDaemon();
  }

  #passes(line: Bytes): boolean {
    if (!this.#link.ready) {
      this.#link.declined('what listens there is no mcpd');
      return false;
    }
    const seen = recognise(line);
    if (seen?.kind === 'answer') {
      const again = this.#parting && !seen.ok ? this.#session.unsent(seen.id, line) : null;
      if (again === null) return this.#session.answered(seen.id, seen.ok, line);
      this.#outbound.push(again);
      return false;
    }
    if (seen?.kind === 'notice') return true;
    const frame = scanned(line);
    return frame !== null && this.#session.fromDaemon(frame);
  }

  #control(line: string): void {
    const control = decodeControl(line);
    if (control?.word === 'welcome') {
      this.#link.accepted();
      this.#outbound.trust();
      this.#regulate();
    } else if (control?.word === 'bye' && control.reason === 'refused') {
      this.#link.declined(control.text);
    } else if (control?.word === 'bye') {
      this.#parting = true;
      this.#outbound.holdRequests();
      this.#link.parting(control.reason);
    }
  }

  #lost(): void {
    this.#socket = null;
    this.#inbound.drop();
    this.#outbound.disconnect(this.#session.lost());
    this.#say();
    this.#regulate();
    this.#afterDaemon();
  }

  #unreachable(cause: Cause): void {
    this.#options.complain(`${cause.what}${cause.why === '' ? '' : `: ${cause.why}`}`);
    this.#session.giveUp(cause);
    this.#outbound.sweep();
    this.#say();
    this.#regulate();
    this.#afterDaemon();
  }

  #afterDaemon(): void {
    this.#say();
    if (this.#parting && this.#session.quiet) this.#link.leave();
    if (!this.#stdinEnded) return;
    if (this.#session.finished) this.#finish();
    else if (this.#link.ready) this.#linger();
  }

  /** The host will ask nothing more; what it asked may still be answered, for a while. */
  #linger(): void {
    if (this.#lingering) return;
    this.#lingering = true;
    setTimeout(() => {
      this.#session.end();
      this.#say();
      this.#finish();
    }, SHIM_LINGER_MS);
  }

  /** Leaves when the host has read what was written, and after SHIM_LINGER_MS in any case. */
  #finish(): void {
    const { stdout, exit } = this.#options;
    if (stdout.writableLength === 0) {
      exit();
      return;
    }
    stdout.write('', exit);
    setTimeout(exit, SHIM_LINGER_MS);
  }

  /** What the session itself has to say to the daemon. True: it was something. */
  #answer(): boolean {
    const lines = this.#session.toDaemon.splice(0);
    for (const line of lines) this.#outbound.push(line);
    return lines.length > 0;
  }

  /** What the session itself has to say to the host. */
  #say(): void {
    const { toHost } = this.#session;
    if (toHost.length > 0) this.#print(toHost.splice(0).flat());
  }

  #print(pieces: Bytes): void {
    if (pieces.length === 0) return;
    const { stdout } = this.#options;
    let more = true;
    if (pieces.length > 1) stdout.cork();
    for (const piece of pieces) more = stdout.write(piece);
    if (pieces.length > 1) stdout.uncork();
    // A pipe that took everything at once asks for `drain` all the same; there is no need to wait for it.
    if (!more && stdout.writableLength > 0) this.#hostStalls();
  }

  #hostStalls(): void {
    if (this.#socket === null || this.#socketPaused) return;
    this.#socketPaused = true;
    this.#socket.pause();
  }

  #hostReads(): void {
    if (!this.#socketPaused) return;
    this.#socketPaused = false;
    this.#socket?.resume();
  }
}
