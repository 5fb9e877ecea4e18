import type { GatewayEvent } from '../core/events.ts';
import type { Reply } from '../install/checkup.ts';
import { asBuffer, join, line } from '../protocol/bytes.ts';
import type { Bytes, Frame } from '../protocol/frame.ts';
import { errorText, METHOD_NOT_FOUND, notificationText, requestText, resultText } from '../protocol/jsonrpc.ts';

/** How the process is started, written to and ended. What it says comes back as events. */
interface CheckupPort {
  spawn(): void;
  write(message: Bytes): 'ok' | 'full' | 'gone';
  /** Closes its stdin first; `kill` at once. */
  stop(kill: boolean): void;
}

/** What a question came to, with the result itself. */
export type Answer = Exclude<Reply, { kind: 'result' }> | { kind: 'result'; result: unknown };

/** One process that serves nobody but a check-up: it is asked one thing at a time, and whatever it does is an answer. */
export class CheckupProcess {
  /** Lines on stdout that were no messages. */
  noise = 0;
  /** Resolves when nothing of it lives any more. */
  readonly ended: Promise<void>;
  /** Resolves when it has exited, or closed its pipes; its group may live on. */
  readonly left: Promise<void>;
  readonly #port: CheckupPort;
  readonly #signal: AbortSignal;
  #cause: string | null = null;
  #exitSignal: string | null = null;
  #isUp = false;
  #wait: { id: string | null; settle(answer: Answer): void } | null = null;
  #nextId = 1;
  #resolveEnded: () => void = () => undefined;
  #resolveLeft: () => void = () => undefined;

  /** @param signal ends the waits: what is asked is answered by silence then */
  constructor(port: CheckupPort, signal: AbortSignal) {
    this.#port = port;
    this.#signal = signal;
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
    this.left = new Promise((resolve) => {
      this.#resolveLeft = resolve;
    });
  }

  /** Why it ended; null while it lives. */
  get cause(): string | null {
    return this.#cause;
  }

  /** The signal that ended it; null where it left by itself. */
  get exitSignal(): string | null {
    return this.#exitSignal;
  }

  /** Starts it: a result when it is there. */
  up(timeoutMs: number): Promise<Answer> {
    this.#port.spawn();
    return this.#until(null, timeoutMs);
  }

  async ask(method: string, paramsJson: string | null, timeoutMs: number): Promise<Answer> {
    const id = this.#nextId++;
    const gone = this.#send(requestText(id, method, paramsJson));
    return gone ?? this.#until(String(id), timeoutMs);
  }

  /** A request whose answer nobody waits for; gives its id. */
  askOnly(method: string, paramsJson: string | null): number {
    const id = this.#nextId++;
    this.#send(requestText(id, method, paramsJson));
    return id;
  }

  tell(method: string, paramsJson: string | null = null): void {
    this.#send(notificationText(method, paramsJson));
  }

  /** Takes what the edge reports of it. */
  take(event: GatewayEvent): void {
    if (event.type === 'server-spawned') {
      this.#isUp = true;
      if (this.#wait?.id === null) this.#wait.settle({ kind: 'result', result: null });
    } else if (event.type === 'server-message') this.#hear(event.frame);
    else if (event.type === 'server-noise') {
      this.noise++;
      if (event.id !== null && this.#wait?.id === event.id) this.#wait.settle({ kind: 'silence' });
    } else if (event.type === 'server-memory' && event.limit === 'hard') this.#port.stop(true);
    else if (event.type === 'server-deaf') this.#gone('it closed its pipes');
    else if (event.type === 'server-exited') {
      this.#exitSignal = event.exit.signal;
      this.#cause = [event.exit.cause, ...event.exit.stderrTail.slice(-1)].join('; ');
      this.#gone(this.#cause);
      this.#resolveEnded();
    }
  }

  // — internal —

  #hear({ envelope, bytes }: Frame): void {
    if (envelope.kind === 'notification') return;
    if (envelope.kind === 'request') {
      const { id, method } = envelope;
      this.#send(method === 'ping' ? resultText(id, '{}') : errorText(id, METHOD_NOT_FOUND, 'nobody can be asked'));
      return;
    }
    if (envelope.id === null || this.#wait?.id !== envelope.id) return;
    const { result, error } = JSON.parse(asBuffer(join(bytes)).toString('utf8')) as {
      result?: unknown;
      error?: unknown;
    };
    const code = Number((error as { code?: unknown } | null | undefined)?.code);
    this.#wait.settle(envelope.kind === 'error' ? { kind: 'error', code } : { kind: 'result', result });
  }

  #gone(cause: string): void {
    this.#cause ??= cause;
    this.#resolveLeft();
    this.#wait?.settle({ kind: 'gone', cause });
  }

  /** Why it cannot be written to, or null. */
  #send(text: string): Answer | null {
    if (this.#cause !== null) return { kind: 'gone', cause: this.#cause };
    if (!this.#isUp || this.#port.write(line(text)) !== 'ok') return { kind: 'gone', cause: 'it does not read' };
    return null;
  }

  #until(id: string | null, timeoutMs: number): Promise<Answer> {
    if (this.#cause !== null) return Promise.resolve({ kind: 'gone', cause: this.#cause });
    return new Promise((resolve) => {
      const settle = (answer: Answer) => {
        clearTimeout(timer);
        this.#signal.removeEventListener('abort', off);
        this.#wait = null;
        resolve(answer);
      };
      const off = () => settle({ kind: 'silence' });
      const timer = setTimeout(off, timeoutMs);
      this.#signal.addEventListener('abort', off, { once: true });
      this.#wait = { id, settle };
      if (this.#signal.aborted) off();
    });
  }
}
