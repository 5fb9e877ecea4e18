import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One version of a server, as its publisher wrote it, and what the registry says of it. */
export interface PublishedVersion {
  server: { name: string; version: string; [member: string]: unknown };
  status?: string;
  statusMessage?: string;
  /** RFC 3339. Without one the registry says nothing of its own, as sub-registries may. */
  publishedAt?: string;
  isLatest?: boolean;
}

/** How a request is answered in the place of the right answer. */
export type RegistryFault = (request: IncomingMessage, response: ServerResponse, url: URL) => void;

export interface RegistryStandIn {
  /** Where it listens: the address of the registry. */
  address: string;
  /** Path and query of every request, oldest first. */
  readonly requests: string[];
  /** Takes the place of every answer while it is set. */
  fault: RegistryFault | null;
  publish(...versions: PublishedVersion[]): void;
  close(): Promise<void>;
}

/**
 * A registry on the loopback that answers as the API's document says: lists by page with a cursor that only it understands, all versions of a
 * server newest first, one version or `latest`; names and versions are single, encoded parts of the path.
 */
export async function startMcpRegistry(
  versions: readonly PublishedVersion[] = [],
  { cursorName = 'nextCursor', pageMax = 100 }: { cursorName?: 'nextCursor' | 'next_cursor'; pageMax?: number } = {},
): Promise<RegistryStandIn> {
  const all = [...versions];
  const requests: string[] = [];
  const standIn = { requests, fault: null as RegistryFault | null };
  const server = createServer((request, response) => {
    requests.push(request.url ?? '/');
    const url = new URL(request.url ?? '/', 'http://stand-in');
    if (standIn.fault !== null) return standIn.fault(request, response, url);
    answerAs(url, response, all, cursorName, pageMax);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return Object.assign(standIn, {
    address: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    publish: (...more: PublishedVersion[]) => all.push(...more),
    close: () =>
      new Promise<void>((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  });
}

export function json(response: ServerResponse, status: number, value: unknown, headers: Record<string, string> = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(value));
}

/** A server that npm has, in one version. */
export function npmServer(
  name: string,
  version: string,
  identifier: string,
  more: Record<string, unknown> = {},
): PublishedVersion['server'] {
  return {
    $schema: 'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
    name,
    description: `What ${identifier} does`,
    version,
    packages: [{ registryType: 'npm', identifier, version, transport: { type: 'stdio' } }],
    ...more,
  };
}

// — internal —

function answerAs(
  url: URL,
  response: ServerResponse,
  all: readonly PublishedVersion[],
  cursorName: string,
  pageMax: number,
): void {
  const parts = url.pathname.split('/').slice(1).map(decodeURIComponent);
  if (parts[0] !== 'v0.1' || parts[1] !== 'servers') return json(response, 404, { error: 'Not Found' });
  const [, , name, versions, version] = parts;
  if (name === undefined) return listed(url, response, all, cursorName, pageMax);
  const mine = newestFirst(all.filter(({ server }) => server.name === name));
  if (mine.length === 0 || versions !== 'versions') return json(response, 404, { error: 'Server not found' });
  if (version === undefined) return paged(url, response, mine, cursorName, pageMax);
  const one = version === 'latest' ? mine[0] : mine.find(({ server }) => server.version === version);
  if (one === undefined) return json(response, 404, { error: 'Server not found' });
  json(response, 200, entryOf(one));
}

function listed(
  url: URL,
  response: ServerResponse,
  all: readonly PublishedVersion[],
  cursorName: string,
  pageMax: number,
): void {
  const search = (url.searchParams.get('search') ?? '').toLowerCase();
  const version = url.searchParams.get('version');
  const fits = all.filter(
    (one) =>
      one.server.name.toLowerCase().includes(search) &&
      (version === null || (version === 'latest' ? one.isLatest !== false : one.server.version === version)),
  );
  paged(url, response, fits, cursorName, pageMax);
}

function paged(
  url: URL,
  response: ServerResponse,
  fits: readonly PublishedVersion[],
  cursorName: string,
  pageMax: number,
): void {
  const limit = Math.min(Number(url.searchParams.get('limit') ?? 30), pageMax);
  const cursor = url.searchParams.get('cursor');
  const from = cursor === null ? 0 : fits.findIndex((one) => cursorOf(one) === cursor) + 1;
  if (cursor !== null && from === 0) return json(response, 400, { error: 'bad cursor' });
  const page = fits.slice(from, from + limit);
  const last = page.at(-1);
  const next = last !== undefined && from + limit < fits.length ? { [cursorName]: cursorOf(last) } : {};
  json(response, 200, { servers: page.map(entryOf), metadata: { ...next, count: page.length } });
}

/** With signs that mean something in an address. */
function cursorOf({ server }: PublishedVersion): string {
  return `${server.name}:${server.version}&?#=+`;
}

function newestFirst(versions: readonly PublishedVersion[]): PublishedVersion[] {
  return [...versions].sort((one, other) => {
    const isLatest = one.isLatest !== false;
    if (isLatest !== (other.isLatest !== false)) return isLatest ? -1 : 1;
    return (other.publishedAt ?? '').localeCompare(one.publishedAt ?? '');
  });
}

function entryOf({ server, publishedAt, status = 'active', statusMessage, isLatest = true }: PublishedVersion) {
  const own = {
    status,
    ...(statusMessage === undefined ? {} : { statusMessage }),
    publishedAt,
    updatedAt: publishedAt,
    isLatest,
  };
  return publishedAt === undefined
    ? { server }
    : { server, _meta: { 'io.modelcontextprotocol.registry/official': own } };
}
