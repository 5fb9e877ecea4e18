import { isUtf8 } from 'node:buffer';
import type { Socket } from 'node:net';
import type { GatewayEvent } from '../core/events.ts';
import type { SessionId } from '../core/model.ts';
import {
  CONTROL_LINE_BYTES_MAX,
  DAEMON_FLUSH_MS,
  HELLO_BYTES_MAX,
  HELLO_TIMEOUT_MS,
  HOST_LINE_BYTES_MAX,
  JSON_DEPTH_MAX,
} from '../limits.ts';
import type { Bytes, RawId } from '../protocol/frame.ts';
import { FrameReader, type Noise } from '../protocol/framing.ts';
import {
  type Bye,
  decodeControl,
  encodeControl,
  type Hello,
  isControlLine,
  PREAMBLE_VERSION,
} from '../protocol/preamble.ts';
import { type MessageClass, Outbox } from './outbox.ts';

export type HostEvent = Extract<
  GatewayEvent,
  { type: 'host-opened' | 'host-message' | 'host-noise' | 'host-closed' | 'host-deaf' }
>;

export interface ConnectionOptions {
  /** Told to the shim. */
  version: string;
  generation: string;
  report(event: HostEvent): void;
  /** Monotonic milliseconds. */
  now(): number;
}

/** `greeting`: it has not said who it is. `closing`: it was told to go, and what it sends is no longer read. */
type Stage = 'greeting' | 'open' | 'closing';

/** One shim: from its hello to its end. It reports `host-opened` first and `host-closed` last, or neither. */
export class HostConnection {
  readonly session: SessionId;
  readonly #socket: Socket;
  readonly #options: ConnectionOptions;
  readonly #outbox: Outbox;
  readonly #reader: FrameReader;
  readonly #patience: NodeJS.Timeout;
  #stage: Stage = 'greeting';
  #opened = false;
  #greeting: Uint8Array[] = [];
  #greetingBytes = 0;

  constructor(socket: Socket, session: SessionId, options: ConnectionOptions, onClosed: () => void) {
    this.session = session;
    this.#socket = socket;
    this.#options = options;
    this.#outbox = new Outbox(socket);
    this.#reader = new FrameReader({
      lineBytesMax: HOST_LINE_BYTES_MAX,
      depthMax: JSON_DEPTH_MAX,
      sampleBytesMax: CONTROL_LINE_BYTES_MAX,
      isUtf8,
      onFrame: (frame) => {
        if (this.#stage === 'open') options.report({ type: 'host-message', at: options.now(), session, frame });
      },
      onNoise: (noise) => this.#noise(noise),
    });
    this.#patience = setTimeout(() => this.refuse(`no hello within ${HELLO_TIMEOUT_MS / 1000} s`), HELLO_TIMEOUT_MS);
    socket.on('data', (chunk: Buffer) => this.#data(chunk));
    socket.on('drain', () => this.#outbox.drained());
    // Broken pipes and resets end in `close`, which says all there is to say.
    socket.on('error', () => {});
    socket.on('close', () => {
      clearTimeout(this.#patience);
      this.#outbox.clear();
      onClosed();
      if (this.#opened) options.report({ type: 'host-closed', at: options.now(), session });
    });
  }

  /** True from the hello until it was told to go. */
  get open(): boolean {
    return this.#stage === 'open';
  }

  send(bytes: Bytes, kind: MessageClass, id: RawId | null): void {
    if (this.#stage !== 'open') return;
    const fate = this.#outbox.add(bytes, kind, id);
    if (fate === 'overrun') this.#socket.destroy();
    else if (fate === 'dropped' && kind === 'question' && id !== null) this.#deaf(id);
  }

  /** Reported in its own turn: the core may be in the middle of a step. */
  #deaf(question: RawId): void {
    const { report, now } = this.#options;
    queueMicrotask(() => report({ type: 'host-deaf', at: now(), session: this.session, question }));
  }

  flush(): void {
    this.#outbox.flush();
  }

  /** Says that the daemon will stop; the connection stays until `end`. */
  announce(reason: 'stopping' | 'upgrade'): void {
    if (this.#stage !== 'open') return;
    this.#bye({ word: 'bye', reason, text: '' });
  }

  /** Before anything was read of it: an answer for the shim, and the end. */
  refuse(text: string): void {
    this.#bye({ word: 'bye', reason: 'refused', text });
    this.end();
  }

  /** Ends this session alone. */
  close(text: string): void {
    this.#bye({ word: 'bye', reason: 'closed', text });
    this.end();
  }

  /** What waits is still written, for DAEMON_FLUSH_MS at most; nothing more is read. */
  end(): void {
    if (this.#stage === 'closing') return;
    this.#stage = 'closing';
    this.#endWhenWritten();
    const timer = setTimeout(() => this.#socket.destroy(), DAEMON_FLUSH_MS);
    this.#socket.once('close', () => clearTimeout(timer));
  }

  #bye(bye: Bye): void {
    if (this.#stage === 'closing') return;
    this.#outbox.addControl(encodeControl(bye));
    this.#outbox.flush();
  }

  #endWhenWritten(): void {
    this.#outbox.flush();
    if (this.#outbox.empty) this.#socket.destroySoon();
    else this.#socket.once('drain', () => this.#endWhenWritten());
  }

  #data(chunk: Buffer): void {
    if (this.#stage === 'open') this.#reader.push(chunk);
    else if (this.#stage === 'greeting') this.#greet(chunk);
  }

  #greet(chunk: Buffer): void {
    const newline = chunk.indexOf(0x0a);
    this.#greeting.push(newline < 0 ? chunk : chunk.subarray(0, newline));
    this.#greetingBytes += chunk.length;
    if (newline < 0) {
      if (this.#greetingBytes > HELLO_BYTES_MAX) this.refuse('the hello is too long');
      return;
    }
    const hello = decodeControl(Buffer.concat(this.#greeting).toString('utf8'));
    this.#greeting = [];
    if (hello?.word === 'hello') {
      this.#accept(hello);
      this.#data(chunk.subarray(newline + 1));
    } else {
      this.refuse('this is no shim of mcpd');
    }
  }

  #accept({ host, cwd, resume }: Hello): void {
    clearTimeout(this.#patience);
    this.#stage = 'open';
    this.#opened = true;
    const { version, generation } = this.#options;
    this.#outbox.addControl(encodeControl({ word: 'welcome', preamble: PREAMBLE_VERSION, version, generation }));
    this.#outbox.flush();
    this.#options.report({
      type: 'host-opened',
      at: this.#options.now(),
      session: this.session,
      host: host ?? '',
      door: { principal: 'local', scope: { kind: 'all' }, cwd, lasts: 'connection' },
      resume,
    });
  }

  #noise({ reason, id, asks, sample }: Noise): void {
    if (this.#stage !== 'open') return;
    const { report, now } = this.#options;
    const event = { type: 'host-noise', session: this.session } as const;
    if (!isControlLine(sample)) {
      report({ ...event, at: now(), reason, id: asks ? id : null });
      return;
    }
    const control = decodeControl(Buffer.from(sample).toString('utf8'));
    // A word that this daemon does not know comes from a newer shim, and is meant to be passed over.
    if (control?.word === 'noise') report({ ...event, at: now(), reason: control.reason, id: control.id });
  }
}
