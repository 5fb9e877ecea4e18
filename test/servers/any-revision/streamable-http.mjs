/** Streamable HTTP with sessions, 2025-03-26 to 2025-11-25. Calls are answered by a stream, everything else by JSON. */
import { randomUUID } from 'node:crypto';
import { METHOD_NOT_FOUND, record } from '../base.mjs';
import { bodyOf, listen, openStream, refuseHttp, sendEvent, sendJson } from './http.mjs';
import { LegacySession } from './legacy-session.mjs';
import { violation } from './revisions.mjs';

export function serveStreamable(options) {
  const sessions = new Map();
  listen(options, '/mcp', async (request, response) => {
    if (request.method === 'POST') return post(request, response, sessions, options);
    const session = sessionOf(request, response, sessions, options);
    if (session === undefined) return;
    if (request.method === 'GET') return stream(request, response, session);
    if (request.method !== 'DELETE') return refuseHttp(response, 405, 'unknown method');
    record('session-ended', { server: options.name });
    sessions.delete(session.id);
    session.standing?.end();
    response.writeHead(200).end();
  });
}

// — internal —

async function post(request, response, sessions, options) {
  const accept = request.headers.accept ?? '';
  if (!accept.includes('application/json') || !accept.includes('text/event-stream')) {
    violation('an Accept without both types', { accept });
    return refuseHttp(response, 406, 'accept both types');
  }
  const message = await bodyOf(request);
  if (Array.isArray(message)) {
    violation('a batch');
    return refuseHttp(response, 400, 'no batches here');
  }
  // How a newer client finds out that it speaks to an older server.
  if (message.method === 'server/discover')
    return refuseHttp(response, 400, 'Method not found', { id: message.id, code: METHOD_NOT_FOUND });
  const session =
    message.method === 'initialize' ? begin(sessions, options) : sessionOf(request, response, sessions, options);
  if (session === undefined) return;
  if (message.id === undefined || message.method === undefined) {
    session.mcp.take(message);
    return response.writeHead(202).end();
  }
  const headers = message.method === 'initialize' ? { 'Mcp-Session-Id': session.id } : {};
  const streams = message.method === 'tools/call';
  if (streams) openStream(response, headers);
  session.answers.set(message.id, (answer) => {
    if (streams) sendEvent(response, answer);
    else sendJson(response, 200, answer, headers);
    if (answer.method === undefined) {
      session.answers.delete(message.id);
      response.end();
    }
  });
  session.mcp.take(message);
}

function begin(sessions, options) {
  const session = { id: randomUUID(), answers: new Map(), standing: undefined, held: [], mcp: undefined };
  session.mcp = new LegacySession(options, (message, about) => {
    const answer = about === undefined ? undefined : session.answers.get(about);
    if (answer !== undefined) answer(message);
    else if (session.standing === undefined) session.held.push(message);
    else sendEvent(session.standing, message);
  });
  sessions.set(session.id, session);
  return session;
}

function sessionOf(request, response, sessions, { revision }) {
  const id = request.headers['mcp-session-id'];
  if (id === undefined) {
    violation('no session id', { method: request.method });
    refuseHttp(response, 400, 'a session id is required');
    return undefined;
  }
  const version = request.headers['mcp-protocol-version'];
  if (revision >= '2025-06-18' && version !== revision) {
    violation('a wrong version header', { version });
    refuseHttp(response, 400, `the version header must be ${revision}`);
    return undefined;
  }
  const session = sessions.get(id);
  if (session === undefined) refuseHttp(response, 404, 'no such session');
  return session;
}

function stream(request, response, session) {
  if (session.standing !== undefined) {
    violation('a second standing stream');
    return refuseHttp(response, 409, 'there is a stream already');
  }
  session.standing = response;
  openStream(response);
  for (const message of session.held.splice(0)) sendEvent(response, message);
  request.on('close', () => {
    if (session.standing === response) session.standing = undefined;
  });
}
