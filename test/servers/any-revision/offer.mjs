/**
 * What a server of a revision offers, apart from how it is carried. `state` is what a session (legacy) or the process (modern) remembers:
 * `{ note, extra, settled }`. The context of a tool:
 *   args, params (all of the request), client (its capabilities), signal, call (marks the first execution, for the record)
 *   ask(key, method, params) → the client's answer
 *   progress(done, total, message), log(level, data), announce(method, params), settle(elicitationId)
 */
import { INVALID_PARAMS, object, RpcError, record, text } from '../base.mjs';
import { MISSING_CAPABILITY, MODERN, PREFIX, RESOURCE_NOT_FOUND, refuse, URL_NEEDED } from './revisions.mjs';

const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAQAAAC1HAwCAAAAC0lEQVR42mNkYAAAAAYAAjCB0C8AAAAASUVORK5CYII=';
const SILENCE = 'UklGRiQAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQAAAAA=';
const FORM = {
  type: 'object',
  properties: { answer: { type: 'string', title: 'Answer' } },
  required: ['answer'],
};
const MARKED = object({ marker: { type: 'string' } }, ['marker']);

const noteOf = (name) => `matrix://${name}/note`;
export const newState = () => ({ note: 'a note', extra: 'nothing yet' });

/** `since`: the first revision that has it. `needs`: what it asks of its client. */
const TOOLS = {
  echo: {
    description: 'Says the same',
    inputSchema: object({ text: { type: 'string' } }, ['text']),
    run: ({ args }, { revision }) => ({
      ...text(String(args.text)),
      ...(revision >= '2025-06-18' && { structuredContent: { text: args.text } }),
    }),
  },
  blocks: {
    description: 'One block of each type',
    inputSchema: object(),
    run: (_context, { revision, name }) => ({
      content: blocks(revision, name),
      ...(revision === MODERN && { structuredContent: ['not', 'an', 'object'] }),
    }),
  },
  seen: {
    description: 'What came with the call besides its arguments, and as much with the answer',
    inputSchema: object(),
    run: ({ params }) => {
      const { name: _, arguments: __, _meta = {}, ...rest } = params;
      const meta = Object.fromEntries(Object.entries(_meta).filter(([key]) => !key.startsWith(PREFIX)));
      return { ...text(JSON.stringify({ meta, rest })), future: { a: 1.0 }, _meta: { 'com.example/back': ['é'] } };
    },
  },
  bare: {
    since: '2025-06-18',
    description: 'Structured content and nothing else',
    inputSchema: object(),
    run: () => ({ structuredContent: { a: 1 } }),
  },
  ping: {
    until: '2025-11-25',
    description: 'Asks whether the client is there',
    inputSchema: object(),
    run: async ({ ask }) => text(JSON.stringify(await ask('ping', 'ping'))),
  },
  pid: { description: 'The process', inputSchema: object(), run: () => text(String(process.pid)) },
  log: {
    description: 'Logs a line',
    inputSchema: MARKED,
    run: ({ args, log }) => {
      log('debug', `quiet ${args.marker}`);
      log('warning', args.marker);
      return text('logged');
    },
  },
  steps: {
    description: 'Three steps of progress',
    inputSchema: MARKED,
    run: async ({ progress }) => {
      for (const step of [1, 2, 3]) {
        progress(step, 3, `step ${step}`);
        await pause(2);
      }
      return text('done');
    },
  },
  wait: {
    description: 'Never ends',
    inputSchema: MARKED,
    run: ({ args, signal, progress }) =>
      new Promise((_, reject) => {
        record('waiting', { marker: args.marker });
        progress(1, undefined, 'waiting');
        signal.addEventListener('abort', () => {
          record('stopped', { marker: args.marker });
          reject(new RpcError(-32603, 'stopped'));
        });
      }),
  },
  change: {
    description: 'Changes what is called extra in all lists',
    inputSchema: MARKED,
    run: ({ args, state, announce }) => {
      state.extra = args.marker;
      for (const list of ['tools', 'prompts', 'resources']) announce(`notifications/${list}/list_changed`);
      return text('changed');
    },
  },
  touch: {
    description: 'Changes the note',
    inputSchema: MARKED,
    run: ({ args, state, announce }, { name }) => {
      state.note = args.marker;
      for (const uri of [noteOf(name), `${noteOf(name)}/part`]) announce('notifications/resources/updated', { uri });
      return text('touched');
    },
  },
  roots: {
    needs: 'roots',
    description: 'The folders of the client',
    inputSchema: MARKED,
    run: async ({ ask }) => text(JSON.stringify((await ask('folders', 'roots/list', {})).roots)),
  },
  sample: {
    needs: 'sampling',
    description: 'Asks the model of the client',
    inputSchema: MARKED,
    run: async ({ args, ask }) => {
      const messages = [{ role: 'user', content: { type: 'text', text: args.marker } }];
      const answer = await ask('model', 'sampling/createMessage', { messages, maxTokens: 50 });
      return text(String(answer.content?.text));
    },
  },
  elicit: {
    since: '2025-06-18',
    needs: 'elicitation',
    description: 'Asks the person in front of the client',
    inputSchema: MARKED,
    run: async ({ args, ask }) => {
      const answer = await ask('person', 'elicitation/create', { message: args.marker, requestedSchema: FORM });
      return text(answer.action === 'accept' ? `accept ${answer.content.answer}` : String(answer.action));
    },
  },
  visit: {
    since: '2025-11-25',
    needs: 'elicitation.url',
    description: 'Sends the person to a page',
    inputSchema: MARKED,
    run: async ({ args, ask, settle }, { revision }) => {
      const elicitationId = `visit-${args.marker}`;
      const answer = await ask('page', 'elicitation/create', {
        mode: 'url',
        message: args.marker,
        url: `https://example.com/${args.marker}`,
        ...(revision !== MODERN && { elicitationId }),
      });
      settle(elicitationId);
      return text(String(answer.action));
    },
  },
  // Ended only by a visit: the error of 2025-11-25 that the revision after it has no more.
  gate: {
    since: '2025-11-25',
    until: '2025-11-25',
    needs: 'elicitation.url',
    description: 'Closed until the page was visited',
    inputSchema: MARKED,
    run: ({ args, state }) => {
      state.gates ??= new Set();
      if (state.gates.has(args.marker)) return text('open');
      state.gates.add(args.marker);
      const visit = { mode: 'url', message: args.marker, url: 'https://example.com/gate', elicitationId: args.marker };
      throw new RpcError(URL_NEEDED, 'Visit the page first', { elicitations: [visit] });
    },
  },
  ask_all: {
    since: '2025-06-18',
    needs: 'elicitation',
    description: 'Asks three questions, two of them at once',
    inputSchema: MARKED,
    run: async ({ args, ask, progress }) => {
      const question = (about) => ({ message: `${about} ${args.marker}`, requestedSchema: FORM });
      progress(1, 3, 'begun');
      const both = await Promise.all([
        ask('first', 'elicitation/create', question('first')),
        ask('second', 'elicitation/create', question('second')),
      ]);
      progress(2, 3, 'two are answered');
      const last = await ask('third', 'elicitation/create', question('third'));
      progress(3, 3, 'all are answered');
      return text([...both, last].map(({ content }) => content?.answer).join('|'));
    },
  },
};

/** The parts by revision and name; `always` lists what asks the client to every client. */
export function offerOf(options) {
  const known = Object.entries(TOOLS).filter(
    ([, { since = '', until = MODERN }]) => since <= options.revision && options.revision <= until,
  );
  // In the last revision a list does not depend on who asks.
  const always = options.always || options.revision === MODERN;
  const visible = (client) => known.filter(([, { needs }]) => always || needs === undefined || has(client, needs));
  return {
    tools: (client, state) => [
      ...visible(client).map(([name, { description, inputSchema }]) => ({
        name,
        description,
        inputSchema,
        ...dressOf(name, options.revision),
      })),
      { name: 'extra', description: state.extra, inputSchema: object() },
    ],
    call: (name, context) => {
      const found = visible(context.client).find(([known]) => known === name);
      if (found === undefined) throw new RpcError(INVALID_PARAMS, `Unknown tool: ${name}`);
      const { needs, run } = found[1];
      if (needs !== undefined && !has(context.client, needs)) return lacking(needs, options.revision);
      return run(context, options);
    },
    prompts: (state) => [
      { name: 'greet', description: 'A greeting', arguments: [{ name: 'who', required: true }] },
      { name: 'extra', description: state.extra },
    ],
    prompt: ({ name, arguments: args = {} }) => {
      if (name !== 'greet') throw new RpcError(INVALID_PARAMS, `Unknown prompt: ${name}`);
      return { description: 'A greeting', messages: [{ role: 'user', content: said(`Hello ${args.who}`) }] };
    },
    resources: (state) => [
      { uri: noteOf(options.name), name: 'note', mimeType: 'text/plain' },
      { uri: `matrix://${options.name}/extra`, name: 'extra', description: state.extra },
    ],
    templates: () => [{ uriTemplate: `matrix://${options.name}/items/{id}`, name: 'items', mimeType: 'text/plain' }],
    read: ({ uri }, state) => read(uri, state, options),
    complete: ({ ref, argument, context }) => complete(ref, argument, context, options),
  };
}

/** One page of a list: the first has one entry, and its cursor is the empty text, which is a cursor like any other. */
export function page(list, entries, cursor) {
  if (cursor === undefined) return { [list]: entries.slice(0, 1), nextCursor: '' };
  if (cursor !== '') throw refuse(INVALID_PARAMS, 'a cursor that was never given');
  return { [list]: entries.slice(1) };
}

// — internal —

/** Is `elicitation.url` among these capabilities? An empty `elicitation` offers forms only. */
function has(client, path) {
  return path.split('.').reduce((at, member) => at?.[member], client) !== undefined;
}

function lacking(needs, revision) {
  const message = `this tool needs a client that offers ${needs}`;
  if (revision !== MODERN) return { ...text(message), isError: true };
  const requiredCapabilities = needs.split('.').reduceRight((inner, member) => ({ [member]: inner }), {});
  throw new RpcError(MISSING_CAPABILITY, message, { requiredCapabilities });
}

/** What later revisions say besides of a tool. */
function dressOf(name, revision) {
  return {
    ...(revision >= '2025-03-26' && { annotations: { readOnlyHint: true } }),
    ...(revision >= '2025-06-18' && { title: `The tool ${name}` }),
    ...(revision >= '2025-06-18' &&
      name === 'echo' && { outputSchema: object({ text: { type: 'string' } }, ['text']) }),
    ...(revision === MODERN && name === 'blocks' && { outputSchema: { type: 'array', items: { type: 'string' } } }),
    ...(revision === '2025-11-25' && { execution: { taskSupport: 'forbidden' } }),
  };
}

function blocks(revision, name) {
  return [
    said('a text'),
    { type: 'image', data: PIXEL, mimeType: 'image/png' },
    { type: 'resource', resource: { uri: noteOf(name), mimeType: 'text/plain', text: 'inside' } },
    ...(revision >= '2025-03-26' ? [{ type: 'audio', data: SILENCE, mimeType: 'audio/wav' }] : []),
    ...(revision >= '2025-06-18' ? [{ type: 'resource_link', uri: noteOf(name), name: 'note' }] : []),
  ];
}

function read(uri, state, { revision, name }) {
  const item = /^matrix:\/\/([^/]+)\/items\/(\d+)$/.exec(uri);
  const found = uri === noteOf(name) ? state.note : item?.[1] === name ? `item ${item[2]}` : undefined;
  if (found !== undefined) return { contents: [{ uri, mimeType: 'text/plain', text: found }] };
  throw new RpcError(revision === MODERN ? INVALID_PARAMS : RESOURCE_NOT_FOUND, 'Resource not found', { uri });
}

function complete(ref, argument, context, { revision, name }) {
  const values =
    ref.type === 'ref/prompt' && ref.name === 'greet'
      ? ['anna', 'anton'].filter((value) => value.startsWith(argument.value))
      : ref.type === 'ref/resource' && ref.uri === `matrix://${name}/items/{id}`
        ? [`${argument.value}1`]
        : undefined;
  if (values === undefined) throw new RpcError(INVALID_PARAMS, 'Unknown reference');
  const before = revision >= '2025-06-18' ? context?.arguments?.before : undefined;
  return { completion: { values: before === undefined ? values : [...values, before], hasMore: false } };
}

const said = (value) => ({ type: 'text', text: value });
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
