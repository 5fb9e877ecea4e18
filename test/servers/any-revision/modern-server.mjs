/**
 * A server of the stateless revision. A channel carries messages: the only one on stdio, one for each request over HTTP. It has
 * `send(message)` and remembers its open requests.
 */
import { INVALID_PARAMS, METHOD_NOT_FOUND, RpcError, record } from '../base.mjs';
import { newState, offerOf, page } from './offer.mjs';
import { covers, INVALID_REQUEST, MODERN, PREFIX, refuse, UNSUPPORTED_VERSION, violation } from './revisions.mjs';

const LEVELS = ['debug', 'info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'];
const CACHE = { ttlMs: 60_000, cacheScope: 'public' };
const FILTERS = {
  'notifications/tools/list_changed': (filter) => filter.toolsListChanged === true,
  'notifications/prompts/list_changed': (filter) => filter.promptsListChanged === true,
  'notifications/resources/list_changed': (filter) => filter.resourcesListChanged === true,
  'notifications/resources/updated': (filter, { uri }) => covers(filter.resourceSubscriptions ?? [], uri),
};

/** A tool needs an answer: the request ends, and comes again with it. */
class InputRequired extends Error {}

export class ModernServer {
  constructor(options) {
    this.options = options;
    this.offer = offerOf(options);
    this.state = newState();
    this.listens = new Map();
    this.rounds = new Map();
    this.nextRound = 1;
  }

  channel(send) {
    return { send: (message) => send({ jsonrpc: '2.0', ...message }), open: new Map() };
  }

  take(message, channel) {
    if (Array.isArray(message)) violation('a batch');
    else if (message.method === undefined) violation('an answer, which this revision has not', { id: message.id });
    else if (message.id !== undefined) void this.takeRequest(message, channel);
    else if (message.method === 'notifications/cancelled') this.cancel(channel, message.params?.requestId);
    else violation('an unknown notification', { method: message.method });
  }

  cancel(channel, id) {
    channel.open.get(id)?.abort();
    channel.open.delete(id);
  }

  /** HTTP: its stream was closed. */
  close(channel) {
    for (const id of channel.open.keys()) this.cancel(channel, id);
  }

  async takeRequest({ id, method, params }, channel) {
    const cancel = new AbortController();
    try {
      this.check(id, method, params, channel);
      channel.open.set(id, cancel);
      const result = await this.answer({ id, method, params, channel, signal: cancel.signal });
      if (result === undefined || cancel.signal.aborted) return;
      channel.open.delete(id);
      channel.send({ id, result: this.complete(result) });
    } catch (error) {
      const { code = -32603, message, data } = error;
      channel.open.delete(id);
      if (!cancel.signal.aborted) channel.send({ id, error: { code, message, data } });
    }
  }

  complete(result) {
    const { name } = this.options;
    const serverInfo = { name, version: '1.0.0' };
    return { resultType: 'complete', ...result, _meta: { ...result._meta, [`${PREFIX}serverInfo`]: serverInfo } };
  }

  check(id, method, params, channel) {
    if (typeof id !== 'number' && typeof id !== 'string') throw refuse(INVALID_REQUEST, 'an id of no known type');
    if (channel.open.has(id)) throw refuse(INVALID_REQUEST, 'an id that is open already');
    const requested = params?._meta?.[`${PREFIX}protocolVersion`];
    const capabilities = params?._meta?.[`${PREFIX}clientCapabilities`];
    // A client that does not know us yet may begin in the old way.
    if (method === 'initialize') throw new RpcError(METHOD_NOT_FOUND, 'Method not found: initialize');
    if (requested === undefined || typeof capabilities !== 'object')
      throw refuse(INVALID_PARAMS, `${method} without the _meta of this revision`);
    if (requested !== MODERN)
      throw new RpcError(UNSUPPORTED_VERSION, 'Unsupported protocol version', { supported: [MODERN], requested });
  }

  answer(request) {
    const { method, params } = request;
    const { offer } = this;
    switch (method) {
      case 'server/discover':
        return this.discover();
      case 'tools/list':
        return { ...page('tools', offer.tools({}, this.state), params.cursor), ...CACHE };
      case 'tools/call':
        return this.call(request);
      case 'prompts/list':
        return { ...page('prompts', offer.prompts(this.state), params.cursor), ...CACHE };
      case 'prompts/get':
        return offer.prompt(params);
      case 'resources/list':
        return { ...page('resources', offer.resources(this.state), params.cursor), ...CACHE };
      case 'resources/templates/list':
        return { resourceTemplates: offer.templates(), ...CACHE };
      case 'resources/read':
        return { ...offer.read(params, this.state), ...CACHE };
      case 'completion/complete':
        return offer.complete(params);
      case 'subscriptions/listen':
        return this.listen(request);
      default:
        throw refuse(METHOD_NOT_FOUND, `Method not found: ${method}`);
    }
  }

  discover() {
    return {
      supportedVersions: [MODERN],
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        logging: {},
        completions: {},
      },
      instructions: `The server ${this.options.name}`,
      ...CACHE,
    };
  }

  listen({ id, params, channel, signal }) {
    const filter = params.notifications ?? {};
    const meta = { _meta: { [`${PREFIX}subscriptionId`]: id } };
    const listen = { filter, send: (method, rest) => channel.send({ method, params: { ...rest, ...meta } }) };
    this.listens.set(listen, filter);
    signal.addEventListener('abort', () => this.listens.delete(listen));
    listen.send('notifications/subscriptions/acknowledged', { notifications: filter });
    return undefined;
  }

  announce(method, params = {}) {
    for (const [listen, filter] of this.listens) if (FILTERS[method](filter, params)) listen.send(method, params);
  }

  /** The tool runs from its beginning in each round, with what was answered in the rounds before. */
  async call({ params, channel, signal }) {
    const before = this.roundOf(params);
    const { name: server } = this.options;
    record('call', { server, tool: params.name, marker: params.arguments?.marker, round: before.round });
    const answers = { ...before.answers, ...params.inputResponses };
    const needed = {};
    const context = this.context(params, channel, signal, answers, needed);
    const run = Promise.resolve(this.offer.call(params.name, { ...context, args: params.arguments ?? {}, params }));
    try {
      return await run;
    } catch (error) {
      if (!(error instanceof InputRequired)) throw error;
      // Questions put at the same time belong to the same round.
      const requestState = `round ${this.nextRound++} of ${server} é`;
      this.rounds.set(requestState, { answers, round: before.round + 1, of: same(params) });
      return { resultType: 'input_required', inputRequests: needed, requestState };
    }
  }

  roundOf(params) {
    if (params.requestState === undefined) {
      if (params.inputResponses !== undefined) throw refuse(INVALID_PARAMS, 'answers without a state');
      return { answers: {}, round: 1 };
    }
    const before = this.rounds.get(params.requestState);
    if (before === undefined) throw refuse(INVALID_PARAMS, 'an unknown requestState');
    if (before.of !== same(params)) throw refuse(INVALID_PARAMS, 'a requestState of another call');
    this.rounds.delete(params.requestState);
    return before;
  }

  context({ _meta }, channel, signal, answers, needed) {
    const { progressToken, [`${PREFIX}logLevel`]: level, [`${PREFIX}clientCapabilities`]: client } = _meta;
    const notify = (method, params) => !signal.aborted && channel.send({ method, params });
    return {
      client,
      state: this.state,
      signal,
      ask: (key, method, params) => {
        if (answers[key] !== undefined) return Promise.resolve(answers[key]);
        needed[key] = { method, params };
        return Promise.reject(new InputRequired());
      },
      progress: (progress, total, message) =>
        progressToken !== undefined && notify('notifications/progress', { progressToken, progress, total, message }),
      log: (at, data) =>
        LEVELS.indexOf(level) >= 0 &&
        LEVELS.indexOf(at) >= LEVELS.indexOf(level) &&
        notify('notifications/message', { level: at, logger: 'matrix', data }),
      announce: (method, params) => this.announce(method, params),
      settle: () => undefined,
    };
  }
}

// — internal —

const same = ({ name, arguments: args }) => JSON.stringify([name, args]);
