import { expect, test } from 'vitest';
import type { Character } from '../../test/simulated/servers.ts';
import { World } from '../../test/simulated/world.ts';
import { OWN_PROCESSES_MAX } from '../input-limits.ts';
import type { Door } from './model.ts';

const ASKS: Character = { tools: ['ask', 'other'] };
const FORM = { message: 'Who?', requestedSchema: { type: 'object', properties: {} } };
const SINGLE: Partial<Door> = { principal: 'client:one', lasts: 'request' };
const ELICITATION = { elicitation: {} };

/** A legacy server that each host has a process of, and a client that comes with each request anew. */
function given() {
  const world = new World();
  world.install('fake', ASKS, { sharing: 'per-session' });
  let requests = 0;
  const call = (capabilities: object, tool = 'ask') => {
    const host = world.modernHost(`request-${requests++}`, capabilities, SINGLE);
    return { host, key: world.request(host, 'tools/call', { name: `fake__${tool}` }) };
  };
  const keys = () => [...world.gateway.view.instances.keys()].filter((key) => key.startsWith('fake@'));
  return { world, call, keys };
}

test('a client that declares something else with its next request gets a process that was told so', () => {
  const { world, call, keys } = given();
  call(ELICITATION);
  call({ sampling: {} }, 'other');
  call(ELICITATION, 'other');
  expect(keys()).toHaveLength(2);
  const told = keys().map(
    (key) => world.ready(key, ASKS).received.find(({ method }) => method === 'initialize')?.params,
  );
  expect(told.map((params) => params?.['capabilities'])).toEqual([ELICITATION, { sampling: {} }]);
});

test('a call whose client never comes back with the input does not hold up its other calls, up to a number of processes', () => {
  const { world, call, keys } = given();
  for (let nth = 1; nth <= OWN_PROCESSES_MAX; nth++) {
    call(ELICITATION);
    expect(keys()).toHaveLength(nth);
    const process = world.ready(keys().at(-1) ?? '', ASKS);
    expect(process.received.filter(({ method }) => method === 'tools/call')).toHaveLength(1);
    world.serverSends(process, { jsonrpc: '2.0', id: 0, method: 'elicitation/create', params: FORM });
    world.advance(5);
  }
  call(ELICITATION);
  expect(keys()).toHaveLength(OWN_PROCESSES_MAX);
});

test('a call that fails for want of a capability tells a modern client which one to declare', () => {
  const world = new World();
  const process = world.running('fake', ASKS, { sharing: 'shared' });
  const host = world.modernHost('one', {});
  for (const [method, params, requiredCapabilities] of [
    ['sampling/createMessage', { messages: [], maxTokens: 1 }, { sampling: {} }],
    ['elicitation/create', FORM, { elicitation: { form: {} } }],
  ] as const) {
    const key = world.request(host, 'tools/call', { name: 'fake__ask' });
    world.serverSends(process, { jsonrpc: '2.0', id: method, method, params });
    world.serverAnswers(process, 'tools/call', { result: { content: [], isError: true } });
    expect(world.answerTo(host, key).error).toMatchObject({ code: -32_021, data: { requiredCapabilities } });
  }
});

test('a call that does without what its client cannot be asked has its result', () => {
  const world = new World();
  const process = world.running('fake', ASKS, { sharing: 'shared' });
  const host = world.modernHost('one', {});
  const key = world.request(host, 'tools/call', { name: 'fake__ask' });
  world.serverSends(process, { jsonrpc: '2.0', id: 0, method: 'elicitation/create', params: FORM });
  world.serverAnswers(process, 'tools/call', { result: { content: [] } });
  expect(world.answerTo(host, key).result).toEqual({ resultType: 'complete', content: [] });
});
