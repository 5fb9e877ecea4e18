/**
 * What mcpd changes in the answers of a server, and why. Nothing else may differ. Each rewrite makes the same of what came from the server
 * itself and of what came through mcpd.
 */
interface Rewrite {
  why: string;
  /** Applied to every object inside an answer, inner ones first, on both sides. */
  object?(value: Record<string, unknown>): unknown;
  /** Applied to every text inside an answer, on both sides. */
  text?(value: string): string;
  /** Applied to the whole of a step of this name, on both sides. */
  step?(name: string, value: unknown): unknown;
  /** Steps that mcpd answers by itself, and how: stands for the answer of the server. */
  own?: { steps: readonly string[]; answer: unknown };
}

export const SERVER = 'everything';

const REWRITES: readonly Rewrite[] = [
  {
    why: 'Ids belong to one connection.',
    object: ({ id: _, jsonrpc: __, ...rest }) => rest,
  },
  {
    why: 'Names are prefixed with the server, so that names of several servers differ.',
    object: (value) =>
      typeof value['name'] === 'string' ? { ...value, name: value['name'].replace(PREFIXED, '') } : value,
  },
  {
    why: 'A person must see which server asks, and a log line which server speaks.',
    object: (value) => ({
      ...value,
      ...(typeof value['message'] === 'string' && { message: value['message'].replace(LABELLED, '') }),
      ...('level' in value && 'data' in value && { logger: '<logger>' }),
    }),
  },
  {
    why: 'Times and random ids are those of the moment.',
    text: (value) =>
      value
        .replace(/\d{1,2}:\d\d:\d\d\s?[AP]M/g, '<time>')
        .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
        .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>'),
    object: (value) => ({
      ...value,
      ...('taskId' in value && { taskId: '<task>' }),
      ...(typeof value['blob'] === 'string' && { blob: value['blob'].replace(value['blob'], timeless(value['blob'])) }),
    }),
  },
  {
    why: 'Servers get an environment of their own.',
    step: (name, value) => (name.startsWith('call get-env') ? '<environment>' : value),
  },
  {
    why: 'A tool that can be called as a task only is run by mcpd for hosts that call it plainly; the server itself refuses that.',
    step: (name, value) => (name.startsWith('call simulate-research-query') ? '<run by mcpd>' : value),
  },
  {
    why: 'The words of an error of mcpd are its own, and say more; the code stays.',
    object: (value) => (typeof value['code'] === 'number' && 'message' in value ? { code: value['code'] } : value),
  },
  {
    why: 'A request that names nothing, or nothing that is known, has nobody to go to: JSON-RPC calls it -32602, whatever a server makes of it.',
    own: {
      answer: { error: { code: -32_602 } },
      steps: [
        'call no-such-tool {}',
        'tools/call {}',
        'tools/call {"name":7}',
        'prompts/get {}',
        'prompts/get {"name":null}',
        'resources/read {"uri":"no address"}',
        'resources/read {"uri":""}',
        'resources/read {}',
        'resources/read {"uri":7}',
        'resources/subscribe {}',
        'completion/complete {}',
        'completion/complete {"ref":{"type":"ref/prompt"}}',
        'completion/complete {"ref":{"type":"ref/other"},"argument":{"name":"x","value":"x"}}',
      ],
    },
  },
  {
    why: 'Lists come from what is remembered, in one page: no cursor was ever given.',
    own: {
      answer: { error: { code: -32_602 } },
      steps: ['tools/list', 'prompts/list', 'resources/list', 'resources/templates/list'].map(
        (method) => `${method} {"cursor":"never given"}`,
      ),
    },
  },
  {
    why: 'Each host has a log level of its own, so mcpd keeps it, and checks it.',
    own: {
      answer: { error: { code: -32_602 } },
      steps: ['logging/setLevel {"level":"loud"}', 'logging/setLevel {}'],
    },
  },
];

/** What mcpd answers by itself to a step of this name; undefined: the server does. */
export function ownAnswer(name: string): unknown {
  return REWRITES.find(({ own }) => own?.steps.includes(name))?.own?.answer;
}

/** What is left to compare. */
export function rewritten(name: string, value: unknown): unknown {
  const whole = REWRITES.reduce((at, { step }) => (step === undefined ? at : step(name, at)), value);
  return walk(whole);
}

// — internal —

const PREFIXED = new RegExp(`^${SERVER}__`);
const LABELLED = new RegExp(`^${SERVER}: `);

function walk(value: unknown): unknown {
  if (typeof value === 'string') return REWRITES.reduce((at, { text }) => (text === undefined ? at : text(at)), value);
  if (Array.isArray(value)) return value.map(walk);
  if (typeof value !== 'object' || value === null) return value;
  const inner = Object.fromEntries(Object.entries(value).map(([key, member]) => [key, walk(member)]));
  return REWRITES.reduce<unknown>(
    (at, { object }) =>
      object === undefined || typeof at !== 'object' || at === null ? at : object(at as Record<string, unknown>),
    inner,
  );
}

/** Some of the server's bytes are text with a time in it. */
function timeless(base64: string): string {
  const text = Buffer.from(base64, 'base64').toString();
  return text.startsWith('Resource ') ? text.replace(/ at .*$/, '') : base64;
}
