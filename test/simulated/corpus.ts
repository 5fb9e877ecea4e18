/**
 * Valid messages of all five revisions, as a fuzzer begins with. `@N` is a small number, `@OPEN` the raw id of a request that is open,
 * `@ASKED` that of a question of the other side.
 */

const request = (method: string, params: unknown) => ({ jsonrpc: '2.0', id: '@N', method, params });
const notice = (method: string, params?: unknown) => ({ jsonrpc: '2.0', method, params });
const result = (value: unknown, id = '@OPEN') => ({ jsonrpc: '2.0', id, result: value });
const error = (code: number, data?: unknown, id = '@OPEN') => ({
  jsonrpc: '2.0',
  id,
  error: { code, message: 'm', data },
});
const words = { type: 'text', text: 'é "quoted" 🙂' };

const meta = {
  'io.modelcontextprotocol/protocolVersion': '2026-07-28',
  'io.modelcontextprotocol/clientInfo': { name: 'h', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': { elicitation: { form: {}, url: {} }, sampling: {}, roots: {} },
};

const takesTasks = {
  'io.modelcontextprotocol/clientCapabilities': { extensions: { 'io.modelcontextprotocol/tasks': {} } },
};
const ofTask = (taskId: string) => ({ 'io.modelcontextprotocol/related-task': { taskId } });

const initialize = (protocolVersion: string, capabilities: unknown) =>
  request('initialize', { protocolVersion, capabilities, clientInfo: { name: 'h', version: '1', title: 'H' } });

/** Both eras have them. */
const USES: readonly (readonly [string, Record<string, unknown>])[] = [
  ['tools/list', {}],
  ['prompts/list', {}],
  ['resources/list', {}],
  ['resources/templates/list', {}],
  ['tools/call', { name: 'alpha__one', arguments: { city: 'Turin', deep: [{ a: [1, 2.5, null] }] } }],
  ['tools/call', { name: 'beta__two', arguments: {} }],
  ['tools/call', { name: 'one' }],
  ['prompts/get', { name: 'beta__ask', arguments: { who: 'x' } }],
  ['resources/read', { uri: 'shared://doc' }],
  ['resources/read', { uri: 'a://7' }],
  ['completion/complete', { ref: { type: 'ref/prompt', name: 'beta__ask' }, argument: { name: 'who', value: 'x' } }],
  ['completion/complete', { ref: { type: 'ref/resource', uri: 'a://{id}' }, argument: { name: 'id', value: '' } }],
];

const LEGACY_USES = [
  ...USES.map(([method, params]) => request(method, params)),
  request('tools/call', { name: 'alpha__two', _meta: { progressToken: '@N' } }),
  request('ping', undefined),
  request('logging/setLevel', { level: 'info' }),
  request('resources/subscribe', { uri: 'a://x' }),
  request('resources/unsubscribe', { uri: 'a://x' }),
  notice('notifications/initialized'),
  notice('notifications/cancelled', { requestId: '@OPEN', reason: 'enough' }),
  notice('notifications/progress', { progressToken: '@N', progress: 1, total: 2 }),
  notice('notifications/roots/list_changed'),
  result({ roots: [{ uri: 'file:///home', name: 'home' }] }, '@ASKED'),
  result({ role: 'assistant', content: words, model: 'm', stopReason: 'endTurn' }, '@ASKED'),
  error(-32601, undefined, '@ASKED'),
];

const MODERN_USES = [
  ...USES.map(([method, params]) => request(method, { ...params, _meta: meta })),
  request('server/discover', { _meta: meta }),
  request('tools/call', {
    name: 'alpha__one',
    arguments: {},
    inputResponses: { q1: { action: 'accept', content: { ok: true } } },
    requestState: 'c3RhdGU',
    _meta: { ...meta, progressToken: 't', 'io.modelcontextprotocol/logLevel': 'info', traceparent: '00-a-b-01' },
  }),
  request('subscriptions/listen', {
    _meta: meta,
    notifications: { toolsListChanged: true, resourceSubscriptions: ['a://x', 'shared://doc'] },
  }),
  notice('notifications/cancelled', { requestId: '@OPEN', _meta: meta }),
  request('tools/call', { name: 'beta__one', _meta: { ...meta, ...takesTasks } }),
  request('tasks/get', { taskId: 'beta~t1', _meta: { ...meta, ...takesTasks } }),
  request('tasks/update', { taskId: 'beta~t1', inputResponses: {}, _meta: { ...meta, ...takesTasks } }),
  request('subscriptions/listen', { _meta: { ...meta, ...takesTasks }, notifications: { taskIds: ['beta~t1'] } }),
];

const textsOf = (messages: readonly unknown[]) => messages.map(withRawIds);

/** What hosts of each revision send. */
export const FROM_HOSTS: Readonly<Record<string, readonly string[]>> = {
  '2024-11-05': textsOf([initialize('2024-11-05', { roots: { listChanged: true }, sampling: {} }), ...LEGACY_USES]),
  '2025-03-26': [
    ...textsOf([initialize('2025-03-26', { sampling: {} }), ...LEGACY_USES]),
    `[${textsOf([LEGACY_USES[4], LEGACY_USES[13], LEGACY_USES[15]]).join()}]`,
    `[${textsOf([LEGACY_USES[0], LEGACY_USES[0], LEGACY_USES[18]]).join()},1,{}]`,
  ],
  '2025-06-18': textsOf([
    initialize('2025-06-18', { elicitation: {} }),
    ...LEGACY_USES,
    result({ action: 'accept', content: { name: 'x' } }, '@ASKED'),
  ]),
  '2025-11-25': textsOf([
    initialize('2025-11-25', { elicitation: { form: {}, url: {} }, tasks: { list: {}, requests: {} } }),
    ...LEGACY_USES,
    request('tools/call', { name: 'alpha__one', arguments: {}, task: { ttl: 1000 } }),
    request('tools/call', { name: 'alpha__two', task: {}, _meta: { progressToken: '@N', ...ofTask('alpha~t1') } }),
    request('tasks/get', { taskId: 'alpha~t1' }),
    request('tasks/result', { taskId: 'alpha~t1' }),
    request('tasks/cancel', { taskId: 'beta~t1' }),
    request('tasks/list', {}),
    result({ action: 'decline', _meta: ofTask('alpha~t1') }, '@ASKED'),
    notice('notifications/tasks/status', { taskId: 't1', status: 'working' }),
  ]),
  '2026-07-28': textsOf(MODERN_USES),
};

/** What servers send, whatever their revision: answers, notices, questions. */
export const FROM_SERVERS: readonly string[] = textsOf([
  result({ content: [words, { type: 'image', data: 'AA==', mimeType: 'image/png' }] }),
  result({ content: [{ type: 'audio', data: 'AA==', mimeType: 'audio/wav' }, words], isError: true }),
  result({ content: [{ type: 'resource_link', uri: 'shared://doc', name: 'doc', future: 1 }] }),
  result({ content: [{ type: 'resource', resource: { uri: 'a://x', text: 't' } }], structuredContent: { a: 1 } }),
  result({ resultType: 'complete', content: [], structuredContent: [1], ttlMs: 5, cacheScope: 'public' }),
  result({ resultType: 'input_required', inputRequests: { q1: { method: 'roots/list' } }, requestState: 's' }),
  result({ resultType: 'task', taskId: 't1', status: 'working', ttlMs: 1000 }),
  result({ task: { taskId: 't1', status: 'working', ttl: 60_000, pollInterval: 10 } }),
  result({ taskId: 't1', status: 'completed', ttl: null, result: { content: [words] } }),
  result({ tasks: [{ taskId: 't1', status: 'working' }], nextCursor: 'c' }),
  result({ content: [words], _meta: ofTask('t1') }),
  result({ contents: [{ uri: 'shared://doc', text: 't' }] }),
  result({ messages: [{ role: 'user', content: words }] }),
  result({ completion: { values: ['a'], total: 1, hasMore: false } }),
  result({
    tools: [
      { name: 'one', inputSchema: { type: 'object' } },
      { name: 'new tool', title: 'T' },
    ],
    nextCursor: 'c',
  }),
  result({ resources: [{ uri: 'shared://doc', name: 'doc' }] }),
  result({ prompts: [{ name: 'ask', arguments: [{ name: 'who' }] }] }),
  result({ protocolVersion: '2024-11-05', capabilities: { tools: {} }, serverInfo: { name: 's', version: '1' } }),
  result({ supportedVersions: ['2026-07-28'], capabilities: {}, ttlMs: 1 }),
  result({}),
  error(-32601),
  error(-32002, { uri: 'a://x' }),
  error(-32042, { elicitations: [{ mode: 'url', url: 'https://x.test', elicitationId: 'e', message: 'm' }] }),
  error(-32021, { requiredCapabilities: { sampling: {} } }),
  error(-32021, { requiredCapabilities: { extensions: { 'io.modelcontextprotocol/tasks': {} } } }),
  result({
    resultType: 'complete',
    taskId: 't1',
    status: 'completed',
    pollIntervalMs: 100,
    result: { content: [words] },
  }),
  result({
    resultType: 'complete',
    taskId: 't1',
    status: 'input_required',
    inputRequests: {
      k: { method: 'elicitation/create', params: { message: 'm', requestedSchema: { type: 'object' } } },
    },
  }),
  error(-32022, { supported: ['2025-11-25'], requested: '2026-07-28' }),
  { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'parse error' } },
  notice('notifications/progress', { progressToken: '@OPEN', progress: '@N', total: 9, message: 'on it' }),
  notice('notifications/message', { level: 'info', logger: 'l', data: { a: [1] } }),
  notice('notifications/tasks/status', { taskId: 't1', status: 'completed' }),
  notice('notifications/tasks', { taskId: 't1', status: 'input_required', inputRequests: {}, _meta: {} }),
  notice('notifications/message', { level: 'info', data: 'on it', _meta: ofTask('t1') }),
  notice('notifications/tools/list_changed'),
  notice('notifications/prompts/list_changed'),
  notice('notifications/resources/list_changed'),
  notice('notifications/resources/updated', { uri: 'shared://doc' }),
  notice('notifications/cancelled', { requestId: '@N', reason: 'r' }),
  notice('notifications/elicitation/complete', { elicitationId: 'e' }),
  notice('notifications/subscriptions/acknowledged', {
    notifications: { toolsListChanged: true },
    _meta: { 'io.modelcontextprotocol/subscriptionId': '@OPEN' },
  }),
  request('ping', undefined),
  request('roots/list', undefined),
  request('sampling/createMessage', { messages: [{ role: 'user', content: words }], maxTokens: 5 }),
  request('elicitation/create', { message: 'm', requestedSchema: { type: 'object', properties: {} } }),
  request('elicitation/create', { mode: 'url', message: 'm', url: 'https://x.test', elicitationId: 'e' }),
  request('elicitation/create', { message: 'm', requestedSchema: { type: 'object' }, _meta: ofTask('t1') }),
  request('unknown/method', { _meta: { a: 1 } }),
]);

// — internal —

/** A mark in place of an id is no string: ids are written raw. */
function withRawIds(message: unknown): string {
  return JSON.stringify(message).replaceAll(/"(@[A-Z]+)"/g, '$1');
}
