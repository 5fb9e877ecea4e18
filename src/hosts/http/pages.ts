import type { IncomingMessage } from 'node:http';
import type { Headers } from './respond.ts';

/** What browsers must be told, so that a page of this machine can use its token. No other page gets so far. */

/** What a page of this machine may do, if it has a token: no other page gets so far. */
export function headersForPage(origin: string): Headers {
  return [
    'access-control-allow-origin',
    origin,
    'vary',
    'origin',
    'access-control-expose-headers',
    'Mcp-Session-Id, WWW-Authenticate',
  ];
}

/** The answer to a page that asks before it sends: its token comes with the request itself. */
export function preflight(headers: Headers, incoming: IncomingMessage): Headers {
  const asked = (incoming.headers['access-control-request-headers'] ?? '').toLowerCase().split(',');
  const allowed = asked.flatMap((name) => (SENT_BY_PAGES.test(name.trim()) ? name.trim() : [])).join(', ');
  return [...headers, ...METHODS_FOR_PAGES, 'access-control-allow-headers', allowed];
}

// — internal —

const SENT_BY_PAGES = /^(?:accept|authorization|content-type|last-event-id|mcp-[a-z0-9-]+)$/;

const METHODS_FOR_PAGES: Headers = [
  'access-control-allow-methods',
  'GET, POST, DELETE',
  'access-control-max-age',
  '600',
];
