/**
 * A modern server with the extension io.modelcontextprotocol/tasks. Its tool `dig` answers with a task, or with -32021 a host that takes
 * none. A task waits for its input; after `tasks/update` it is completed with that input as its result, and told to whoever listens for it.
 * One that is told `where` needs none: it is at work when it is looked at first, and completed when it is looked at again.
 */
import { INVALID_PARAMS, object, RpcError, record, serve, text } from './base.mjs';

const REVISION = '2026-07-28';
const PREFIX = 'io.modelcontextprotocol/';
const EXTENSIONS = { [`${PREFIX}tasks`]: {} };
const MISSING_CAPABILITY = -32021;
const CACHE = { ttlMs: 60_000, cacheScope: 'public' };
const TIME = new Date(0).toISOString();

const tasks = new Map();
const listening = new Map();

const asTask = (taskId, more) => ({
  taskId,
  createdAt: TIME,
  lastUpdatedAt: TIME,
  ttlMs: 600_000,
  pollIntervalMs: 100,
  ...more,
});

function dig(args, { params }) {
  const declared = params._meta[`${PREFIX}clientCapabilities`].extensions?.[`${PREFIX}tasks`] !== undefined;
  record('dig', { declared });
  if (!declared)
    throw new RpcError(MISSING_CAPABILITY, 'This tool answers with tasks', {
      requiredCapabilities: { extensions: EXTENSIONS },
    });
  const taskId = `t${tasks.size + 1}`;
  const ask = { method: 'elicitation/create', params: { message: 'Where?', requestedSchema: object() } };
  if (args.where === undefined) tasks.set(taskId, { status: 'input_required', inputRequests: { where: ask } });
  else tasks.set(taskId, { status: 'working', next: { status: 'completed', result: text(`found in ${args.where}`) } });
  return { resultType: 'task', ...asTask(taskId, { status: 'working' }) };
}

function known({ taskId }) {
  record('task', { taskId });
  const task = tasks.get(taskId);
  if (task === undefined) throw new RpcError(INVALID_PARAMS, 'Task not found');
  return task;
}

function change(taskId, task) {
  tasks.set(taskId, task);
  for (const [id, ids] of listening)
    if (ids.includes(taskId))
      peer.notify('notifications/tasks', asTask(taskId, { ...task, _meta: { [`${PREFIX}subscriptionId`]: id } }));
}

const METHODS = {
  'server/discover': () => ({
    supportedVersions: [REVISION],
    capabilities: { tools: {}, extensions: EXTENSIONS },
    ...CACHE,
  }),
  'tools/list': () => ({ tools: [{ name: 'dig', inputSchema: object() }], ...CACHE }),
  'tools/call': (params, context) => dig(params.arguments ?? {}, context),
  'tasks/get': (params) => {
    const { next, ...task } = known(params);
    if (next !== undefined) tasks.set(params.taskId, next);
    return asTask(params.taskId, task);
  },
  'tasks/update': (params) => {
    known(params);
    change(params.taskId, { status: 'completed', result: text(JSON.stringify(params.inputResponses)) });
    return {};
  },
  'tasks/cancel': (params) => {
    known(params);
    change(params.taskId, { status: 'cancelled' });
    return {};
  },
  'subscriptions/listen': ({ notifications }, { id }) => {
    listening.set(id, notifications.taskIds ?? []);
    const _meta = { [`${PREFIX}subscriptionId`]: id };
    peer.notify('notifications/subscriptions/acknowledged', { notifications, _meta });
    return undefined;
  },
};

/** Every result in the shape of this revision. */
const complete = (method) => async (params, context) => {
  const result = await method(params, context);
  return result === undefined ? undefined : { resultType: 'complete', ...result };
};

const peer = serve({
  name: 'task-extension',
  methods: Object.fromEntries(Object.entries(METHODS).map(([method, answer]) => [method, complete(answer)])),
  hears: ({ method, params }) => method === 'notifications/cancelled' && listening.delete(params?.requestId),
});
