import { expect, test } from 'vitest';
import type { SimulatedHost } from '../../test/simulated/hosts.ts';
import { World } from '../../test/simulated/world.ts';

const CAN = { elicitation: {}, roots: {} };
const FORM = { message: 'Who?', requestedSchema: { type: 'object' } };

/** A running legacy server that says to which request a message belongs, as one that is reached by HTTP does. */
function given() {
  const world = new World();
  const process = world.running('fake', { tools: ['a', 'b'] }, { sharing: 'shared' });
  world.serverSendsText(process, '{"jsonrpc":"2.0","method":"notifications/message","params":{}}', 999);
  const call = (host: SimulatedHost, tool = 'a') => {
    world.request(host, 'tools/call', { name: `fake__${tool}` });
    return Number(process.received.at(-1)?.id);
  };
  const asks = (id: number, about: number | null) =>
    world.serverSendsText(
      process,
      JSON.stringify({ jsonrpc: '2.0', id, method: 'elicitation/create', params: FORM }),
      about,
    );
  const says = (data: string, about: number | null) =>
    world.serverSendsText(
      process,
      JSON.stringify({ jsonrpc: '2.0', method: 'notifications/message', params: { level: 'error', data } }),
      about,
    );
  const told = (id: number) => process.received.filter((one) => one.id === id && one.method === undefined);
  const done = (id: number) => world.serverSends(process, { jsonrpc: '2.0', id, result: { content: [] } });
  return { world, call, asks, says, told, done };
}

test('a question belongs to the call on whose stream it comes, whatever else is open', () => {
  const { world, call, asks } = given();
  const [one, two, modern] = [world.legacyHost('one', CAN), world.legacyHost('two', CAN), world.modernHost('m', CAN)];
  const [first] = [call(one), call(two)];
  const third = call(modern);
  asks(1001, first);
  asks(1002, third);
  world.advance(5);
  expect(one.questions).toHaveLength(1);
  expect(two.questions).toEqual([]);
  expect(modern.open.size).toBe(0);
  // On HTTP it goes on the stream of that very request.
  expect(world.effects.find((effect) => effect.type === 'to-host' && effect.class === 'question')).toMatchObject({
    session: 'one',
    about: '2',
  });
});

test('one on the stream of a request that has ended is nobody’s, though another host’s call is open', () => {
  const { world, call, asks, told, done } = given();
  const [one, two] = [world.legacyHost('one', CAN), world.legacyHost('two', CAN)];
  const ended = call(one);
  done(ended);
  call(two);
  asks(1001, ended);
  expect(told(1001)).toMatchObject([{ error: { code: -32_603 } }]);
  expect([...one.questions, ...two.questions]).toEqual([]);
});

test('and so is what it logs there', () => {
  const { world, call, says, done } = given();
  const [one, two] = [world.legacyHost('one', CAN), world.legacyHost('two', CAN)];
  const ended = call(one);
  done(ended);
  const open = call(two);
  says('of one', ended);
  expect([...one.notices, ...two.notices]).toEqual([]);
  says('of two', open);
  expect(two.notices).toMatchObject([{ params: { data: 'of two' } }]);
});

test('one outside any stream belongs to the only call that is open, and with several to nobody', () => {
  const { world, call, asks, told } = given();
  const [one, two] = [world.legacyHost('one', CAN), world.legacyHost('two', CAN)];
  call(one);
  asks(1001, null);
  expect(one.questions).toHaveLength(1);
  call(two);
  asks(1002, null);
  expect(told(1002)).toMatchObject([{ error: { message: expect.stringContaining('several hosts') } }]);
});

test('nothing more is said of a call whose request was answered with a wish for input', () => {
  const { world, call, asks, says } = given();
  const host = world.modernHost('one', CAN);
  world.request(host, 'tools/call', {
    name: 'fake__a',
    _meta: { 'io.modelcontextprotocol/logLevel': 'debug' },
  });
  const id = call(world.modernHost('other', CAN)) - 1;
  says('before', id);
  asks(1001, id);
  world.advance(5);
  says('after', id);
  expect(host.notices.map(({ params }) => params?.['data'])).toEqual(['before']);
});

test('in a process of its own a legacy host is asked between calls too; a modern one cannot be', () => {
  for (const era of ['legacy', 'modern'] as const) {
    const world = new World();
    world.install('fake', { tools: ['a'] }, { sharing: 'per-session' });
    const host = era === 'legacy' ? world.legacyHost('one', CAN) : world.modernHost('one', CAN);
    world.request(host, 'tools/call', { name: 'fake__a' });
    const process = world.ready('fake@one', { tools: ['a'] });
    world.serverAnswers(process, 'tools/call', { result: { content: [] } });
    world.serverSends(process, { jsonrpc: '2.0', id: 1, method: 'roots/list' });
    expect(host.questions).toHaveLength(era === 'legacy' ? 1 : 0);
    if (era === 'modern')
      expect(process.received.at(-1)).toMatchObject({ id: 1, error: { message: expect.stringContaining('no call') } });
  }
});

test('the end of an elicitation by URL is told to the host that was shown it, and to no other', () => {
  const world = new World();
  const process = world.running('fake', { tools: ['a'] }, { sharing: 'shared' });
  const URL_TOO = { elicitation: { url: {} } };
  const [one, two] = [world.legacyHost('one', URL_TOO), world.legacyHost('two', URL_TOO)];
  world.request(one, 'tools/call', { name: 'fake__a' });
  const params = { mode: 'url', url: 'https://a', message: 'm', elicitationId: 'e' };
  world.serverSends(process, { jsonrpc: '2.0', id: 1, method: 'elicitation/create', params });
  for (const elicitationId of ['e', 'unknown', 7])
    world.serverNotifies(process, 'notifications/elicitation/complete', { elicitationId });
  expect(one.notices).toMatchObject([{ method: 'notifications/elicitation/complete', params: { elicitationId: 'e' } }]);
  expect(two.notices).toEqual([]);
  expect(world.status('fake').findings).toEqual([]);
});

test('a question that names a call its host has cancelled is shown to nobody, also where the host has the process for itself', () => {
  const world = new World();
  world.install('fake', { tools: ['a'] }, { sharing: 'per-session' });
  const host = world.legacyHost('one', CAN);
  const key = world.request(host, 'tools/call', { name: 'fake__a' });
  const process = world.ready('fake@one', { tools: ['a'] });
  const { id } = process.received.find(({ method }) => method === 'tools/call') ?? {};
  world.cancel(host, key);
  world.request(host, 'tools/call', { name: 'fake__a' });
  const question = { jsonrpc: '2.0', id: 1001, method: 'elicitation/create', params: FORM };
  world.serverSendsText(process, JSON.stringify(question), Number(id));
  expect(host.questions).toEqual([]);
  expect(process.received.at(-1)?.error?.message).toContain('was cancelled');
});

test('a server may go on with a cancelled call and ask: for a while that is shown to no other host', () => {
  const world = new World();
  const process = world.running('fake', { tools: ['a'] }, { sharing: 'shared' });
  const [one, two] = [world.legacyHost('one', CAN), world.legacyHost('two', CAN)];
  const asks = (id: number) =>
    world.serverSends(process, { jsonrpc: '2.0', id, method: 'elicitation/create', params: FORM });
  const told = (id: number) => process.received.find((message) => message.id === id && message.method === undefined);
  world.cancel(one, world.request(one, 'tools/call', { name: 'fake__a' }));
  world.request(two, 'tools/call', { name: 'fake__a' });
  asks(1001);
  expect(two.questions).toEqual([]);
  expect(told(1001)?.error?.message).toContain('cancelled');
  // Its answer is the end of it.
  world.serverAnswers(process, 'tools/call', { error: { code: -1, message: 'cancelled' } });
  asks(1002);
  expect(two.questions).toHaveLength(1);
});

test('a minute later it is forgotten, answered or not', () => {
  const world = new World();
  const process = world.running('fake', { tools: ['a'] }, { sharing: 'shared' });
  const [one, two] = [world.legacyHost('one', CAN), world.legacyHost('two', CAN)];
  world.cancel(one, world.request(one, 'tools/call', { name: 'fake__a' }));
  world.request(two, 'tools/call', { name: 'fake__a' });
  world.advance(60_000);
  world.serverSends(process, { jsonrpc: '2.0', id: 1001, method: 'elicitation/create', params: FORM });
  expect(two.questions).toHaveLength(1);
});
