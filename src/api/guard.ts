import { type ErrorParts, McpdError } from '../errors.ts';
import { CALLBACK_PATH } from '../oauth-callback.ts';
import { sameSecret } from './token.ts';

/**
 * Who may ask what. Every web page that the user visits can send requests to 127.0.0.1, and whoever can add a server runs code as the
 * user; so each request is judged by its raw head before anything is loaded or done for it. Pure.
 */

export interface RequestFacts {
  method: string;
  /** The request target as it came: `/api/servers?x=1`. */
  target: string;
  /** Names and values in turn, as they came: duplicates must be seen. */
  rawHeaders: readonly string[];
  /** Asks for a WebSocket. */
  upgrade: boolean;
}

/** What the right request knows. */
export interface Ours {
  port: number;
  token: string;
  /** Reads `/metrics` and nothing else; null as long as nobody has asked for one. */
  scrapeToken: string | null;
}

/**
 * What a request that passed is for. `session` is the one API route that has no token yet: it brings a one-time code. `callback` is a
 * browser on its way back from an authorization server: it brings the state of a login that waits for it.
 */
export type Door = 'page' | 'health' | 'metrics' | 'session' | 'api' | 'socket' | 'callback';

/** Files of the dashboard by path. A table: no path is ever built from a request. */
export const PAGE_FILES: ReadonlyMap<string, { file: string; type: string }> = new Map([
  ['/', { file: 'index.html', type: 'text/html; charset=utf-8' }],
  ['/main.js', { file: 'main.js', type: 'text/javascript; charset=utf-8' }],
  ['/plot.js', { file: 'plot.js', type: 'text/javascript; charset=utf-8' }],
  ['/style.css', { file: 'style.css', type: 'text/css; charset=utf-8' }],
  ['/icon.svg', { file: 'icon.svg', type: 'image/svg+xml' }],
]);

/**
 * A request on 127.0.0.1.
 * @throws {McpdError} FORBIDDEN, UNAUTHORIZED, REQUEST_INVALID, ROUTE_UNKNOWN
 */
export function judgeWeb(facts: RequestFacts, ours: Ours): Door {
  const host = checkHost(facts, ours.port);
  checkShape(facts);
  checkOrigin(facts, host);
  const path = facts.target.split('?', 1)[0] ?? '';
  if (!facts.upgrade && PAGE_FILES.has(path)) {
    if (facts.method !== 'GET') throw forbidden(`${facts.method} is not answered on ${path}`);
    return 'page';
  }
  // Another site sends the browser here, by design. Whoever knows no state gets a page that says so, and nothing happens.
  if (!facts.upgrade && facts.method === 'GET' && path === CALLBACK_PATH) return 'callback';
  checkFetchSite(facts);
  const door = doorOf(facts, path);
  if (door === 'api') {
    checkToken(facts, ours.token);
    if (LOCAL_ONLY.test(path)) throw forbidden('this cannot be seen from a page', 'use the CLI: mcpd --help');
    checkChange(facts.method, path);
  }
  if (door === 'metrics') checkToken(facts, ours.token, ours.scrapeToken);
  checkJson(facts);
  return door;
}

/**
 * A request on api.sock: whoever can open that file is the user.
 * @throws {McpdError} FORBIDDEN, REQUEST_INVALID
 */
export function judgeLocal(facts: RequestFacts): Door {
  checkShape(facts);
  checkJson(facts);
  if (facts.upgrade) return 'socket';
  if (facts.method !== 'GET') return 'api';
  if (facts.target === '/healthz') return 'health';
  return facts.target === '/metrics' ? 'metrics' : 'api';
}

// — internal —

const METHODS = new Set(['GET', 'POST', 'PATCH', 'DELETE']);
const JSON_TYPE = /^application\/json(?:\s*;\s*charset=utf-8)?$/i;
/** No route of ours needs an escape, a dot or a doubled slash, so what is judged here is what is routed later. */
const API_PATH = /^\/api(?:\/[A-Za-z0-9_-]{1,64})+$/;
const SERVER = '/api/servers/[a-z0-9][a-z0-9_-]{0,31}';

/** Who may come in by HTTP, and what servers are given in secret, is the business of the CLI alone. */
const LOCAL_ONLY = /^\/api\/(?:tokens|secrets)(?:\/|$)/;

/**
 * What a page may change: never a command. Adding a server or changing what it runs is asked for, and a person says yes in a terminal or
 * by a code from there.
 */
const CHANGES_BY_PAGE: readonly { method: string; path: RegExp }[] = [
  { method: 'POST', path: new RegExp(`^${SERVER}/(?:start|stop|restart)$`) },
  { method: 'PATCH', path: new RegExp(`^${SERVER}$`) },
  { method: 'POST', path: new RegExp(`^${SERVER}/(?:login|tries|offer|completions|pin)$`) },
  { method: 'POST', path: /^\/api\/outdated$/ },
  { method: 'POST', path: /^\/api\/tries\/t[a-f0-9]{12}\/answers\/q\d{1,9}$/ },
  { method: 'POST', path: /^\/api\/approvals$/ },
  { method: 'POST', path: /^\/api\/approvals\/[a-z0-9]+\/confirm$/ },
  { method: 'DELETE', path: /^\/api\/approvals\/[a-z0-9]+$/ },
  { method: 'POST', path: new RegExp(`^${SERVER}/recording(?:/replay)?$`) },
  { method: 'DELETE', path: new RegExp(`^${SERVER}/recording$`) },
];

/** The Host of the request, which must be ours: a name that an attacker points at 127.0.0.1 (DNS rebinding) is not. */
function checkHost(facts: RequestFacts, port: number): string {
  const [host, ...more] = valuesOf(facts, 'host');
  const ours = [`127.0.0.1:${port}`, `localhost:${port}`, `[::1]:${port}`];
  if (host !== undefined && more.length === 0 && ours.includes(host)) return host;
  throw forbidden('this is not the address of mcpd', `open http://127.0.0.1:${port}/`);
}

function checkShape(facts: RequestFacts): void {
  if (!METHODS.has(facts.method)) throw forbidden(`${facts.method} requests are not answered`);
  if (!facts.target.startsWith('/')) throw invalid('the request target must be a path');
  // Nobody reads it: an answer would wait for its end, and swallow whatever comes.
  if (!hasBody(facts.method) && bringsBody(facts)) throw invalid(`a ${facts.method} request has no body`);
}

/** A page sends its Origin with everything that could do harm; ours is the very address it asks. `null` (a sandbox, a file) is not. */
function checkOrigin(facts: RequestFacts, host: string): void {
  const origins = valuesOf(facts, 'origin');
  if (origins.length === 0) return;
  if (origins.length > 1 || origins[0] !== `http://${host}`) throw forbidden('another web page asked for this');
}

function checkFetchSite(facts: RequestFacts): void {
  const sites = valuesOf(facts, 'sec-fetch-site');
  if (sites.some((site) => site !== 'same-origin' && site !== 'none'))
    throw forbidden('another web page asked for this');
}

function doorOf(facts: RequestFacts, path: string): Door {
  if (facts.upgrade) {
    if (path === '/ws') return 'socket';
  } else {
    if (path === '/healthz' && facts.method === 'GET') return 'health';
    if (path === '/metrics' && facts.method === 'GET') return 'metrics';
    if (path === '/api/session' && facts.method === 'POST') return 'session';
    if (API_PATH.test(path)) return 'api';
  }
  throw new McpdError('ROUTE_UNKNOWN', { what: 'nothing is here' });
}

function checkToken(facts: RequestFacts, token: string, also: string | null = null): void {
  const [given, ...more] = valuesOf(facts, 'authorization');
  const bearer = /^Bearer ([^\s]+)$/.exec(given ?? '')?.[1];
  if (bearer !== undefined && more.length === 0) {
    if (sameSecret(bearer, token)) return;
    if (also !== null && sameSecret(bearer, also)) return;
  }
  throw new McpdError('UNAUTHORIZED', {
    what: 'this needs the token of mcpd',
    fix: 'open the dashboard with: mcpd dashboard',
  });
}

function checkChange(method: string, path: string): void {
  if (method === 'GET') return;
  if (CHANGES_BY_PAGE.some((allowed) => allowed.method === method && allowed.path.test(path))) return;
  throw forbidden('this cannot be done from a page', 'use the CLI: mcpd --help');
}

/** A form or a "simple" request cannot have this type; a page that sets it must ask first (preflight), and is never allowed. */
function checkJson(facts: RequestFacts): void {
  if (!hasBody(facts.method)) return;
  const types = valuesOf(facts, 'content-type');
  if (types.length === 1 && JSON_TYPE.test(types[0] ?? '')) return;
  throw invalid(`a ${facts.method} request needs the header content-type: application/json`);
}

function hasBody(method: string): boolean {
  return method === 'POST' || method === 'PATCH';
}

function bringsBody(facts: RequestFacts): boolean {
  return (
    valuesOf(facts, 'transfer-encoding').length > 0 ||
    valuesOf(facts, 'content-length').some((length) => length !== '0')
  );
}

function valuesOf(facts: RequestFacts, name: string): string[] {
  const values: string[] = [];
  for (let i = 0; i + 1 < facts.rawHeaders.length; i += 2) {
    if (facts.rawHeaders[i]?.toLowerCase() === name) values.push(facts.rawHeaders[i + 1] ?? '');
  }
  return values;
}

function forbidden(what: string, fix?: string): McpdError {
  const parts: ErrorParts = fix === undefined ? { what } : { what, fix };
  return new McpdError('FORBIDDEN', parts);
}

function invalid(what: string): McpdError {
  return new McpdError('REQUEST_INVALID', { what });
}
