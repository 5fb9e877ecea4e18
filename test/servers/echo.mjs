/**
 * An ordinary, well-behaved server with something of everything.
 *   --name NAME          its serverInfo.name, shown by the tool `env` and by its resources
 *   --prefix TEXT        before every tool name
 *   --more N             so many further tools `more-0` …, for long lists
 *   --without A,B        leaves out `resources` or `prompts`
 *   --instructions TEXT
 * Tools: echo, add, sleep (progress, cancellable), env, toggle (adds or removes the tool `extra` and says so), touch (changes the
 * resource `echo://note` and tells subscribers), log (one line to the host, one to stderr), fail (a tool error).
 */
import { flags, object, record, serve, text } from './base.mjs';

const given = flags({ name: 'echo', prefix: '', more: '0', without: '' });
const without = given.without.split(',');
let level = 'info';
let note = 'nothing yet';
const subscribed = new Set();

const extra = { name: `${given.prefix}extra`, description: 'Comes and goes with toggle', call: () => text('extra') };

const tools = [
  {
    name: 'echo',
    title: 'Echo',
    description: 'Says the same',
    inputSchema: object({ text: { type: 'string' } }, ['text']),
    annotations: { readOnlyHint: true },
    call: (args) => text(String(args.text)),
  },
  {
    name: 'add',
    description: 'Adds two numbers',
    inputSchema: object({ a: { type: 'number' }, b: { type: 'number' } }, ['a', 'b']),
    outputSchema: object({ sum: { type: 'number' } }, ['sum']),
    call: ({ a, b }) => ({ ...text(String(a + b)), structuredContent: { sum: a + b } }),
  },
  {
    name: 'sleep',
    description: 'Answers after so many milliseconds, with a sign of progress in each tenth',
    inputSchema: object({ ms: { type: 'integer' } }, ['ms']),
    call: sleep,
  },
  {
    name: 'env',
    description: 'What this process was started with',
    call: () =>
      text(
        JSON.stringify({
          name: given.name,
          pid: process.pid,
          cwd: process.cwd(),
          argv: process.argv.slice(2),
          env: process.env,
        }),
      ),
  },
  { name: 'toggle', description: 'Adds or removes a tool', call: toggle },
  {
    name: 'touch',
    description: 'Changes echo://note',
    inputSchema: object({ text: { type: 'string' } }, ['text']),
    call: (args, { peer }) => {
      note = String(args.text);
      if (subscribed.has('echo://note')) peer.notify('notifications/resources/updated', { uri: 'echo://note' });
      return text('touched');
    },
  },
  {
    name: 'log',
    description: 'Writes one line to the host and one to stderr',
    inputSchema: object({ text: { type: 'string' } }, ['text']),
    call: (args, { peer }) => {
      process.stderr.write(`${args.text}\n`);
      peer.notify('notifications/message', { level, logger: given.name, data: args.text });
      return text('logged');
    },
  },
  { name: 'fail', description: 'Always a tool error', call: () => ({ ...text('it did not work'), isError: true }) },
  ...Array.from({ length: Number(given.more) }, (_, n) => ({
    name: `more-${n}`,
    description: `Number ${n}`,
    call: () => text(String(n)),
  })),
].map((tool) => ({ ...tool, name: given.prefix + tool.name }));

async function sleep({ ms }, { signal, progress }) {
  for (let step = 1; step <= 10 && !signal.aborted; step++) {
    await new Promise((resolve) => setTimeout(resolve, ms / 10));
    if (!signal.aborted) progress(step, 10);
  }
  return text(`slept ${ms} ms`);
}

function toggle(_args, { peer }) {
  const at = tools.indexOf(extra);
  if (at < 0) tools.push(extra);
  else tools.splice(at, 1);
  peer.notify('notifications/tools/list_changed');
  return text(at < 0 ? 'added' : 'removed');
}

serve({
  name: given.name,
  ...(typeof given.instructions === 'string' && { instructions: given.instructions }),
  capabilities: {
    tools: { listChanged: true },
    logging: {},
    ...(!without.includes('resources') && { resources: { subscribe: true } }),
    ...(!without.includes('prompts') && { prompts: {}, completions: {} }),
  },
  tools,
  ...(!without.includes('resources') && {
    resources: [
      { uri: 'echo://name', name: 'name', mimeType: 'text/plain', read: () => given.name },
      { uri: 'echo://note', name: 'note', description: 'Changes with the tool touch', read: () => note },
    ],
    templates: [
      {
        uriTemplate: 'echo://say/{word}',
        name: 'say',
        pattern: /^echo:\/\/say\/(.+)$/,
        read: (_uri, [, word]) => decodeURIComponent(word),
      },
    ],
  }),
  ...(!without.includes('prompts') && {
    prompts: [
      {
        name: 'greet',
        description: 'A greeting',
        arguments: [{ name: 'who', required: true }],
        get: ({ who }) => ({
          messages: [{ role: 'user', content: { type: 'text', text: `Say hello to ${who} from ${given.name}` } }],
        }),
      },
    ],
  }),
  methods: {
    'logging/setLevel': (params) => {
      level = params.level;
      record('level', { level });
      return {};
    },
    'resources/subscribe': ({ uri }) => {
      subscribed.add(uri);
      record('subscribe', { uri });
      return {};
    },
    'resources/unsubscribe': ({ uri }) => {
      subscribed.delete(uri);
      record('unsubscribe', { uri });
      return {};
    },
    'completion/complete': ({ argument }) => ({
      completion: {
        values: ['Ada', 'Alan', 'Grace'].filter((name) => name.startsWith(argument.value)),
        hasMore: false,
      },
    }),
  },
});
