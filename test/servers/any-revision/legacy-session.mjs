/** One session of a revision with the handshake. How its messages travel is `send(message, about)`: `about` is the id of the client's request. */
import { INVALID_PARAMS, METHOD_NOT_FOUND, RpcError, record } from '../base.mjs';
import { newState, offerOf, page } from './offer.mjs';
import { covers, INVALID_REQUEST, PREFIX, refuse, violation } from './revisions.mjs';

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
const MODERN_KEYS = ['protocolVersion', 'clientCapabilities', 'clientInfo', 'logLevel', 'subscriptionId'];

export class LegacySession {
  constructor(options, send) {
    this.options = options;
    this.send = (message, about) => send({ jsonrpc: '2.0', ...message }, about);
    this.offer = offerOf(options);
    this.state = newState();
    this.stage = 'new';
    this.client = {};
    this.level = undefined;
    this.subscribed = new Set();
    this.open = new Map();
    this.seen = new Set();
    this.asked = new Map();
    this.nextAsk = 1;
  }

  take(message) {
    if (Array.isArray(message)) {
      if (this.options.revision !== '2025-03-26') violation('a batch');
      for (const one of message) this.take(one);
    } else if (message.method === undefined) this.takeAnswer(message);
    else if (message.id === undefined) this.takeNotification(message);
    else void this.takeRequest(message);
  }

  takeAnswer({ id, result, error }) {
    const waiting = this.asked.get(id);
    if (waiting === undefined) return violation('an answer to nothing', { id });
    this.asked.delete(id);
    if (error) waiting.reject(new RpcError(error.code, error.message, error.data));
    else waiting.resolve(result);
  }

  takeNotification({ method, params }) {
    if (method === 'notifications/initialized') {
      if (this.stage !== 'greeted') violation('initialized out of turn');
      this.stage = 'ready';
    } else if (method === 'notifications/cancelled') {
      this.open.get(params?.requestId)?.abort();
    } else if (method === 'notifications/roots/list_changed') {
      if (this.client.roots?.listChanged !== true) violation('roots changed, which was not declared');
      record('roots-changed', { server: this.options.name });
    } else if (method !== 'notifications/progress') violation('an unknown notification', { method });
  }

  async takeRequest({ id, method, params = {} }) {
    const cancel = new AbortController();
    try {
      this.check(id, method, params);
      this.open.set(id, cancel);
      const result = await this.answer(id, method, params, cancel.signal);
      if (!cancel.signal.aborted) this.send({ id, result }, id);
    } catch (error) {
      const { code = -32603, message, data } = error;
      if (!cancel.signal.aborted) this.send({ id, error: { code, message, data } }, id);
    } finally {
      this.open.delete(id);
    }
  }

  check(id, method, params) {
    // The only question of a newer client that a server of this age meets: it is how the client finds out.
    if (method === 'server/discover') throw new RpcError(METHOD_NOT_FOUND, `Method not found: ${method}`);
    if (typeof id !== 'number' && typeof id !== 'string') throw refuse(INVALID_REQUEST, 'an id of no known type');
    if (this.seen.has(id)) throw refuse(INVALID_REQUEST, 'an id for the second time');
    this.seen.add(id);
    if (method === 'initialize' ? this.stage !== 'new' : this.stage !== 'ready' && method !== 'ping')
      throw refuse(INVALID_REQUEST, `${method} while ${this.stage}`);
    for (const key of MODERN_KEYS)
      if (params._meta?.[PREFIX + key] !== undefined) throw refuse(INVALID_PARAMS, `the newer _meta ${key}`);
    for (const key of ['inputResponses', 'requestState'])
      if (params[key] !== undefined) throw refuse(INVALID_PARAMS, `the newer param ${key}`);
  }

  answer(id, method, params, signal) {
    const { offer, options } = this;
    switch (method) {
      case 'initialize':
        return this.greet(params);
      case 'ping':
        return {};
      case 'tools/list':
        return page('tools', offer.tools(this.client, this.state), params.cursor);
      case 'tools/call':
        record('call', { server: options.name, tool: params.name, marker: params.arguments?.marker, round: 1 });
        return offer.call(params.name, this.context(id, params, signal));
      case 'prompts/list':
        return page('prompts', offer.prompts(this.state), params.cursor);
      case 'prompts/get':
        return offer.prompt(params);
      case 'resources/list':
        return page('resources', offer.resources(this.state), params.cursor);
      case 'resources/templates/list':
        return { resourceTemplates: offer.templates() };
      case 'resources/read':
        return offer.read(params, this.state);
      case 'resources/subscribe':
        this.subscribed.add(params.uri);
        return {};
      case 'resources/unsubscribe':
        this.subscribed.delete(params.uri);
        return {};
      case 'completion/complete':
        return offer.complete(params);
      case 'logging/setLevel':
        if (!LEVELS.includes(params.level)) throw refuse(INVALID_PARAMS, 'an unknown level');
        this.level = params.level;
        return {};
      default:
        throw refuse(METHOD_NOT_FOUND, `Method not found: ${method}`);
    }
  }

  greet({ protocolVersion, capabilities, clientInfo }) {
    if (typeof protocolVersion !== 'string' || typeof clientInfo?.name !== 'string')
      throw refuse(INVALID_PARAMS, 'an initialize without version or name');
    const { revision, name } = this.options;
    this.stage = 'greeted';
    this.client = capabilities ?? {};
    record('greeted', { server: name, capabilities: this.client });
    return {
      protocolVersion: revision,
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        logging: {},
        ...(revision >= '2025-03-26' && { completions: {} }),
      },
      serverInfo: { name, version: '1.0.0' },
      instructions: `The server ${name}`,
    };
  }

  context(id, params, signal) {
    const { arguments: args = {}, _meta } = params;
    const progressToken = _meta?.progressToken;
    return {
      args,
      params,
      client: this.client,
      state: this.state,
      signal,
      ask: (_key, method, params) => this.ask(method, params, id, signal),
      progress: (progress, total, message) =>
        progressToken !== undefined &&
        this.notify(
          'notifications/progress',
          {
            progressToken,
            progress,
            ...(total !== undefined && { total }),
            ...(this.options.revision >= '2025-03-26' && { message }),
          },
          id,
        ),
      log: (level, data) =>
        this.level !== undefined &&
        LEVELS.indexOf(level) >= LEVELS.indexOf(this.level) &&
        this.notify('notifications/message', { level, logger: 'matrix', data }, id),
      announce: (method, params) => {
        if (method !== 'notifications/resources/updated' || covers(this.subscribed, params.uri))
          this.notify(method, params);
      },
      settle: (elicitationId) => this.notify('notifications/elicitation/complete', { elicitationId }, id),
    };
  }

  notify(method, params, about) {
    this.send(params === undefined ? { method } : { method, params }, about);
  }

  /** A request to the client, which belongs to its request `about`. When that is cancelled, so is this. */
  ask(method, params, about, signal) {
    const id = this.nextAsk++;
    return new Promise((resolve, reject) => {
      this.asked.set(id, { resolve, reject });
      signal.addEventListener('abort', () => {
        if (!this.asked.has(id)) return;
        this.notify('notifications/cancelled', { requestId: id }, about);
        reject(new RpcError(-32603, 'stopped'));
      });
      this.send({ id, method, ...(Object.keys(params ?? {}).length > 0 && { params }) }, about);
    });
  }
}
