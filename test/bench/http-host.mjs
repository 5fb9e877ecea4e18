import { Agent, request } from 'node:http';
import { joined } from './line-splitter.mjs';

const SESSION_REVISION = '2025-06-18';
const STATELESS_REVISION = '2026-07-28';
const RESULT_HEAD = /^\{"(?:jsonrpc":"2\.0","id":\d+,"result|result)":/;
const HEAD_CHARS = 64;
const SOCKETS_MAX = 64;

const META = {
  'io.modelcontextprotocol/protocolVersion': STATELESS_REVISION,
  'io.modelcontextprotocol/clientInfo': { name: 'benchmark', version: '1.0.0' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

/**
 * A host that speaks HTTP over connections that it keeps: in a session of 2025-06-18, or statelessly as of 2026-07-28. An answer that is an
 * error, or no JSON, ends the measurement.
 */
export class HttpHost {
  #agent = new Agent({ keepAlive: true, maxSockets: SOCKETS_MAX });
  #url;
  #headers;
  #stateless;
  #lastId = 0;

  constructor({ url, token }, stateless) {
    this.#url = new URL(url);
    this.#stateless = stateless;
    this.#headers = {
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      ...(token === null ? {} : { authorization: `Bearer ${token}` }),
      ...(stateless ? { 'mcp-protocol-version': STATELESS_REVISION } : {}),
    };
  }

  /** Calls `done(pieces)` with the body of the answer; `failed(error)` if there is none. */
  start(method, params, done, failed) {
    const id = ++this.#lastId;
    const whole = this.#stateless ? { ...params, _meta: META } : params;
    const named = params.name === undefined ? {} : { 'mcp-name': params.name };
    const headers = this.#stateless ? { ...this.#headers, 'mcp-method': method, ...named } : this.#headers;
    this.#post({ jsonrpc: '2.0', id, method, params: whole }, headers, done, failed);
  }

  ask(method, params) {
    return new Promise((resolve, reject) => this.start(method, params, resolve, reject));
  }

  call(name, args) {
    return this.ask('tools/call', { name, arguments: args });
  }

  async initialize() {
    if (this.#stateless) return;
    const clientInfo = { name: 'benchmark', version: '1.0.0' };
    await this.ask('initialize', { protocolVersion: SESSION_REVISION, capabilities: {}, clientInfo });
    this.#headers['mcp-protocol-version'] = SESSION_REVISION;
    await new Promise((resolve, reject) =>
      this.#post({ jsonrpc: '2.0', method: 'notifications/initialized' }, this.#headers, resolve, reject),
    );
  }

  async tools() {
    return JSON.parse(joined(await this.ask('tools/list', {})).toString()).result.tools;
  }

  async end() {
    this.#agent.destroy();
  }

  #post(message, headers, done, failed) {
    const body = Buffer.from(JSON.stringify(message));
    const { hostname, port, pathname } = this.#url;
    const outgoing = request({
      agent: this.#agent,
      hostname,
      port,
      path: pathname,
      method: 'POST',
      headers: { ...headers, 'content-length': body.length },
    });
    outgoing.on('error', failed);
    outgoing.on('response', (incoming) => {
      this.#headers['mcp-session-id'] ??= incoming.headers['mcp-session-id'] ?? '';
      if (this.#headers['mcp-session-id'] === '') delete this.#headers['mcp-session-id'];
      const pieces = [];
      incoming.on('data', (chunk) => pieces.push(chunk));
      incoming.on('error', failed);
      incoming.on('end', () => {
        const isResult = message.id === undefined || RESULT_HEAD.test(headOf(pieces));
        if (incoming.statusCode < 300 && isResult) done(pieces);
        else failed(new Error(`refused: ${incoming.statusCode} ${joined(pieces).toString().slice(0, 500)}`));
      });
    });
    outgoing.end(body);
  }
}

// — internal —

function headOf(pieces) {
  const whole = (pieces[0]?.length ?? 0) < HEAD_CHARS ? joined(pieces) : pieces[0];
  return whole.latin1Slice(0, Math.min(HEAD_CHARS, whole.length));
}
