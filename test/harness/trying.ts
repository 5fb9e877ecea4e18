import { readFileSync } from 'node:fs';
import { type ClientRequest, request as httpRequest } from 'node:http';
import { connect } from 'node:net';
import type { TryAnswer, TryEvent, TryRequest } from '../../src/api/contract/tries.ts';
import { insideHome } from '../../src/home.ts';
import { type Paths, pathsOf } from '../../src/paths.ts';
import { until } from './until.ts';

/** Which of the two listeners of the control API is asked. */
export type Way = 'the socket' | '127.0.0.1';

type Of<T extends TryEvent['type']> = Extract<TryEvent, { type: T }>;

/** A person tries a server, as the page does it. */
export class Try {
  readonly events: TryEvent[] = [];
  /** Of the answer; 0 while there is none. */
  status = 0;
  /** An answer that is no stream of events. */
  body = '';
  isOver = false;
  private readonly way: Way;
  private readonly place: Place;
  private readonly outgoing: ClientRequest;

  constructor(place: Place, server: string, request: unknown, way: Way = '127.0.0.1') {
    this.way = way;
    this.place = place;
    this.outgoing = ask(place, way, `/api/servers/${server}/tries`, request);
    this.outgoing.on('error', () => (this.isOver = true)); // it was left
    this.outgoing.on('response', (response) => {
      this.status = response.statusCode ?? 0;
      response.on('error', () => undefined);
      response.on('close', () => (this.isOver = true));
      response.setEncoding('utf8').on('data', (part: string) => this.take(part));
    });
  }

  /** The first event of this kind; waits for it. */
  async first<T extends TryEvent['type']>(type: T): Promise<Of<T>> {
    await until(`a ${type} of the try`, () => this.of(type).length > 0 || this.isOver);
    const [found] = this.of(type);
    if (found === undefined) throw new Error(`it ended with ${JSON.stringify(this.events)} ${this.body}`);
    return found;
  }

  of<T extends TryEvent['type']>(type: T): Of<T>[] {
    return this.events.filter((event): event is Of<T> => event.type === type);
  }

  /** The last event. */
  async end(): Promise<TryEvent | undefined> {
    await until('the end of the try', () => this.isOver);
    return this.events.at(-1);
  }

  /** The texts of the result. */
  async texts(): Promise<string[]> {
    const { result } = await this.first('result');
    const { content } = JSON.parse(result) as { content: { text: string }[] };
    return content.map(({ text }) => text);
  }

  /** Status and body of the answer to an answer. */
  async answer(question: string, answer: TryAnswer): Promise<{ status: number; body: unknown }> {
    const { id } = await this.first('started');
    const outgoing = ask(this.place, this.way, `/api/tries/${id}/answers/${question}`, answer);
    return new Promise((resolve, reject) => {
      outgoing.on('error', reject);
      outgoing.on('response', (response) => {
        let text = '';
        response.setEncoding('utf8').on('data', (part: string) => (text += part));
        response.on('end', () => resolve({ status: response.statusCode ?? 0, body: JSON.parse(text) }));
      });
    });
  }

  /** Closes the page. */
  leave(): void {
    this.outgoing.destroy();
  }

  private take(part: string): void {
    const lines = (this.body + part).split('\n');
    this.body = lines.pop() ?? '';
    this.events.push(...lines.map((line) => JSON.parse(line) as TryEvent));
  }
}

export interface Place {
  paths: Paths;
  port: number;
}

export function placeOf(home: { mcpdHome: string; port: number }): Place {
  return { paths: pathsOf(home.mcpdHome), port: home.port };
}

/** A tool of the server, as the form of the page asks for it. */
export function tool(name: string, args: Record<string, unknown> = {}): TryRequest {
  return { kind: 'tool', name, arguments: args };
}

// — internal —

function ask({ paths, port }: Place, way: Way, path: string, body: unknown): ClientRequest {
  const text = JSON.stringify(body);
  const type = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(text) };
  const options =
    way === 'the socket'
      ? { createConnection: () => insideHome(paths.home, () => connect(paths.apiSocket)), headers: type }
      : {
          agent: false as const,
          host: '127.0.0.1',
          port,
          headers: { ...type, authorization: `Bearer ${readFileSync(paths.token, 'utf8').trim()}` },
        };
  const outgoing = httpRequest({ ...options, path, method: 'POST' });
  outgoing.end(text);
  return outgoing;
}
