import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { AuthorizationServer } from './authorization-server.ts';

/** A remote MCP server behind a login, on 127.0.0.1; only as much MCP as a handshake, a list and calls need. */
export interface ProtectedServer {
  /** Of its MCP endpoint. */
  url: string;
  /** Whose tokens it takes. */
  issuer: AuthorizationServer;
  /** What its metadata says that tokens are for. */
  resource: string;
  /** Scopes that a call of this tool needs. */
  needs: Map<string, string>;
  /** Sends its metadata's address with each refusal. */
  namesMetadata: boolean;
  /** Its metadata, instead of the right one. */
  metadata: Record<string, unknown> | null;
  /** Every `Authorization` that it was sent. */
  seen: string[];
  /** Answers 200; how often. */
  served: number;
  close(): Promise<void>;
}

export async function startProtectedServer(issuer: AuthorizationServer, path = '/mcp'): Promise<ProtectedServer> {
  const listener = createServer((incoming, outgoing) => void serve(server, incoming, outgoing));
  await new Promise<void>((resolve) => listener.listen(0, '127.0.0.1', resolve));
  const url = `http://127.0.0.1:${(listener.address() as AddressInfo).port}${path}`;
  const server: ProtectedServer = {
    url,
    issuer,
    resource: url,
    needs: new Map([['write', 'mcp:write']]),
    namesMetadata: true,
    metadata: null,
    seen: [],
    served: 0,
    close: () => {
      listener.closeAllConnections();
      return new Promise((resolve) => listener.close(() => resolve()));
    },
  };
  return server;
}

// — internal —

const METADATA = '/.well-known/oauth-protected-resource';

interface Message {
  id?: unknown;
  method?: string;
  params?: { name?: string; protocolVersion?: string };
}

async function serve(server: ProtectedServer, incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const { origin, pathname } = new URL(server.url);
  const path = new URL(incoming.url ?? '/', origin).pathname;
  if (path === `${METADATA}${pathname}`) {
    const metadata = { resource: server.resource, authorization_servers: [server.issuer.issuer] };
    return json(outgoing, 200, server.metadata ?? metadata);
  }
  if (path !== pathname || incoming.method !== 'POST') return json(outgoing, 404, {});
  const message = JSON.parse(await textOf(incoming)) as Message;
  const { authorization = '' } = incoming.headers;
  server.seen.push(authorization);
  const facts = await server.issuer.lookUp(authorization.replace(/^Bearer /, ''));
  const where = server.namesMetadata ? `, resource_metadata="${origin}${METADATA}${pathname}"` : '';
  if (facts === null || facts.audience !== server.resource)
    return refused(outgoing, 401, `Bearer error="invalid_token", scope="mcp:read"${where}`);
  const needed = server.needs.get(message.params?.name ?? '');
  if (needed !== undefined && !needed.split(' ').every((scope) => facts.scopes.includes(scope)))
    return refused(outgoing, 403, `Bearer error="insufficient_scope", scope="${needed}"${where}`);
  server.served++;
  if (message.id === undefined) return void outgoing.writeHead(202).end();
  return json(outgoing, 200, { jsonrpc: '2.0', id: message.id, ...answerTo(message, facts.account) });
}

function answerTo({ method, params }: Message, account: string): Record<string, unknown> {
  const tool = (name: string) => ({ name, inputSchema: { type: 'object' } });
  if (method === 'initialize') {
    const serverInfo = { name: 'protected', version: '1' };
    return { result: { protocolVersion: params?.protocolVersion, capabilities: { tools: {} }, serverInfo } };
  }
  if (method === 'ping') return { result: {} };
  if (method === 'tools/list') return { result: { tools: [tool('whoami'), tool('write')] } };
  if (method === 'tools/call')
    return { result: { content: [{ type: 'text', text: `${params?.name} by ${account}` }] } };
  return { error: { code: -32601, message: 'Method not found' } };
}

function refused(outgoing: ServerResponse, status: number, challenge: string): void {
  outgoing.setHeader('www-authenticate', challenge);
  json(outgoing, status, { error: 'refused' });
}

function json(outgoing: ServerResponse, status: number, value: unknown): void {
  outgoing.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(value));
}

async function textOf(incoming: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of incoming) parts.push(part as Buffer);
  return Buffer.concat(parts).toString('utf8');
}
