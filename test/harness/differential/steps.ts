import type { Message, MessageId } from '../message.ts';
import type { RevisionHost } from '../revisions/revision-host.ts';
import { until } from '../until.ts';

/** One step of the script: what is done, and what of its effect is compared. */
export interface Step {
  name: string;
  act(host: RevisionHost, named: (name: string) => string): Promise<unknown>;
}

/** Every step of a host that tries all of `server-everything`. Names are those of the server; `named` makes of them what the host sees. */
export function script(): Step[] {
  return [
    ...LISTS.map((method) => request(method)),
    ...LISTS.map((method) => request(method, { cursor: 'never given' })),
    ...calls(),
    ...prompts(),
    ...resources(),
    ...completions(),
    ...subscriptions(),
    ...levels(),
    ...longOperations(),
    ...callbacks(),
    ...tasks(),
    ...oddities(),
    ...LISTS.map((method) => request(method, {}, 'once more')),
  ];
}

// — internal —

const LISTS = ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'];
const TEXT = 'demo://resource/dynamic/text/';
const BLOB = 'demo://resource/dynamic/blob/';
const DOCUMENTS = ['architecture', 'extension', 'features', 'how-it-works', 'instructions', 'startup', 'structure'];
const documentOf = (name: string) => `demo://resource/static/document/${name}.md`;

function request(method: string, params: Record<string, unknown> = {}, note = JSON.stringify(params)): Step {
  return { name: `${method} ${note}`, act: (host) => host.request(method, params) };
}

function call(tool: string, args: unknown = {}): Step {
  return {
    name: `call ${tool} ${JSON.stringify(args)}`,
    act: (host, named) => host.request('tools/call', { name: named(tool), arguments: args }),
  };
}

function calls(): Step[] {
  const sets: Record<string, unknown[]> = {
    echo: [
      { message: 'é and 😀' },
      { message: '' },
      {},
      { message: 7 },
      { message: 'x', more: true },
      { message: null },
    ],
    'get-sum': [{ a: 1, b: 2 }, { a: 0.1, b: 0.2 }, { a: -1e300, b: 1e300 }, { a: 'one', b: 2 }, { a: 1 }, {}],
    'get-annotated-message': [
      { messageType: 'error' },
      { messageType: 'success', includeImage: true },
      { messageType: 'debug', includeImage: false },
      { messageType: 'other' },
      {},
    ],
    'get-env': [{}, { any: 1 }],
    'get-resource-links': [{}, { count: 1 }, { count: 10 }, { count: 11 }, { count: 0 }, { count: 'two' }],
    'get-resource-reference': [
      { resourceType: 'Text', resourceId: 1 },
      { resourceType: 'Blob', resourceId: 2 },
      { resourceType: 'Text', resourceId: -1 },
      { resourceType: 'Sound', resourceId: 1 },
      {},
    ],
    'get-structured-content': [
      { location: 'New York' },
      { location: 'Chicago' },
      { location: 'Los Angeles' },
      { location: 'Turin' },
      {},
    ],
    'get-tiny-image': [{}],
    'gzip-file-as-resource': [
      { name: 'a.gz', data: 'data:text/plain,hello', outputType: 'resource' },
      { name: 'b.gz', data: 'data:text/plain,hello', outputType: 'resourceLink' },
      { name: 'c.gz', data: 'ftp://127.0.0.1/x' },
      { name: 'd.gz', data: 'no address' },
    ],
    'get-roots-list': [{}],
    'toggle-simulated-logging': [],
    'trigger-long-running-operation': [{ duration: 'long' }],
    'simulate-research-query': [{ topic: 'rivers' }],
  };
  const everything = Object.entries(sets).flatMap(([tool, given]) => given.map((args) => call(tool, args)));
  return [
    ...everything,
    call('no-such-tool'),
    call('echo', []),
    call('echo', 'text'),
    { name: 'call echo without arguments', act: (host, named) => host.request('tools/call', { name: named('echo') }) },
  ];
}

function prompts(): Step[] {
  const get = (prompt: string, args?: unknown): Step => ({
    name: `prompt ${prompt} ${JSON.stringify(args)}`,
    act: (host, named) =>
      host.request('prompts/get', { name: named(prompt), ...(args !== undefined && { arguments: args }) }),
  });
  return [
    get('simple-prompt'),
    get('simple-prompt', {}),
    get('simple-prompt', { more: 'x' }),
    get('args-prompt', { city: 'Turin' }),
    get('args-prompt', { city: 'Turin', state: 'Piedmont' }),
    get('args-prompt', {}),
    get('args-prompt'),
    get('args-prompt', { city: 7 }),
    get('completable-prompt', { department: 'Sales', name: 'Eve' }),
    get('completable-prompt', { department: 'Sales' }),
    get('resource-prompt', { resourceType: 'Text', resourceId: '1' }),
    get('resource-prompt', { resourceType: 'Blob', resourceId: '2' }),
    get('resource-prompt', { resourceType: 'Blob', resourceId: 'x' }),
    get('no-such-prompt'),
  ];
}

function resources(): Step[] {
  const uris = [
    ...DOCUMENTS.map(documentOf),
    `${TEXT}1`,
    `${TEXT}999999`,
    `${TEXT}0`,
    `${TEXT}x`,
    `${TEXT}%C3%A9`,
    `${BLOB}1`,
    `${BLOB}2`,
    `${BLOB}-1`,
    'demo://resource/session/a.gz',
    'demo://resource/session/b.gz',
    documentOf('none'),
    'demo://nothing',
    'other://nothing',
    'no address',
    '',
  ];
  return uris.map((uri) => request('resources/read', { uri }));
}

function completions(): Step[] {
  const inPrompt = (prompt: string, argument: unknown, context?: unknown): Step => ({
    name: `complete ${prompt} ${JSON.stringify([argument, context])}`,
    act: (host, named) =>
      host.request('completion/complete', {
        ref: { type: 'ref/prompt', name: named(prompt) },
        argument,
        ...(context !== undefined && { context }),
      }),
  });
  const inTemplate = (uri: string, value: string) =>
    request('completion/complete', { ref: { type: 'ref/resource', uri }, argument: { name: 'resourceId', value } });
  return [
    inPrompt('completable-prompt', { name: 'department', value: '' }),
    inPrompt('completable-prompt', { name: 'department', value: 'S' }),
    inPrompt('completable-prompt', { name: 'department', value: 'none' }),
    inPrompt('completable-prompt', { name: 'name', value: '' }, { arguments: { department: 'Sales' } }),
    inPrompt('completable-prompt', { name: 'name', value: 'A' }, { arguments: { department: 'Engineering' } }),
    inPrompt('completable-prompt', { name: 'name', value: '' }),
    inPrompt('completable-prompt', { name: 'nothing', value: '' }),
    inPrompt('resource-prompt', { name: 'resourceType', value: 'T' }),
    inPrompt('resource-prompt', { name: 'resourceId', value: '3' }),
    inPrompt('simple-prompt', { name: 'any', value: '' }),
    inPrompt('no-such-prompt', { name: 'any', value: '' }),
    inTemplate(`${TEXT}{resourceId}`, '4'),
    inTemplate(`${BLOB}{resourceId}`, 'x'),
    inTemplate(`${TEXT}{other}`, '4'),
    inTemplate('other://{id}', '4'),
  ];
}

/** The server tells at once of all that is subscribed, and then every 5 s. */
function subscriptions(): Step[] {
  const uri = `${TEXT}1`;
  const updated = (host: RevisionHost) => host.received('notifications/resources/updated');
  return [
    request('resources/subscribe', { uri }),
    request('resources/subscribe', { uri }, 'once more'),
    {
      name: 'an update comes to a subscriber',
      act: async (host, named) => {
        const answer = await host.call(named('toggle-subscriber-updates'));
        await until('an update', () => updated(host).length > 0);
        return [answer, updated(host)[0]];
      },
    },
    call('toggle-subscriber-updates'),
    request('resources/unsubscribe', { uri }),
    {
      name: 'no update comes after the end of a subscription',
      act: async (host, named) => {
        const seen = updated(host).length;
        const answer = await host.call(named('toggle-subscriber-updates'));
        await host.call(named('echo'), { message: 'a round trip' });
        return [answer, updated(host).length - seen];
      },
    },
    call('toggle-subscriber-updates'),
    request('resources/unsubscribe', { uri }, 'what is not subscribed'),
  ];
}

function levels(): Step[] {
  const level = (name: unknown) => request('logging/setLevel', { level: name });
  return [
    level('debug'),
    {
      name: 'a log line comes at the level debug',
      act: async (host, named) => {
        const before = host.received('notifications/message').length;
        const started = await host.call(named('toggle-simulated-logging'));
        await until('a log line', () => host.received('notifications/message').length > before);
        const stopped = await host.call(named('toggle-simulated-logging'));
        return [started, stopped];
      },
    },
    ...['info', 'notice', 'warning', 'error', 'critical', 'alert', 'emergency'].map(level),
    level('loud'),
    level(undefined),
    {
      name: 'a subscription is not logged at the level emergency',
      act: async (host) => {
        const before = host.received('notifications/message').length;
        await host.result('resources/subscribe', { uri: `${TEXT}2` });
        await host.result('resources/unsubscribe', { uri: `${TEXT}2` });
        return host.received('notifications/message').length - before;
      },
    },
    {
      name: 'a subscription is logged at the level info',
      act: async (host) => {
        const uri = `${TEXT}3`;
        const lines = () =>
          host.received('notifications/message').filter(({ params }) => String(params?.['data']).includes(uri));
        await host.result('logging/setLevel', { level: 'info' });
        await host.result('resources/subscribe', { uri });
        await host.result('resources/unsubscribe', { uri });
        await until('both lines', () => lines().length === 2);
        return lines();
      },
    },
  ];
}

function longOperations(): Step[] {
  const run = (steps: number, token: string | number): Step => ({
    name: `progress of ${steps} steps under the token ${JSON.stringify(token)}`,
    act: async (host, named) => {
      const own = () =>
        host.received('notifications/progress').filter(({ params }) => params?.['progressToken'] === token);
      const args = { duration: 0.2, steps };
      const answer = await host.call(named('trigger-long-running-operation'), args, { progressToken: token });
      return [answer, own()];
    },
  });
  return [
    run(1, 'one'),
    run(4, 7),
    run(4, 'é'),
    call('trigger-long-running-operation', { duration: 0.05, steps: 1 }),
    {
      name: 'a cancelled call is not answered',
      act: async (host, named) => {
        let id: MessageId = null;
        let answered: Message | undefined;
        const params = { name: named('trigger-long-running-operation'), arguments: { duration: 0.5, steps: 5 } };
        const options = { progressToken: 'gone', onSent: (sent: MessageId) => (id = sent) };
        host.exchange('tools/call', params, options).then(
          (answer) => {
            answered = answer;
          },
          () => undefined,
        );
        await until('progress', () =>
          host.received('notifications/progress').some(({ params: said }) => said?.['progressToken'] === 'gone'),
        );
        host.cancel(id);
        await host.call(named('trigger-long-running-operation'), { duration: 0.6, steps: 1 });
        return answered ?? 'no answer';
      },
    },
    {
      name: 'the cancellation of nothing is ignored',
      act: async (host) => {
        await host.notify('notifications/cancelled', { requestId: 'never used' });
        return host.request('ping');
      },
    },
  ];
}

/** The words in the prompt decide what the host answers; the form of the server has one question only, which is answered in turn. */
function callbacks(): Step[] {
  const elicitation = (number: number): Step => ({
    name: `elicitation number ${number}`,
    act: async (host, named) => [await host.call(named('trigger-elicitation-request')), host.questions.at(-1)],
  });
  const sampling = (args: Record<string, unknown>): Step => ({
    name: `sampling ${JSON.stringify(args)}`,
    act: async (host, named) => {
      const before = host.questions.length;
      const answer = await host.call(named('trigger-sampling-request'), args);
      return [answer, host.questions.slice(before)];
    },
  });
  const url = (args: Record<string, unknown>): Step => ({
    name: `elicitation by URL ${JSON.stringify(args)}`,
    act: async (host, named) => {
      const before = host.questions.length;
      const answer = await host.call(named('trigger-url-elicitation'), args);
      return [answer, host.questions.slice(before)];
    },
  });
  const address = 'https://example.com/page';
  return [
    ...[1, 2, 3, 4].map(elicitation),
    sampling({ prompt: 'a question' }),
    sampling({ prompt: 'é 😀', maxTokens: 1 }),
    sampling({ prompt: '' }),
    sampling({ prompt: 'x', maxTokens: 'many' }),
    sampling({}),
    sampling({ prompt: 'refuse' }),
    url({ url: address, message: 'Visit it', elicitationId: 'one' }),
    url({ url: address, message: 'Visit it', elicitationId: 'two', errorPath: true }),
    url({ url: address, message: 'Visit it', elicitationId: 'two', errorPath: true }),
    url({ url: 'no address', message: 'Visit it', elicitationId: 'three' }),
    url({}),
    {
      name: 'roots that have changed are asked for again',
      act: async (host, named) => {
        const before = host.questions.length;
        await host.notify('notifications/roots/list_changed');
        await until('the question', () => host.questions.slice(before).some(({ method }) => method === 'roots/list'));
        // The answer has arrived before the next request does.
        return [host.questions.at(-1), await host.call(named('get-roots-list'))];
      },
    },
  ];
}

function tasks(): Step[] {
  const begin = (host: RevisionHost, named: (name: string) => string, topic: string) =>
    host.request('tools/call', {
      name: named('simulate-research-query'),
      arguments: { topic, ambiguous: false },
      task: { ttl: 60_000 },
    });
  const idOf = ({ result }: Message) => (result?.['task'] as { taskId: string } | undefined)?.taskId;
  const status = async (host: RevisionHost, taskId: string | undefined) =>
    String((await host.result('tasks/get', { taskId }))['status']);
  return [
    {
      name: 'a task runs to its end',
      act: async (host, named) => {
        const begun = await begin(host, named, 'rivers');
        const taskId = idOf(begun);
        await until('its end', async () => (await status(host, taskId)) === 'completed');
        return [begun, await host.request('tasks/get', { taskId }), await host.request('tasks/result', { taskId })];
      },
    },
    {
      name: 'a task is cancelled',
      act: async (host, named) => {
        const begun = await begin(host, named, 'lakes');
        const taskId = idOf(begun);
        return [await host.request('tasks/cancel', { taskId }), await host.request('tasks/get', { taskId })];
      },
    },
    {
      name: 'tasks are listed',
      act: async (host) => {
        const { tasks: listed } = (await host.result('tasks/list')) as unknown as { tasks: { status: string }[] };
        return listed.map((task) => task.status);
      },
    },
    request('tasks/get', { taskId: 'unknown' }),
    request('tasks/result', { taskId: 'unknown' }),
    request('tasks/cancel', { taskId: 'unknown' }),
  ];
}

function oddities(): Step[] {
  return [
    request('ping'),
    request('ping', { more: 1 }),
    request('server/nothing'),
    request('tools/nothing'),
    request(''),
    request('tools/call'),
    request('tools/call', { name: 7 }),
    request('prompts/get'),
    request('prompts/get', { name: null }),
    request('resources/read'),
    request('resources/read', { uri: 7 }),
    request('resources/subscribe'),
    request('completion/complete'),
    request('completion/complete', { ref: { type: 'ref/prompt' } }),
    request('completion/complete', { ref: { type: 'ref/other' }, argument: { name: 'x', value: 'x' } }),
    request('logging/setLevel'),
    {
      name: 'an unknown notification is ignored',
      act: async (host) => {
        await host.notify('notifications/nothing', { any: 1 });
        return host.request('ping');
      },
    },
  ];
}
