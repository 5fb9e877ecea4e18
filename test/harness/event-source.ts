import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from 'node:http';
import type { Message } from './message.ts';
import { until } from './until.ts';

/** One event of a stream, with the fields that were written. */
export interface StreamEvent {
  id?: string;
  event?: string;
  retry?: string;
  data?: string;
}

export interface HttpQuestion {
  method?: string;
  path?: string;
  headers?: Record<string, string>;
  body?: string | Buffer | object;
}

/** One HTTP request as a host makes it, with everything that came back so far: an answer may be a stream. */
export class HttpCall {
  readonly #request: ClientRequest;
  #response: IncomingMessage | undefined;
  #text = '';
  #isOver = false;

  constructor(port: number, { method = 'POST', path = '/mcp', headers = {}, body }: HttpQuestion) {
    const bytes = body === undefined || typeof body === 'string' || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    this.#request = request({ host: '127.0.0.1', port, method, path, headers, agent: false }, (response) => {
      this.#response = response;
      response.setEncoding('utf8').on('data', (part: string) => {
        this.#text += part;
      });
      response.on('close', () => {
        this.#isOver = true;
      });
      response.on('error', () => undefined); // cut off: `close` follows
    });
    this.#request.on('error', () => {
      this.#isOver = true;
    });
    this.#request.end(bytes);
  }

  get status(): number {
    return this.#response?.statusCode ?? 0;
  }

  get headers(): IncomingHttpHeaders {
    return this.#response?.headers ?? {};
  }

  get text(): string {
    return this.#text;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  get json(): Message {
    return JSON.parse(this.#text);
  }

  /** The whole events so far. */
  get events(): StreamEvent[] {
    const whole = this.#text.slice(0, this.#text.lastIndexOf('\n\n') + 2);
    return whole.split('\n\n').flatMap((block) => eventOf(block) ?? []);
  }

  /** The messages among them. */
  get messages(): Message[] {
    return this.events.flatMap(({ data, event }) =>
      data && (event ?? 'message') === 'message' ? [JSON.parse(data)] : [],
    );
  }

  /** Resolves when the answer has come to its end. */
  async whole(): Promise<this> {
    await until('the whole answer', () => this.#isOver);
    return this;
  }

  /** Resolves when the head of the answer is there. */
  async begun(): Promise<this> {
    await until('the head of the answer', () => this.#response !== undefined || this.#isOver);
    return this;
  }

  hangUp(): void {
    this.#request.destroy();
  }
}

// — internal —

function eventOf(block: string): StreamEvent | null {
  const lines = block.split('\n').filter((line) => line !== '' && !line.startsWith(':'));
  if (lines.length === 0) return null;
  return Object.fromEntries(lines.map((line) => [line.slice(0, line.indexOf(':')), line.slice(line.indexOf(':') + 2)]));
}
