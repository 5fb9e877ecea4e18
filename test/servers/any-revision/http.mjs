import { createServer } from 'node:http';
import { record } from '../base.mjs';

/** Listens on a port of its own, and says on stdout where. Leaves when stdin ends: whoever started it has gone. */
export function listen(options, path, handler) {
  record('start', { server: options.name });
  const server = createServer((request, response) => {
    const host = request.headers.host ?? '';
    if (!/^127\.0\.0\.1(:\d+)?$/.test(host)) return refuseHttp(response, 403, 'a strange Host');
    void handler(request, response);
  });
  server.listen(0, '127.0.0.1', () => {
    process.stdout.write(`http://127.0.0.1:${server.address().port}${path}\n`);
  });
  process.stdin.on('end', () => process.exit(0)).resume();
}

export async function bodyOf(request) {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  return JSON.parse(Buffer.concat(chunks).toString());
}

export function sendJson(response, status, message, headers = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(message));
}

/** Refuses with a JSON-RPC error that belongs to no request, or to `id`. */
export function refuseHttp(response, status, message, { id = null, code = -32600, data } = {}) {
  sendJson(response, status, { jsonrpc: '2.0', id, error: { code, message, data } });
}

export function openStream(response, headers = {}) {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-cache', ...headers });
  response.flushHeaders();
}

export function sendEvent(response, message) {
  response.write(`event: message\ndata: ${JSON.stringify(message)}\n\n`);
}
