import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createSecureServer } from 'node:https';
import type { AddressInfo } from 'node:net';

export interface SeenRequest {
  method: string;
  path: string;
  headers: IncomingHttpHeaders;
  /** As it came. */
  text: string;
  message: Message;
}

interface Message {
  id?: unknown;
  method?: string;
  params?: Record<string, unknown>;
}

/** A remote server as a test writes it: one function answers everything. */
export interface StandInServer {
  origin: string;
  /** Its MCP endpoint. */
  url: string;
  seen: SeenRequest[];
  /** The messages of this method, in their order. */
  of(method: string): SeenRequest[];
  answer: Answering;
  close(): Promise<void>;
}

export type Answering = (request: SeenRequest, response: ServerResponse) => void | Promise<void>;

/** With `tls` by https; `origin` and `url` name the loopback all the same. */
export async function startStandIn(answer: Answering, tls?: { key: Buffer; cert: Buffer }): Promise<StandInServer> {
  const listen = (incoming: IncomingMessage, response: ServerResponse) => void serve(incoming, response);
  const listener = tls === undefined ? createServer(listen) : createSecureServer(tls, listen);
  // Not its own business here: what mcpd does about an idle connection is.
  listener.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const origin = `${tls === undefined ? 'http' : 'https'}://127.0.0.1:${(listener.address() as AddressInfo).port}`;
  const server: StandInServer = {
    origin,
    url: `${origin}/mcp`,
    seen: [],
    of: (method) => server.seen.filter(({ message }) => message.method === method),
    answer,
    close: () => {
      listener.closeAllConnections();
      return new Promise((resolve) => listener.close(() => resolve()));
    },
  };
  async function serve(incoming: IncomingMessage, response: ServerResponse): Promise<void> {
    const chunks: Buffer[] = [];
    for await (const chunk of incoming) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    const { method = '', url = '/', headers } = incoming;
    const request = { method, path: url, headers, text, message: text === '' ? {} : (JSON.parse(text) as Message) };
    server.seen.push(request);
    await server.answer(request, response);
  }
  return server;
}

export function sendJson(
  response: ServerResponse,
  text: string,
  status = 200,
  headers: Record<string, string> = {},
): void {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(text);
}

export function sendResult(response: ServerResponse, request: SeenRequest, result: unknown): void {
  sendJson(response, JSON.stringify({ jsonrpc: '2.0', id: request.message.id, result }));
}

/** Begins a stream of events. */
export function streamOn(response: ServerResponse): { event(data: unknown, fields?: string): void } {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  response.flushHeaders();
  return {
    event: (data, fields = '') => {
      const text = typeof data === 'string' ? data : JSON.stringify(data);
      response.write(`${fields}data: ${text}\n\n`);
    },
  };
}

/** The handshake of a legacy server with sessions, its unasked stream refused; `rest` answers everything else. */
export function legacyServer(rest: Answering, sessionId = 'session-1'): Answering {
  return (request, response) => {
    const { method } = request.message;
    if (method === 'initialize') {
      const result = { protocolVersion: LEGACY, capabilities: {}, serverInfo: { name: 'stand-in', version: '1' } };
      return sendJson(response, JSON.stringify({ jsonrpc: '2.0', id: request.message.id, result }), 200, {
        'mcp-session-id': sessionId,
      });
    }
    if (method === 'notifications/initialized') return void response.writeHead(202).end();
    if (request.method !== 'POST' && method === undefined) return void response.writeHead(405).end();
    return rest(request, response);
  };
}

export const LEGACY = '2025-11-25';
export const MODERN = '2026-07-28';
