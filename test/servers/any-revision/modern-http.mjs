/** Streamable HTTP of the stateless revision: POST only, and headers that repeat the body. */
import { bodyOf, listen, openStream, refuseHttp, sendEvent, sendJson } from './http.mjs';
import { ModernServer } from './modern-server.mjs';
import { HEADER_MISMATCH, PREFIX, violation } from './revisions.mjs';

const STREAMED = ['tools/call', 'subscriptions/listen'];
const STATUS = { [-32601]: 404, [-32020]: 400, [-32021]: 400, [-32022]: 400 };
const NAMED = { 'tools/call': 'name', 'prompts/get': 'name', 'resources/read': 'uri' };

export function serveModernHttp(options) {
  const server = new ModernServer(options);
  listen(options, '/mcp', async (request, response) => {
    if (request.method !== 'POST') return refuseHttp(response, 405, 'POST only');
    const message = await bodyOf(request);
    const mismatch = mismatchOf(message, request.headers);
    if (mismatch !== undefined) {
      // An older client may knock in its own way first.
      if (message.method !== 'initialize') violation(mismatch, { method: message.method });
      return refuseHttp(response, 400, mismatch, { id: message.id, code: HEADER_MISMATCH });
    }
    if (message.id === undefined) {
      violation('a notification over HTTP', { method: message.method });
      return response.writeHead(202).end();
    }
    const streamed = STREAMED.includes(message.method);
    const channel = server.channel((said) => {
      // What is refused at once is refused with a status; what has begun is a stream.
      if (response.headersSent || (streamed && said.error === undefined)) {
        if (!response.headersSent) openStream(response);
        sendEvent(response, said);
      } else sendJson(response, STATUS[said.error?.code] ?? 200, said);
      if (said.method === undefined) response.end();
    });
    response.on('close', () => server.close(channel));
    server.take(message, channel);
  });
}

// — internal —

function mismatchOf({ method, params }, headers) {
  const version = params?._meta?.[`${PREFIX}protocolVersion`];
  if (headers['mcp-protocol-version'] !== version) return `the header MCP-Protocol-Version does not say ${version}`;
  if (headers['mcp-method'] !== method) return `the header Mcp-Method does not say ${method}`;
  const name = NAMED[method] === undefined ? undefined : params[NAMED[method]];
  if (decoded(headers['mcp-name']) !== name) return `the header Mcp-Name does not say ${name}`;
  return undefined;
}

function decoded(value) {
  const coded = /^=\?base64\?(.*)\?=$/.exec(value ?? '');
  return coded === null ? value : Buffer.from(coded[1], 'base64').toString();
}
