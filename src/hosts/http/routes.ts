import { RegExpRouter } from 'hono/router/reg-exp-router';
import type { Scope } from '../../core/model.ts';

/** What is at a path below `/mcp`. */
export type Place =
  /** The URL for hosts: everything is posted there, and a GET opens a stream. */
  | { kind: 'endpoint'; scope: Scope }
  /** HTTP+SSE of the first revision: its stream, and where its messages are posted. */
  | { kind: 'sse'; scope: Scope }
  | { kind: 'messages'; scope: Scope }
  | { kind: 'profile'; name: string };

/** Null: nothing is there. Hono's router alone: what Hono would build around a request costs as much as the call itself. */
export function placeOf(path: string): Place | null {
  if (path === '/mcp') return ENDPOINT;
  const [[found] = [], params = []] = ROUTER.match('ALL', path);
  if (found === undefined) return null;
  const [make, indexes] = found;
  const index = Object.values(indexes)[0];
  return make(typeof index === 'number' ? (params[index] ?? '') : '');
}

/** `/mcp` and whatever is below it. */
export function isBelowMcp(target: string): boolean {
  return target.startsWith('/mcp') && (target.length === 4 || target[4] === '/' || target[4] === '?');
}

// — internal —

type Make = (name: string) => Place;

const ALL: Scope = { kind: 'all' };
const ENDPOINT: Place = { kind: 'endpoint', scope: ALL };
const ofServer = (server: string): Scope => ({ kind: 'server', server });

const ROUTES: readonly (readonly [path: string, Make])[] = [
  ['/mcp', () => ENDPOINT],
  ['/mcp/sse', () => ({ kind: 'sse', scope: ALL })],
  ['/mcp/messages', () => ({ kind: 'messages', scope: ALL })],
  ['/mcp/s/:server', (server) => ({ kind: 'endpoint', scope: ofServer(server) })],
  ['/mcp/s/:server/sse', (server) => ({ kind: 'sse', scope: ofServer(server) })],
  ['/mcp/s/:server/messages', (server) => ({ kind: 'messages', scope: ofServer(server) })],
  ['/mcp/p/:profile', (name) => ({ kind: 'profile', name })],
];

const ROUTER = new RegExpRouter<Make>();
for (const [path, make] of ROUTES) ROUTER.add('ALL', path, make);
