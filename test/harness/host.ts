import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import type { ListedTool, Message, MessageId, Result } from './message.ts';

/** How long an answer may take before a test gives up: generous, since nothing here proves speed. */
const ANSWER_TIMEOUT_MS = 45_000;
/** How long a process may take to leave after its stdin was closed, before it is killed. */
const CLOSE_TIMEOUT_MS = 30_000;
/** How long output may still come after the process itself has gone. */
const LAST_OUTPUT_MS = 1000;
const LIST_PAGES_MAX = 200;
const STDERR_KEPT = 200_000;
const LINE_FEED = 10;

export interface Exit {
  code: number | null;
  signal: NodeJS.Signals | null;
  /** `ENOENT` and the like, when there never was a process. */
  spawnError?: string;
}

export type Reply = { result: Record<string, unknown> } | { error: { code: number; message: string; data?: unknown } };

export interface HostOptions {
  env?: NodeJS.ProcessEnv;
  cwd?: string;
  /** What `init` declares. */
  capabilities?: Record<string, unknown>;
}

export interface AskOptions {
  id?: MessageId;
  timeoutMs?: number;
}

interface Waiting {
  settle(message: Message, line: Buffer): void;
  fail(reason: Error): void;
}

/**
 * A small scripted MCP host over a spawned command. It speaks lines, not an SDK, so that a test can send what no SDK would send and
 * see what no SDK would show: every line is kept as bytes, unparsable ones in `noise`, answers that nobody waits for in `strays`.
 */
export class Host {
  readonly lines: Buffer[] = [];
  readonly messages: Message[] = [];
  readonly notifications: Message[] = [];
  /** Requests that the other side sent to us. */
  readonly requests: Message[] = [];
  /** Answers to ids that are not open: a second answer, or one to a request of somebody else. */
  readonly strays: Message[] = [];
  readonly noise: string[] = [];
  stderr = '';
  /** Set once the process has gone. */
  exit: Exit | undefined;
  /** Resolves when the process has gone and its output was read. */
  readonly exited: Promise<Exit>;
  /** Answers requests of the other side. Without a handler they get -32601; undefined leaves them unanswered. */
  onRequest: ((request: Message) => Reply | Promise<Reply> | undefined) | undefined;
  onNotification: ((notification: Message) => void) | undefined;

  private readonly process: ChildProcessWithoutNullStreams;
  private readonly capabilities: Record<string, unknown>;
  private readonly waiting = new Map<string, Waiting>();
  private pieces: Buffer[] = [];
  private nextId = 1;

  constructor(command: readonly string[], options: HostOptions = {}) {
    const [program, ...args] = command;
    if (program === undefined) throw new RangeError('a host needs a command');
    this.capabilities = options.capabilities ?? {};
    this.process = spawn(program, args, {
      env: options.env ?? process.env,
      cwd: options.cwd,
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    // A write to a process that has gone ends as EPIPE; its exit is reported anyway.
    this.process.stdin.on('error', () => {});
    this.process.stdout.on('data', (chunk: Buffer) => this.take(chunk));
    this.process.stderr.on('data', (chunk: Buffer) => {
      if (this.stderr.length < STDERR_KEPT) this.stderr += chunk.toString();
    });
    this.exited = new Promise((resolve) => {
      const leave = (exit: Exit) => {
        this.exit ??= exit;
        for (const waiting of [...this.waiting.values()])
          waiting.fail(new Error(`the process has gone ${JSON.stringify(exit)}\n${this.stderr}`));
        resolve(this.exit);
      };
      this.process.on('error', (error: NodeJS.ErrnoException) =>
        leave({ code: null, signal: null, spawnError: error.code ?? error.message }),
      );
      this.process.on('close', (code, signal) => leave({ code, signal }));
      // A grandchild that holds the pipes must not hide that the process itself has gone.
      this.process.on('exit', (code, signal) => setTimeout(() => leave({ code, signal }), LAST_OUTPUT_MS));
    });
  }

  get pid(): number | undefined {
    return this.process.pid;
  }

  /** Writes bytes as they are, for lines that no JSON library would print. */
  sendRaw(bytes: string | Uint8Array): void {
    this.process.stdin.write(bytes);
  }

  send(message: Message): void {
    this.sendRaw(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`);
  }

  notify(method: string, params?: Record<string, unknown>): void {
    this.send(params === undefined ? { method } : { method, params });
  }

  /** Sends a request and resolves with its answer, result or error alike. @throws {Error} no answer in time, or the process has gone. */
  async ask(method: string, params?: Record<string, unknown>, options: AskOptions = {}): Promise<Message> {
    return (await this.askForLine(method, params, options)).message;
  }

  /** As `ask`, with the bytes of the answer's line. */
  askForLine(
    method: string,
    params?: Record<string, unknown>,
    options: AskOptions = {},
  ): Promise<{ message: Message; line: Buffer }> {
    const id = options.id === undefined ? this.nextId++ : options.id;
    const answer = this.expect(id, options.timeoutMs, method);
    this.send(params === undefined ? { id, method } : { id, method, params });
    return answer;
  }

  /** Waits for the answer to `id`, which the test sends itself. */
  expect(id: MessageId, timeoutMs = ANSWER_TIMEOUT_MS, what = 'request'): Promise<{ message: Message; line: Buffer }> {
    const key = JSON.stringify(id);
    return new Promise((resolve, reject) => {
      if (this.exit !== undefined)
        return reject(new Error(`the process has gone ${JSON.stringify(this.exit)}\n${this.stderr}`));
      const done = () => {
        clearTimeout(timer);
        this.waiting.delete(key);
      };
      const timer = setTimeout(() => {
        done();
        reject(new Error(`no answer to ${what} ${key} within ${timeoutMs} ms\n${this.stderr}`));
      }, timeoutMs);
      this.waiting.set(key, {
        settle: (message, line) => {
          done();
          resolve({ message, line });
        },
        fail: (reason) => {
          done();
          reject(reason);
        },
      });
    });
  }

  /** As `ask`, for requests that must succeed. @throws {Error} the answer is an error. */
  async result(method: string, params?: Record<string, unknown>, options: AskOptions = {}): Promise<Result> {
    const answer = await this.ask(method, params, options);
    if (answer.result === undefined) throw new Error(`${method} was refused: ${JSON.stringify(answer.error)}`);
    return answer.result;
  }

  /** The legacy handshake: `initialize`, its answer, `notifications/initialized`. */
  async init(protocolVersion = '2025-11-25', capabilities = this.capabilities): Promise<Result> {
    const clientInfo = { name: 'scripted-host', version: '1.0.0' };
    const result = await this.result('initialize', { protocolVersion, capabilities, clientInfo });
    this.notify('notifications/initialized');
    return result;
  }

  call(
    name: string,
    args: Record<string, unknown> = {},
    options: AskOptions & { meta?: Record<string, unknown> } = {},
  ): Promise<Message> {
    const params = { name, arguments: args, ...(options.meta === undefined ? {} : { _meta: options.meta }) };
    return this.ask('tools/call', params, options);
  }

  /** All pages of `tools/list`. */
  async tools(): Promise<ListedTool[]> {
    const tools: ListedTool[] = [];
    let cursor: string | undefined;
    for (let page = 0; page < LIST_PAGES_MAX; page++) {
      const result = await this.result('tools/list', cursor === undefined ? undefined : { cursor });
      tools.push(...(result.tools ?? []));
      cursor = result.nextCursor;
      if (cursor === undefined) return tools;
    }
    throw new Error(`tools/list has more than ${LIST_PAGES_MAX} pages`);
  }

  async toolNames(): Promise<string[]> {
    return (await this.tools()).map((tool) => tool.name);
  }

  /** Closes stdin and waits until the process has left; one that stays is killed. */
  async close(timeoutMs = CLOSE_TIMEOUT_MS): Promise<Exit> {
    this.process.stdin.end();
    const timer = setTimeout(() => this.kill('SIGKILL'), timeoutMs);
    const exit = await this.exited;
    clearTimeout(timer);
    return exit;
  }

  /** Both pipes at once, as a host that crashes: the other side meets EOF and a broken pipe. */
  vanish(): void {
    this.process.stdout.destroy();
    this.process.stdin.destroy();
  }

  /** Stops or goes on reading the other side's output. */
  read(on: boolean): void {
    if (on) this.process.stdout.resume();
    else this.process.stdout.pause();
  }

  kill(signal: NodeJS.Signals = 'SIGKILL'): void {
    if (this.exit === undefined) this.process.kill(signal);
  }

  // — internal —

  private take(chunk: Buffer): void {
    let rest = chunk;
    for (let end = rest.indexOf(LINE_FEED); end >= 0; end = rest.indexOf(LINE_FEED)) {
      const line = Buffer.concat([...this.pieces, rest.subarray(0, end)]);
      this.pieces = [];
      rest = rest.subarray(end + 1);
      this.takeLine(line);
    }
    if (rest.length > 0) this.pieces.push(rest);
  }

  private takeLine(line: Buffer): void {
    this.lines.push(line);
    const message = parse(line);
    if (message === undefined) {
      this.noise.push(line.toString());
      return;
    }
    this.messages.push(message);
    if (message.method !== undefined && message.id !== undefined) {
      void this.takeRequest(message);
    } else if (message.method !== undefined) {
      this.notifications.push(message);
      this.onNotification?.(message);
    } else {
      const waiting = this.waiting.get(JSON.stringify(message.id));
      if (waiting === undefined) this.strays.push(message);
      else waiting.settle(message, line);
    }
  }

  private async takeRequest(request: Message): Promise<void> {
    this.requests.push(request);
    const reply = this.onRequest === undefined ? METHOD_NOT_FOUND : await this.onRequest(request);
    if (reply !== undefined) this.send({ id: request.id ?? null, ...reply } as Message);
  }
}

const METHOD_NOT_FOUND: Reply = { error: { code: -32601, message: 'Method not found' } };

function parse(line: Buffer): Message | undefined {
  try {
    const value: unknown = JSON.parse(line.toString());
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Message) : undefined;
  } catch {
    return undefined; // Noise is what some tests are about; the caller keeps it.
  }
}
