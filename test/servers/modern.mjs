/**
 * A server of the stateless revision 2026-07-28 and of nothing older: `server/discover`, the `_meta` envelope in every request, lists
 * with ttlMs and cacheScope, `subscriptions/listen`; `initialize` is refused.
 *   --name NAME
 * Tools: echo; seen (the envelope as it arrived); ask (needs the host's model, through input_required); toggle (adds or removes the
 * tool `extra`); touch (changes modern://note).
 */
import { flags, INVALID_PARAMS, METHOD_NOT_FOUND, object, RpcError, record, serve, text } from './base.mjs';

const REVISION = '2026-07-28';
const PREFIX = 'io.modelcontextprotocol/';
const MISSING_CAPABILITY = -32021;
const UNSUPPORTED_VERSION = -32022;
const CACHE = { ttlMs: 60_000, cacheScope: 'public' };

const { name } = flags({ name: 'modern' });
const listening = new Map();
let hasExtra = false;

const listed = () => [
  { name: 'echo', description: 'Says the same', inputSchema: object({ text: { type: 'string' } }, ['text']) },
  { name: 'seen', description: 'The envelope of this request', inputSchema: object() },
  {
    name: 'ask',
    description: 'Asks the model of the host',
    inputSchema: object({ question: { type: 'string' } }, ['question']),
  },
  { name: 'toggle', description: 'Adds or removes a tool', inputSchema: object() },
  { name: 'touch', description: 'Changes modern://note', inputSchema: object() },
  ...(hasExtra ? [{ name: 'extra', description: 'Comes and goes with toggle', inputSchema: object() }] : []),
];

const CALLS = {
  echo: ({ text: said }) => text(String(said)),
  seen: (_args, { params }) => text(JSON.stringify(params._meta)),
  ask: ({ question }, { params }) => ask(question, params),
  extra: () => text('extra'),
  toggle: () => {
    hasExtra = !hasExtra;
    announce('notifications/tools/list_changed', {}, (filter) => filter.toolsListChanged === true);
    return text(hasExtra ? 'added' : 'removed');
  },
  touch: () => {
    const uri = 'modern://note';
    announce(
      'notifications/resources/updated',
      { uri },
      (filter) => filter.resourceSubscriptions?.includes(uri) === true,
    );
    return text('touched');
  },
};

function ask(question, params) {
  if (params._meta[`${PREFIX}clientCapabilities`].sampling === undefined) {
    throw new RpcError(MISSING_CAPABILITY, 'This tool needs the host to offer sampling', {
      requiredCapabilities: { sampling: {} },
    });
  }
  const answer = params.inputResponses?.model;
  if (answer !== undefined) return text(`the model says: ${answer.content?.text} (state ${params.requestState})`);
  const request = {
    method: 'sampling/createMessage',
    params: { messages: [{ role: 'user', content: { type: 'text', text: question } }], maxTokens: 50 },
  };
  return {
    resultType: 'input_required',
    inputRequests: { model: request },
    requestState: Buffer.from(question).toString('base64'),
  };
}

function announce(method, params, wants) {
  for (const [id, filter] of listening) {
    if (wants(filter)) peer.notify(method, { ...params, _meta: { [`${PREFIX}subscriptionId`]: id } });
  }
}

function listen({ notifications = {} }, { id }) {
  listening.set(id, notifications);
  record('listen', { id, notifications });
  peer.notify('notifications/subscriptions/acknowledged', {
    notifications,
    _meta: { [`${PREFIX}subscriptionId`]: id },
  });
  return undefined;
}

const METHODS = {
  'server/discover': () => ({
    supportedVersions: [REVISION],
    capabilities: { tools: { listChanged: true }, resources: { subscribe: true }, prompts: {} },
    instructions: `The server ${name}`,
    ...CACHE,
  }),
  'tools/list': () => ({ tools: listed(), ...CACHE }),
  'tools/call': ({ name: tool, arguments: args = {} }, context) => {
    record('call', { name: tool, id: context.id });
    if (!listed().some((candidate) => candidate.name === tool))
      throw new RpcError(INVALID_PARAMS, `Unknown tool: ${tool}`);
    return CALLS[tool](args, context);
  },
  'resources/list': () => ({ resources: [{ uri: 'modern://note', name: 'note' }], ...CACHE }),
  'resources/templates/list': () => ({ resourceTemplates: [], ...CACHE }),
  'resources/read': ({ uri }) => {
    if (uri !== 'modern://note') throw new RpcError(INVALID_PARAMS, 'Resource not found', { uri });
    return { contents: [{ uri, text: `a note of ${name}` }], ...CACHE };
  },
  'prompts/list': () => ({ prompts: [{ name: 'greet' }], ...CACHE }),
  'prompts/get': () => ({ messages: [{ role: 'user', content: { type: 'text', text: `Say hello from ${name}` } }] }),
  'subscriptions/listen': listen,
};

/** Every method behind the check of the envelope, and every result in the shape of this revision. */
function guarded(method) {
  return async (params, context) => {
    const requested = params._meta?.[`${PREFIX}protocolVersion`];
    const capabilities = params._meta?.[`${PREFIX}clientCapabilities`];
    if (requested === undefined || capabilities === undefined)
      throw new RpcError(INVALID_PARAMS, 'The _meta envelope is missing');
    if (requested !== REVISION)
      throw new RpcError(UNSUPPORTED_VERSION, 'Unsupported protocol version', { supported: [REVISION], requested });
    const result = await method(params, context);
    if (result === undefined) return undefined;
    return { resultType: 'complete', ...result, _meta: { [`${PREFIX}serverInfo`]: { name, version: '1.0.0' } } };
  };
}

const peer = serve({
  name,
  methods: {
    ...Object.fromEntries(Object.entries(METHODS).map(([method, answer]) => [method, guarded(answer)])),
    initialize: ({ protocolVersion: requested }) => {
      throw new RpcError(UNSUPPORTED_VERSION, 'This server speaks the stateless revision only', {
        supported: [REVISION],
        requested,
      });
    },
    ping: () => {
      throw new RpcError(METHOD_NOT_FOUND, 'Method not found: ping');
    },
  },
  hears: (message) => {
    if (message.method !== 'notifications/cancelled' || !listening.delete(message.params?.requestId)) return false;
    record('unlisten', { id: message.params.requestId });
    return true;
  },
});
