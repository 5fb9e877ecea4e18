import { expect, test } from 'vitest';
import type { SimulatedHost } from '../../test/simulated/hosts.ts';
import type { Character } from '../../test/simulated/servers.ts';
import { World } from '../../test/simulated/world.ts';

const TOOLS: Character = { tools: ['echo'] };
const CALL = { name: 'fake__echo', arguments: {} };

/** A running server and two hosts. */
function given(character: Character = TOOLS) {
  const world = new World();
  const process = world.running('fake', character);
  return { world, process, one: world.legacyHost('one'), two: world.legacyHost('two') };
}

test('the raw name and an own id go to the server, and all else as the host wrote it', () => {
  const { world, process, one } = given();
  const args = '{"big":12345678901234567890, "pi":3.10,"__proto__":{"x":1},"nested":{"id":1,"name":"fake__echo"}}';
  const meta = '{"traceparent":"00-1","vendor/key":[1.0]}';
  const params = `{"future":true,"arguments":${args},"name":"fake__echo","_meta":${meta}}`;
  world.hostSendsText(one, `{"jsonrpc":"2.0","id":"a","method":"tools/call","params":${params}}`);
  const { id } = world.asked(process, 'tools/call');
  expect(typeof id).toBe('number');
  const raw = params.replace('"fake__echo","_meta"', '"echo","_meta"');
  expect(process.lines.at(-1)).toBe(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${raw}}\n`);
});

test('the answer comes back under the very id the host used, with all the bytes of its result', () => {
  const { world, process, one } = given();
  const result =
    '{"content":[{"type":"of-tomorrow","x":1e400}],"structuredContent":98765432109876543210,"__proto__":1}';
  for (const id of ['0', '"0"', '1', '"1"', '""', '-5', '9007199254740993', '"\\u0061\\n"', '1.0']) {
    world.hostSendsText(one, `{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":{"name":"fake__echo"}}`);
    const asked = world.asked(process, 'tools/call');
    world.serverSendsText(process, `{"result":${result},"jsonrpc":"2.0","id":${asked.id}}`);
    expect(one.lines.at(-1)).toBe(`{"result":${result},"jsonrpc":"2.0","id":${id}}\n`);
  }
});

test('equal ids of two hosts do not meet', () => {
  const { world, process, one, two } = given();
  const key = world.request(one, 'tools/call', CALL, 1);
  world.request(two, 'tools/call', CALL, 1);
  const [first, second] = [world.asked(process, 'tools/call'), world.asked(process, 'tools/call')];
  world.serverSends(process, { jsonrpc: '2.0', id: second.id ?? null, result: { for: 'two' } });
  world.serverSends(process, { jsonrpc: '2.0', id: first.id ?? null, result: { for: 'one' } });
  expect(world.answerTo(one, key).result).toEqual({ for: 'one' });
  expect(world.answerTo(two, key).result).toEqual({ for: 'two' });
});

test.each(['7.0', '"7"'])(
  'an answer whose id is spelled %s for 7 counts, as it does for the official SDK',
  (spelling) => {
    const { world, process, one } = given();
    const key = world.request(one, 'tools/call', CALL);
    const id = world.asked(process, 'tools/call').id;
    world.serverSendsText(process, `{"jsonrpc":"2.0","id":${spelling.replace('7', String(id))},"result":{}}`);
    expect(world.answerTo(one, key).result).toEqual({});
  },
);

test('a second answer and answers to nothing are dropped, counted, and said in health', () => {
  const { world, process, one } = given();
  world.request(one, 'tools/call', CALL);
  const id = world.asked(process, 'tools/call').id ?? null;
  for (const ghost of [id, id, 999, 'nobody', null]) {
    if (ghost === null) world.serverSends(process, { jsonrpc: '2.0', id: null, error: { code: -32700, message: 'x' } });
    else world.serverSends(process, { jsonrpc: '2.0', id: ghost, result: {} });
  }
  expect(one.answers.size).toBe(2);
  expect(world.status('fake').findings).toEqual([expect.stringMatching(/^4 unexpected answers dropped/)]);
  expect(world.status('fake').health).toBe('ok');
});

test('an error of the server passes with its code, message and data', () => {
  const { world, process, one } = given();
  const key = world.request(one, 'tools/call', CALL);
  const error = { code: -31_999, message: 'own', data: { deep: [1] } };
  world.serverAnswers(process, 'tools/call', { error });
  expect(world.answerTo(one, key).error).toEqual(error);
});

test('a cancel reaches the server by the id it was given, and no answer reaches the host afterwards', () => {
  const { world, process, one } = given();
  const key = world.request(one, 'tools/call', CALL, 'call-1');
  const id = world.asked(process, 'tools/call').id ?? null;
  world.cancel(one, key);
  expect(process.received.at(-1)).toMatchObject({
    method: 'notifications/cancelled',
    params: { requestId: id, reason: 'the host cancelled it' },
  });
  world.serverSends(process, { jsonrpc: '2.0', id, result: {} });
  expect(one.answers.has(key)).toBe(false);
  const counters = world.gateway.view.instances.get('fake')?.counters;
  expect(counters).toMatchObject({ late: 1, ghosts: 0 });
});

test('a cancel finds its request by the value of the id and its type', () => {
  const { world, process, one } = given();
  world.request(one, 'tools/call', CALL, '1');
  const number = world.request(one, 'tools/call', CALL, 1);
  world.asked(process, 'tools/call');
  const second = world.asked(process, 'tools/call').id;
  world.hostSendsText(one, '{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1.0}}');
  one.open.delete(number);
  expect(process.received.at(-1)?.params).toMatchObject({ requestId: second });
});

test('a cancel of what waits for a start, of nothing, and of what is answered disturbs nobody', () => {
  const world = new World();
  world.install('fake', TOOLS);
  const host = world.legacyHost('one');
  const key = world.request(host, 'tools/call', CALL);
  world.cancel(host, key);
  world.cancel(host, '"unknown"');
  const process = world.ready('fake', TOOLS);
  expect(process.inbox).toEqual([]);
  expect(process.received.some(({ method }) => method === 'notifications/cancelled')).toBe(false);
});

test('thousands of cancelled calls that a server never answers leave no more than the last few', () => {
  const { world, process, one } = given();
  for (let n = 0; n < 2000; n++) world.cancel(one, world.request(one, 'tools/call', CALL));
  process.inbox.length = 0;
  const link = world.gateway.view.instances.get('fake')?.link;
  expect(link?.calls.size).toBe(0);
  expect(link?.abandoned.size).toBe(256);
});

test('when a host leaves, its calls are cancelled at the server, and those of other hosts are not', () => {
  const { world, process, one, two } = given();
  world.request(one, 'tools/call', CALL);
  const mine = world.asked(process, 'tools/call').id;
  const key = world.request(two, 'tools/call', CALL);
  world.closeHost(one);
  const cancels = process.received.filter(({ method }) => method === 'notifications/cancelled');
  expect(cancels.map(({ params }) => params?.['requestId'])).toEqual([mine]);
  world.serverAnswers(process, 'tools/call', { result: {} });
  expect(world.answerTo(two, key).result).toEqual({});
});

test('a server that does not read its input fails the call that could not be written, and no other', () => {
  const { world, process, one } = given();
  const lost = world.request(one, 'tools/call', CALL);
  const id = Number(world.asked(process, 'tools/call').id);
  const kept = world.request(one, 'tools/call', CALL);
  const { instance, generation } = process;
  world.post({ type: 'server-full', instance, generation, id });
  expect(world.answerTo(one, lost).error).toMatchObject({ code: -32603, data: { reason: 'overloaded', sent: false } });
  world.serverAnswers(process, 'tools/call', { result: {} });
  expect(world.answerTo(one, kept).result).toEqual({});
  expect(process.received.some(({ method }) => method === 'notifications/cancelled')).toBe(false);
});

test.each([
  ['too-long', 30 * 1024 * 1024, /answered with 30 MiB, over the limit of 64 MiB/],
  ['invalid-utf8', 10, /a message that is not valid \(invalid-utf8\)/],
] as const)('an answer that is %s fails its call with the reason', (reason, bytes, message) => {
  const { world, process, one } = given();
  const key = world.request(one, 'tools/call', CALL);
  const id = String(world.asked(process, 'tools/call').id);
  const { instance, generation } = process;
  world.post({ type: 'server-noise', instance, generation, reason, id, question: null, bytes });
  expect(world.answerTo(one, key).error?.message).toMatch(message);
  expect(world.status('fake').state).toBe('running');
});

test("a server's own request that cannot be read is answered to it, and fails no call of the same id", () => {
  const { world, process, one } = given();
  const key = world.request(one, 'tools/call', CALL);
  const id = String(process.inbox[0]?.id);
  const { instance, generation } = process;
  world.post({ type: 'server-noise', instance, generation, reason: 'too-long', id: null, question: id, bytes: 9 });
  expect(process.received.at(-1)).toMatchObject({ id: Number(id), error: { code: -32600 } });
  expect(one.answers.has(key)).toBe(false);
});

test('noise is counted and said in health, and told to watchers once', () => {
  const { world, process, one } = given();
  const { instance, generation } = process;
  const noise = { type: 'server-noise', instance, generation, reason: 'not-json', bytes: 9 } as const;
  for (let n = 0; n < 100; n++) world.post({ ...noise, id: null, question: null });
  expect(world.status('fake').findings).toEqual([expect.stringMatching(/^noise on stdout: 100 lines/)]);
  expect(world.effectsOf('publish').filter(({ topic }) => topic === 'server')).toHaveLength(1);
  expect(world.ask(one, 'ping').result).toEqual({});
});

test('a server that asks is answered: ping with a result, all else with an error when no host can be meant', () => {
  const { world, process } = given();
  world.serverSends(process, { jsonrpc: '2.0', id: 'p', method: 'ping' });
  expect(process.received.at(-1)).toEqual({ jsonrpc: '2.0', id: 'p', result: {} });
  for (const [method, code] of [
    ['roots/list', -32603],
    ['sampling/createMessage', -32603],
    ['made/up', -32601],
  ] as const) {
    world.serverSends(process, { jsonrpc: '2.0', id: 1, method });
    expect(process.received.at(-1)).toMatchObject({ id: 1, error: { code } });
  }
  expect(world.status('fake').findings).toHaveLength(2);
});

test('the history has a row of every call: names, times and sizes, but no arguments', () => {
  const world = new World();
  world.install('fake', TOOLS);
  const host: SimulatedHost = world.legacyHost('one');
  const rows = () => world.effectsOf('record-call').map(({ record }) => record);
  world.request(host, 'tools/call', { name: 'fake__echo', arguments: { secret: 'x' } });
  world.advance(40);
  const process = world.ready('fake', TOOLS);
  world.advance(60);
  world.serverAnswers(process, 'tools/call', { result: { content: [], isError: true } });
  world.cancel(host, world.request(host, 'tools/call', CALL));
  expect(rows()[0]).toMatchObject({
    session: 'one',
    host: 'one',
    server: 'fake',
    method: 'tools/call',
    target: 'echo',
    queuedMs: 40,
    totalMs: 100,
    outcome: 'tool-error',
    errorCode: null,
  });
  expect(rows().map(({ outcome }) => outcome)).toEqual(['tool-error', 'cancelled']);
  expect(JSON.stringify(rows())).not.toContain('secret');
  expect(world.status('fake')).toMatchObject({ calls: 2, errors: 1, openCalls: 0 });
});

test('one server takes so many open requests, and one host gives so many', () => {
  const { world, one, two } = given();
  for (let n = 0; n < 256; n++) world.request(one, 'tools/call', CALL);
  expect(world.ask(two, 'tools/call', CALL).error).toMatchObject({
    code: -32603,
    data: { reason: 'overloaded', sent: false },
  });
  for (const name of ['b', 'c', 'd']) {
    world.running(name, TOOLS);
    for (let n = 0; n < 250 && one.open.size < 1000; n++)
      world.request(one, 'tools/call', { name: `${name}__echo`, arguments: {} });
  }
  expect(one.open.size).toBe(1000);
  expect(world.ask(one, 'tools/call', { name: 'd__echo' }).error?.message).toContain('1000 open requests');
  expect(world.ask(one, 'ping').result).toEqual({});
});
