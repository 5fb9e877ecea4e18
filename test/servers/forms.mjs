/**
 * For the forms of the page: a tool whose choices hold hidden characters, a prompt with declared arguments and a template with several
 * variables, both completed by the server, and `hold`, which goes on until `release` is called. The tool answers with its arguments as JSON.
 */
import { object, record, serve, text } from './base.mjs';

const HIDDEN = ['a\u200bb', 'a\u0007b', ' a ', 'a\u202eb', 'ab'];
const CITIES = ['Oslo', 'Osaka', 'Oslo\u200b', 'Turin'];
let release = () => undefined;

serve({
  name: 'forms',
  capabilities: { tools: {}, prompts: {}, resources: {}, completions: {} },
  tools: [
    {
      name: 'choose',
      inputSchema: object(
        {
          one: { enum: HIDDEN },
          some: { type: 'array', items: { enum: HIDDEN } },
          'd\u200b': { default: 'x\u200by', type: 'string' },
        },
        ['one'],
      ),
      call: (args) => text(JSON.stringify(args)),
    },
    {
      name: 'ask\u200b',
      description: 'Has a hidden character in its name, and asks for one',
      call: async (_args, { peer }) => {
        const { content } = await peer.request('elicitation/create', {
          message: 'Which?',
          requestedSchema: object({ one: { type: 'string', enum: HIDDEN } }, ['one']),
        });
        return text(JSON.stringify(content));
      },
    },
    {
      name: 'hold',
      description: 'Goes on until release',
      call: (_args, { signal }) =>
        new Promise((resolve) => {
          release = () => resolve(text('held and released'));
          signal.addEventListener('abort', resolve);
        }),
    },
    {
      name: 'release',
      call: () => {
        release();
        return text('released');
      },
    },
  ],
  prompts: [
    {
      name: 'greet',
      arguments: [
        { name: 'who', description: 'Whom to greet', required: true },
        { name: 'city', title: 'Home town' },
      ],
      get: (args) => ({ messages: [{ role: 'user', content: { type: 'text', text: JSON.stringify(args) } }] }),
    },
  ],
  templates: [
    {
      uriTemplate: 'forms://{city}/days/{day}{?unit,days*}',
      name: 'days',
      pattern: /^forms:/,
      read: (uri) => `read ${uri}`,
    },
  ],
  methods: {
    'completion/complete': ({ ref, argument, context }) => {
      record('completion', { ref, argument, context });
      const values = CITIES.filter((city) => city.startsWith(argument.value));
      return { completion: { values, total: values.length, hasMore: false } };
    },
  },
});
