import type { GatewayEvent } from '../core/events.ts';
import type { ExitReport } from '../core/model.ts';
import { McpdError } from '../errors.ts';
import { byteLength, line, splice } from '../protocol/bytes.ts';
import type { Bytes, Frame } from '../protocol/frame.ts';
import { errorText, METHOD_NOT_FOUND, notificationText, requestText, resultText } from '../protocol/jsonrpc.ts';
import { RECORDING_FRAME_BYTES_MAX } from '../recorder-limits.ts';
import { framesIn } from './description.ts';
import { type Kept, keptOf, type Mask } from './keeping.ts';

/** How a process is started, written to and ended. What it says comes back as events. */
interface ProcessPort {
  /** Answered by `server-spawned` and one `server-exited`, or by the latter alone. */
  spawn(): void;
  write(message: Bytes): 'ok' | 'full' | 'gone';
  stop(): void;
}

export interface FreshProcessOptions {
  /** For errors. */
  server: string;
  port: ProcessPort;
  mask: Mask;
  /** What it is answered when it asks for something itself, by method and in this order: JSON texts of whole answers. */
  answers: ReadonlyMap<string, readonly string[]>;
  /** Ends the waits. */
  signal: AbortSignal;
}

/** One process that serves nobody but a replay: requests are asked of it one at a time. */
export class FreshProcess {
  /** Resolves when nothing of it lives any more. */
  readonly ended: Promise<void>;
  readonly #options: FreshProcessOptions;
  readonly #answers: Map<string, string[]>;
  #resolveEnded: () => void = () => undefined;
  #nextId = 1;
  #exit: ExitReport | null = null;
  #wait: Wait | null = null;

  constructor(options: FreshProcessOptions) {
    this.#options = options;
    this.#answers = new Map([...options.answers].map(([method, texts]) => [method, [...texts]]));
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
  }

  /** Starts it. @throws McpdError SERVER_START_FAILED, CALL_TIMEOUT */
  async up(timeoutMs: number): Promise<void> {
    const { port, server } = this.#options;
    try {
      port.spawn();
    } catch (thrown) {
      // Nobody will report its end.
      this.#resolveEnded();
      throw thrown;
    }
    try {
      await this.#until('up', 'it did not start', timeoutMs);
    } catch (thrown) {
      if (this.#exit === null) throw thrown;
      const why = [this.#exit.cause, ...this.#exit.stderrTail.slice(-1)].join('; ');
      throw new McpdError('SERVER_START_FAILED', { what: `${server} did not start for the replay`, why });
    }
  }

  /** A request of mcpd's own. @throws McpdError SERVER_EXITED, CALL_TIMEOUT */
  ask(method: string, paramsJson: string, timeoutMs: number): Promise<Kept> {
    const id = this.#nextId++;
    return this.#answered(line(requestText(id, method, paramsJson)), id, method, timeoutMs);
  }

  /** A recorded request, as it was but for its id. @throws McpdError SERVER_EXITED, CALL_TIMEOUT, REQUEST_INVALID */
  askAs(recorded: string, timeoutMs: number): Promise<Kept> {
    const bytes = [Buffer.from(recorded)];
    const envelope = framesIn(bytes)[0]?.envelope;
    if (envelope?.kind !== 'request') {
      throw new McpdError('REQUEST_INVALID', {
        what: 'the recording has a request that is none',
        why: recorded.slice(0, 100),
      });
    }
    const id = this.#nextId++;
    const edits = [{ ...envelope.idSpan, with: String(id) }];
    const message = splice(bytes, byteLength(bytes), edits, RECORDING_FRAME_BYTES_MAX);
    return this.#answered(message, id, envelope.method, timeoutMs);
  }

  tell(method: string): void {
    this.#options.port.write(line(notificationText(method, null)));
  }

  /** Takes what the edge reports of it. */
  take(event: GatewayEvent): void {
    if (event.type === 'server-spawned') {
      if (this.#wait?.for === 'up') this.#wait.resolve(NOTHING);
    } else if (event.type === 'server-message') this.#hear(event.frame);
    else if (event.type === 'server-noise' && event.id !== null) this.#fail(event.id, `its answer is ${event.reason}`);
    else if (event.type === 'server-deaf') this.#gone('it closed its pipes');
    else if (event.type === 'server-memory' && event.limit === 'hard') this.#options.port.stop();
    else if (event.type === 'server-exited') {
      this.#exit = event.exit;
      this.#gone(event.exit.cause);
      this.#resolveEnded();
    }
  }

  // — internal —

  #hear(frame: Frame): void {
    const { envelope, bytes } = frame;
    if (envelope.kind === 'request') return this.#answer(envelope.method, envelope.id);
    if (envelope.kind === 'notification' || this.#wait?.for !== envelope.id) return;
    this.#wait.resolve(keptOf(bytes, this.#options.mask));
  }

  /** As the host did when it was recorded; what it was not asked then, it cannot do now. */
  #answer(method: string, id: string): void {
    const recorded = this.#answers.get(method)?.shift();
    const { port } = this.#options;
    if (recorded === undefined) {
      const none = method === 'ping' ? resultText(id, '{}') : errorText(id, METHOD_NOT_FOUND, 'not in the recording');
      port.write(line(none));
      return;
    }
    const { result, error } = JSON.parse(recorded) as { result?: unknown; error?: unknown };
    const body = error === undefined ? `"result":${JSON.stringify(result ?? {})}` : `"error":${JSON.stringify(error)}`;
    port.write(line(`{"jsonrpc":"2.0","id":${id},${body}}`));
  }

  async #answered(message: Bytes, id: number, method: string, timeoutMs: number): Promise<Kept> {
    const { server, port } = this.#options;
    if (this.#exit !== null || port.write(message) !== 'ok') {
      throw new McpdError('SERVER_EXITED', {
        what: `${server} was gone`,
        why: this.#exit?.cause ?? 'it does not read',
      });
    }
    return this.#until(String(id), `${method} was not answered`, timeoutMs);
  }

  #until(what: string, otherwise: string, timeoutMs: number): Promise<Kept> {
    const { signal } = this.#options;
    return new Promise<Kept>((resolve, reject) => {
      const late = () =>
        reject(new McpdError('CALL_TIMEOUT', { what: otherwise, why: `within ${timeoutMs / 1000} s` }));
      const timer = setTimeout(late, timeoutMs);
      const off = () => reject(new McpdError('CALL_FAILED', { what: 'the replay was called off' }));
      signal.addEventListener('abort', off, { once: true });
      this.#wait = {
        for: what,
        resolve,
        reject,
        done: () => {
          clearTimeout(timer);
          signal.removeEventListener('abort', off);
          this.#wait = null;
        },
      };
      if (signal.aborted) off();
    }).finally(() => this.#wait?.done());
  }

  #fail(id: string, why: string): void {
    if (this.#wait?.for !== id) return;
    this.#wait.reject(new McpdError('SERVER_EXITED', { what: 'it did not answer', why }));
  }

  #gone(why: string): void {
    this.#wait?.reject(
      new McpdError('SERVER_EXITED', { what: `${this.#options.server} ended before it answered`, why }),
    );
  }
}

/** For its start, or the answer with this id: one at a time. */
interface Wait {
  for: string;
  resolve(kept: Kept): void;
  reject(error: McpdError): void;
  done(): void;
}

const NOTHING: Kept = { text: '', cut: 0, masked: false };
