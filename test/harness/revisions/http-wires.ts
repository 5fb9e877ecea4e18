import type { Message, MessageId } from '../message.ts';
import { within } from '../until.ts';
import { isAbort, readEvents, readMessages } from './http-exchange.ts';
import { type MakeWire, MODERN, type Receiver, type Revision, type Stream } from './wire.ts';

export interface HttpPlace {
  /** Of the endpoint; of the stream for 2024-11-05. */
  url: string;
  token: string;
}

const NAMED: Record<string, string> = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' };
const VISIBLE_ASCII = /^[\x21-\x7e]+$/;

/** The HTTP transport of a revision. */
export function httpWire(revision: Revision, place: HttpPlace): MakeWire {
  if (revision === MODERN) return modernWire(place);
  if (revision === '2024-11-05') return sseWire(place);
  return streamableWire(revision, place);
}

// — internal —

/** 2026-07-28: one POST per request, headers that repeat it; its stream closed is its cancellation. */
function modernWire({ url, token }: HttpPlace): MakeWire {
  return (receiver) => {
    const exchanges = new Exchanges(receiver);
    return Promise.resolve({
      send: (message) => exchanges.start(url, message, { ...headersOf(token), ...repeated(message) }),
      abort: (id) => {
        exchanges.abort(id);
        return true;
      },
      ready: () => Promise.resolve(),
      close: () => exchanges.end(),
    });
  };
}

/** 2025-03-26 to 2025-11-25: a session, a stream for each request, and a standing one. */
function streamableWire(revision: Revision, { url, token }: HttpPlace): MakeWire {
  return (receiver) => {
    const exchanges = new Exchanges(receiver);
    const session: Record<string, string> = {};
    const headers = () => ({ ...headersOf(token), ...session });
    const standing = new AbortController();
    exchanges.onAnswer = (message, response) => {
      const id = response.headers.get('mcp-session-id');
      if (message.method === 'initialize' && id !== null) session['mcp-session-id'] = id;
      else if (message.method === 'initialize') receiver.fault('no session id with the answer to initialize');
      if (revision >= '2025-06-18') session['mcp-protocol-version'] = revision;
    };
    return Promise.resolve({
      send: (message) => exchanges.start(url, message, headers()),
      abort: () => false,
      ready: async () => {
        const accept = { ...headers(), accept: 'text/event-stream' };
        const response = await fetch(url, { headers: accept, signal: standing.signal });
        if (response.status !== 200) return receiver.fault(`GET: ${response.status} ${await response.text()}`);
        readEvents(response, (data) => receiver.take(JSON.parse(data) as Message, { kind: 'standing' })).catch(
          (error: unknown) => isAbort(error) || receiver.fault(`the standing stream: ${String(error)}`),
        );
      },
      close: async () => {
        const ended = await fetch(url, { method: 'DELETE', headers: headers() });
        if (!ended.ok) receiver.fault(`DELETE: ${ended.status} ${await ended.text()}`);
        standing.abort();
        await exchanges.end();
      },
    });
  };
}

/** 2024-11-05: one stream for everything, whose first event says where to post. */
function sseWire({ url, token }: HttpPlace): MakeWire {
  return async (receiver) => {
    const exchanges = new Exchanges(receiver);
    const stream = new AbortController();
    const response = await fetch(url, {
      headers: { ...headersOf(token), accept: 'text/event-stream' },
      signal: stream.signal,
    });
    if (response.status !== 200) throw new Error(`GET ${url}: ${response.status} ${await response.text()}`);
    const named = new Promise<string>((resolve, reject) => {
      readEvents(response, (data, event) => {
        if (event === 'endpoint') resolve(new URL(data, url).href);
        else receiver.take(JSON.parse(data) as Message, { kind: 'only' });
      }).catch((error: unknown) => {
        if (!isAbort(error)) receiver.fault(`the stream: ${String(error)}`);
        reject(error as Error);
      });
    });
    const endpoint = await within(`the address to post to, of ${url}`, named);
    return {
      send: (message) => exchanges.start(endpoint, message, headersOf(token)),
      abort: () => false,
      ready: () => Promise.resolve(),
      close: async () => {
        stream.abort();
        await exchanges.end();
      },
    };
  };
}

/** The POSTs that are under way. */
class Exchanges {
  /** Called with the head of each answer, before its messages. */
  onAnswer: (message: Message, response: Response) => void = () => {};
  private readonly open = new Map<AbortController, { id: MessageId | undefined; done: Promise<void> }>();
  private readonly receiver: Receiver;

  constructor(receiver: Receiver) {
    this.receiver = receiver;
  }

  /** Resolves with the head of the answer, or when there will be none. */
  start(url: string, message: Message, headers: Record<string, string>): Promise<void> {
    const cancel = new AbortController();
    return new Promise((onHead) => {
      // Node 20: a stream that is aborted between its last byte and its end neither ends nor fails, so nobody waits for that.
      const aborted = new Promise<void>((resolve) => cancel.signal.addEventListener('abort', () => resolve()));
      const done = Promise.race([this.exchange(url, message, headers, cancel.signal, onHead), aborted])
        .catch((error: unknown) => {
          if (!isAbort(error)) this.receiver.fault(`POST ${message.method ?? 'an answer'}: ${String(error)}`);
        })
        .finally(() => {
          this.open.delete(cancel);
          onHead();
        });
      this.open.set(cancel, { id: message.method === undefined ? undefined : message.id, done });
    });
  }

  abort(id: MessageId): void {
    for (const [cancel, exchange] of this.open) if (exchange.id === id) cancel.abort();
  }

  async end(): Promise<void> {
    const left = [...this.open];
    for (const [cancel] of left) cancel.abort();
    await Promise.all(left.map(([, { done }]) => done));
  }

  private async exchange(
    url: string,
    message: Message,
    headers: Record<string, string>,
    signal: AbortSignal,
    onHead: () => void,
  ): Promise<void> {
    const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(message), signal });
    this.onAnswer(message, response);
    onHead();
    const isRequest = message.method !== undefined && message.id !== undefined;
    if (!isRequest && response.status !== 202)
      this.receiver.fault(
        `${response.status} to ${message.method ?? 'an answer'}, not 202: ${await response.clone().text()}`,
      );
    const stream: Stream = isRequest ? { kind: 'of', request: message.id ?? null } : { kind: 'only' };
    await readMessages(response, (received) => this.receiver.take(received, stream));
  }
}

function headersOf(token: string): Record<string, string> {
  return {
    authorization: `Bearer ${token}`,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  };
}

function repeated({ method, params }: Message): Record<string, string> {
  const named = NAMED[method ?? ''];
  const name = named === undefined ? undefined : params?.[named];
  return {
    'mcp-protocol-version': MODERN,
    ...(method !== undefined && { 'mcp-method': method }),
    ...(typeof name === 'string' && { 'mcp-name': VISIBLE_ASCII.test(name) ? name : encoded(name) }),
  };
}

function encoded(text: string): string {
  return `=?base64?${Buffer.from(text).toString('base64')}?=`;
}
