/** The transport of 2024-11-05: one stream for all that the server says, and a URL to post to, which the stream names first. */
import { randomUUID } from 'node:crypto';
import { bodyOf, listen, openStream, refuseHttp, sendEvent } from './http.mjs';
import { LegacySession } from './legacy-session.mjs';

export function serveSse(options) {
  const sessions = new Map();
  listen(options, '/sse', async (request, response) => {
    const url = new URL(request.url, 'http://127.0.0.1');
    if (request.method === 'GET' && url.pathname === '/sse') return open(request, response, sessions, options);
    if (request.method !== 'POST' || url.pathname !== '/messages')
      return refuseHttp(response, 405, 'POST to /messages');
    const session = sessions.get(url.searchParams.get('session'));
    if (session === undefined) return refuseHttp(response, 404, 'no such session');
    session.take(await bodyOf(request));
    response.writeHead(202).end('Accepted');
  });
}

// — internal —

function open(request, response, sessions, options) {
  const id = randomUUID();
  openStream(response);
  response.write(`event: endpoint\ndata: /messages?session=${id}\n\n`);
  sessions.set(id, new LegacySession(options, (message) => sendEvent(response, message)));
  request.on('close', () => sessions.delete(id));
}
