/** What must work between a host and a server, one function each. They throw what went wrong. */
import { type Message, textOf } from '../message.ts';
import { until } from '../until.ts';
import type { RevisionHost } from './revision-host.ts';
import { MODERN, type Revision } from './wire.ts';

export interface Pair {
  host: RevisionHost;
  /** Name of the server, and authority of its URIs. */
  server: string;
  revision: Revision;
  /** What stands before the server's own names, and before what it asks a person: nothing when the host reached it by itself. */
  label: { names: string; questions: string };
  /** How often the server has recorded this. */
  recorded(what: string, marker?: string): number;
}

/** The request ended in one clear error, as it should where something is impossible. */
export class Refused extends Error {}

export const FEATURES = [
  'tools',
  'prompts',
  'resources',
  'templates',
  'completion',
  'logging',
  'progress',
  'cancel',
  'list_changed',
  'subscribe',
  'roots',
  'sampling',
  'elicitation',
  'elicitation by URL',
] as const;
export type Feature = (typeof FEATURES)[number];

const UPDATED = 'notifications/resources/updated';
const INVALID_PARAMS = -32_602;
const NOT_FOUND = -32_002;

/** Why the specification allows no such cell; undefined: it must work. */
export function impossible(feature: Feature, host: Revision, server: Revision): string | undefined {
  const since = feature === 'elicitation' ? '2025-06-18' : feature === 'elicitation by URL' ? '2025-11-25' : '';
  if (server < since) return `servers have ${feature} since ${since}`;
  if (host < since) return `hosts have ${feature} since ${since}`;
  return undefined;
}

export const CELLS: Record<Feature, (pair: Pair) => Promise<void>> = {
  tools: async (pair) => {
    const tools = await pair.host.list('tools');
    equal(
      tools.some(({ name }) => name === `${pair.label.names}echo`),
      true,
      'echo is listed',
    );
    equal(await called(pair, 'echo', { text: 'é 1' }), 'é 1', 'echo');
    const blocks = await pair.host.call(`${pair.label.names}blocks`);
    equal(blocks.result?.content?.[0]?.text, 'a text', 'the first block');
    if (pair.host.revision >= '2025-06-18' && pair.revision >= '2025-06-18')
      equal(
        (await pair.host.call(`${pair.label.names}echo`, { text: '1' })).result?.structuredContent,
        { text: '1' },
        'structured',
      );
    await unknownMembers(pair);
    if (pair.revision !== MODERN) equal(await called(pair, 'ping', {}), '{}', 'a ping of the server');
    const unknown = await pair.host.call(`${pair.label.names}nothing`);
    equal(unknown.error?.code, INVALID_PARAMS, 'an unknown tool');
  },
  prompts: async ({ host, label }) => {
    const prompts = await host.list('prompts');
    equal(
      prompts.some(({ name }) => name === `${label.names}greet`),
      true,
      'greet is listed',
    );
    const { messages } = await host.result('prompts/get', { name: `${label.names}greet`, arguments: { who: 'Ann' } });
    equal(messages?.[0]?.content.text, 'Hello Ann', 'greet');
    equal((await host.request('prompts/get', { name: 'nothing' })).error?.code, INVALID_PARAMS, 'an unknown prompt');
  },
  resources: async ({ host, server, revision }) => {
    const resources = await host.list('resources');
    equal(
      resources.some(({ uri }) => uri === noteOf(server)),
      true,
      'the note is listed',
    );
    equal(typeof (await read(host, noteOf(server))), 'string', 'the note');
    const unknown = await host.request('resources/read', { uri: `matrix://${server}/items/none` });
    const code = host.isModern || revision === MODERN ? INVALID_PARAMS : NOT_FOUND;
    equal(unknown.error?.code, code, 'an unknown resource');
  },
  templates: async ({ host, server }) => {
    const { resourceTemplates = [] } = await host.result('resources/templates/list');
    const template = `matrix://${server}/items/{id}`;
    equal(
      resourceTemplates.some(({ uriTemplate }) => uriTemplate === template),
      true,
      'the items are listed',
    );
    equal(await read(host, `matrix://${server}/items/7`), 'item 7', 'an item');
  },
  completion: async ({ host, server, revision, label }) => {
    const complete = async (ref: object, value: string) => {
      const context = host.revision >= '2025-06-18' ? { context: { arguments: { before: 'zoe' } } } : {};
      const params = { ref, argument: { name: 'any', value }, ...context };
      return ((await host.result('completion/complete', params))['completion'] as { values: string[] }).values;
    };
    const after = host.revision >= '2025-06-18' && revision >= '2025-06-18' ? ['zoe'] : [];
    equal(
      await complete({ type: 'ref/prompt', name: `${label.names}greet` }, 'an'),
      ['anna', 'anton', ...after],
      'a name',
    );
    const uri = `matrix://${server}/items/{id}`;
    equal(await complete({ type: 'ref/resource', uri }, '4'), ['41', ...after], 'an id');
  },
  logging: async (pair) => {
    const marker = mark(pair, 'log');
    await called(pair, 'log', { marker });
    const line = await until('the log line', () =>
      pair.host.received('notifications/message').find(({ params }) => params?.['data'] === marker),
    );
    equal(line.params?.['level'], 'warning', 'its level');
    if (pair.label.names !== '')
      equal(String(line.params?.['logger']).includes(pair.server), true, 'its logger names the server');
  },
  progress: async (pair) => {
    const marker = mark(pair, 'steps');
    await called(pair, 'steps', { marker }, { progressToken: marker });
    const said = await until('three steps', () => {
      const steps = progressOf(pair.host, marker);
      return steps.length >= 3 && steps;
    });
    equal(
      said.map(({ params }) => [params?.['progress'], params?.['total']]),
      [
        [1, 3],
        [2, 3],
        [3, 3],
      ],
      'the steps',
    );
  },
  cancel: async (pair) => {
    const marker = mark(pair, 'wait');
    let id: number | string | null = null;
    const pending = pair.host.exchange(
      'tools/call',
      { name: `${pair.label.names}wait`, arguments: { marker } },
      {
        progressToken: marker,
        onSent: (sent) => {
          id = sent;
        },
      },
    );
    // Nothing answers what was given up; an answer that comes before is seen below.
    let early: Message | undefined;
    pending.then(
      (answer) => {
        early = answer;
      },
      () => undefined,
    );
    await until('the call to run', () => early !== undefined || progressOf(pair.host, marker).length > 0);
    if (early !== undefined) throw new Error(`the call has ended: ${JSON.stringify(early)}`);
    pair.host.cancel(id);
    await until('the server to stop', () => pair.recorded('stopped', marker) === 1);
  },
  list_changed: async (pair) => {
    const { host, label } = pair;
    const stop = await host.watch({ lists: true });
    const marker = mark(pair, 'change');
    const lists = ['tools', 'prompts', 'resources'] as const;
    const notices = (list: string) => host.received(`notifications/${list}/list_changed`).length;
    // A modern host may have its lists from an earlier connection; any other has none before it asks.
    if (!host.isModern) for (const list of lists) await host.list(list);
    const before = new Map(lists.map((list) => [list, notices(list)]));
    await called(pair, 'change', { marker });
    for (const list of lists) {
      await until(`the notice about ${list}`, () => notices(list) > (before.get(list) ?? 0));
      const name = list === 'resources' ? 'extra' : `${label.names}extra`;
      await until(`the change in ${list}`, async () => {
        const entries = await host.list(list);
        return entries.some((entry) => entry.name === name && entry.description?.includes(marker));
      });
    }
    await stop();
  },
  subscribe: async (pair) => {
    const uri = noteOf(pair.server);
    const updates = () => pair.host.received(UPDATED).filter(({ params }) => params?.['uri'] === uri);
    const stop = await pair.host.watch({ uri });
    const marker = mark(pair, 'touch');
    await called(pair, 'touch', { marker });
    await until('the update', () => updates().length > 0);
    const ofPart = () => pair.host.received(UPDATED).some(({ params }) => params?.['uri'] === `${uri}/part`);
    await until('the update of a part of it', ofPart);
    equal(await read(pair.host, uri), marker, 'the note');
    await stop();
    const seen = updates().length;
    await called(pair, 'touch', { marker: mark(pair, 'unseen') });
    await called(pair, 'echo', { text: 'a round trip' });
    equal(updates().length, seen, 'updates after the end of the subscription');
  },
  roots: async (pair) => {
    const roots = await called(pair, 'roots', { marker: mark(pair, 'roots') });
    equal(roots.includes(`file:///home/${pair.host.label}`), true, roots);
    if (pair.host.isModern || pair.revision === MODERN) return;
    const before = pair.recorded('roots-changed');
    await pair.host.notify('notifications/roots/list_changed');
    await until('the server to hear of it', () => pair.recorded('roots-changed') > before);
  },
  sampling: async (pair) => {
    const marker = mark(pair, 'sample');
    equal(await called(pair, 'sample', { marker }), `${pair.host.label}: ${marker}`, 'the answer of the model');
    equal(callsOf(pair, marker), 1, 'executions');
  },
  elicitation: async (pair) => {
    const { host, label } = pair;
    const marker = mark(pair, 'elicit');
    const shown = (text: string) => `${host.label}: ${label.questions}${text}`;
    equal(await called(pair, 'elicit', { marker }), `accept ${shown(marker)}`, 'accepted');
    equal(callsOf(pair, marker), 1, 'executions');
    equal(await called(pair, 'elicit', { marker: 'decline' }), 'decline', 'declined');
    equal(await called(pair, 'elicit', { marker: 'cancel' }), 'cancel', 'cancelled');
    const all = ['first', 'second', 'third'].map((number) => shown(`${number} ${marker}`)).join('|');
    equal(await called(pair, 'ask_all', { marker }, { progressToken: marker }), all, 'three questions');
    // A modern host is told in each round what happens in it; a server that begins anew says again what it has said.
    if (host.isModern) return;
    const steps = progressOf(host, marker).map(({ params }) => params?.['progress']);
    equal(steps, [1, 2, 3], 'progress between the questions');
  },
  'elicitation by URL': async (pair) => {
    const marker = mark(pair, 'visit');
    equal(await called(pair, 'visit', { marker }), 'accept', 'the visit');
    if (pair.revision !== '2025-11-25') return;
    const gate = () => pair.host.call(`${pair.label.names}gate`, { marker });
    if (pair.host.isModern) return equal(await called(pair, 'gate', { marker }), 'open', 'the gate');
    await until('word that the visit is over', () => pair.host.received('notifications/elicitation/complete').length);
    const closed = await gate();
    equal([closed.error?.code, Array.isArray(closed.error?.data?.['elicitations'])], [-32_042, true], 'the gate');
    equal(textOf(await gate()), 'open', 'the gate');
  },
};

// — internal —

let marks = 0;

function mark({ host, server }: Pair, what: string): string {
  return `${what}-${host.label}-${server}-${++marks}`;
}

/** What nobody on the way knows passes, in both directions. */
async function unknownMembers({ host, label, revision }: Pair): Promise<void> {
  const meta = {
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    'com.example/x': { é: [1.5, null] },
  };
  const params = { name: `${label.names}seen`, arguments: {}, future: { b: [] } };
  const { result } = await host.exchange('tools/call', params, { meta });
  equal(
    JSON.parse(textOf({ ...(result && { result }) })),
    { meta, rest: { future: { b: [] } } },
    'what came to the server',
  );
  equal([result?.['future'], result?._meta?.['com.example/back']], [{ a: 1 }, ['é']], 'what came to the host');
  // An older host is given a text of what it cannot read; between equals a result passes as it is.
  const isOlder = host.revision < '2025-06-18' || (!host.isModern && revision === MODERN);
  if (label.names === '' || revision < '2025-06-18' || !isOlder) return;
  equal(
    (await host.call(`${label.names}bare`)).result?.content,
    [{ type: 'text', text: '{"a":1}' }],
    'what is structured',
  );
}

const noteOf = (server: string) => `matrix://${server}/note`;

function progressOf(host: RevisionHost, token: string): Message[] {
  return host.received('notifications/progress').filter(({ params }) => params?.['progressToken'] === token);
}

/** How often a tool was begun, not continued, with this marker. */
function callsOf(pair: Pair, marker: string): number {
  return pair.recorded('call', marker);
}

/** The text of a call. @throws {Refused} it ended in an error, of the protocol or of the tool */
async function called(
  { host, label }: Pair,
  tool: string,
  args: Record<string, unknown>,
  options: { progressToken?: string } = {},
): Promise<string> {
  const answer = await host.call(`${label.names}${tool}`, args, options);
  if (answer.error !== undefined) throw new Refused(`${answer.error.code} ${answer.error.message}`);
  if (answer.result?.isError) throw new Refused(`isError: ${textOf(answer)}`);
  return textOf(answer);
}

async function read(host: RevisionHost, uri: string): Promise<string | undefined> {
  return (await host.result('resources/read', { uri })).contents?.[0]?.text;
}

function equal(seen: unknown, wanted: unknown, what: string): void {
  const [one, other] = [JSON.stringify(seen), JSON.stringify(wanted)];
  if (one !== other) throw new Error(`${what}: ${one} instead of ${other}`);
}
