import { expect, test } from 'vitest';
import type { SimulatedHost } from '../../test/simulated/hosts.ts';
import type { SimulatedProcess } from '../../test/simulated/processes.ts';
import type { Character } from '../../test/simulated/servers.ts';
import { World } from '../../test/simulated/world.ts';

const FAKE: Character = { tools: ['a', 'b', 'c'], prompts: ['a'] };
const CAN = { elicitation: {} };

/** A running legacy server that all hosts share. */
function given(character = FAKE) {
  const world = new World();
  const process = world.running('fake', character, { sharing: 'shared' });
  const call = (host: SimulatedHost, tool: string) => world.request(host, 'tools/call', { name: `fake__${tool}` });
  /** The raw tools that the server is at work on. */
  const open = () =>
    process.inbox.filter(({ method }) => method === 'tools/call').map(({ params }) => params?.['name']);
  const done = () => {
    world.serverAnswers(process, 'tools/call', { result: { content: [] } });
    world.advance(0);
  };
  return { world, process, call, open, done };
}

function asks(world: World, process: SimulatedProcess, id: number) {
  const params = { message: 'm', requestedSchema: {} };
  world.serverSends(process, { jsonrpc: '2.0', id, method: 'elicitation/create', params });
}

test('the first call of a tool has the server to itself among hosts; once it has answered without asking, it overlaps', () => {
  const { world, call, open, done } = given();
  const [one, two] = [world.legacyHost('one', CAN), world.legacyHost('two', CAN)];
  call(one, 'a');
  call(two, 'b');
  expect(open()).toEqual(['a']);
  done();
  expect(open()).toEqual(['b']);
  done();
  call(one, 'a');
  call(two, 'b');
  call(one, 'b');
  expect(open()).toEqual(['a', 'b', 'b']);
});

test('it waits for a second at most: others may never end', () => {
  const { world, call, open } = given();
  const [one, two] = [world.legacyHost('one', CAN), world.legacyHost('two', CAN)];
  call(one, 'a');
  world.advance(700);
  call(two, 'b');
  world.advance(999);
  expect(open()).toEqual(['a']);
  world.advance(1);
  expect(open()).toEqual(['a', 'b']);
});

test('each waits for its own second, whatever is looked at in between', () => {
  const { world, call, open, done } = given();
  const [one, two, three] = ['one', 'two', 'three'].map((name) => world.legacyHost(name, CAN));
  if (one === undefined || two === undefined || three === undefined) return;
  call(one, 'a');
  call(one, 'b');
  call(two, 'c');
  world.advance(900);
  done();
  expect(open()).toEqual(['b']);
  world.advance(99);
  expect(open()).toEqual(['b']);
  world.advance(1);
  expect(open()).toEqual(['b', 'c']);
});

test('the calls of one legacy host overlap: a question goes to that host in any case', () => {
  const { world, process, call, open } = given();
  const one = world.legacyHost('one', CAN);
  call(one, 'a');
  call(one, 'b');
  expect(open()).toEqual(['a', 'b']);
  asks(world, process, 1);
  expect(one.questions).toHaveLength(1);
});

test('those of a modern host do not: which call is to end with the question must be known', () => {
  const { world, process, call, open, done } = given();
  const one = world.modernHost('one', CAN);
  call(one, 'a');
  call(one, 'b');
  expect(open()).toEqual(['a']);
  done();
  expect(open()).toEqual(['b']);
  asks(world, process, 1);
  world.advance(5);
  expect(one.open.size).toBe(0);
});

test('hosts that cannot be asked wait for nobody but for those that can', () => {
  const { world, call, open } = given();
  const [poor, rich] = [world.legacyHost('poor'), world.legacyHost('rich', CAN)];
  call(poor, 'a');
  call(poor, 'b');
  expect(open()).toEqual(['a', 'b']);
  call(rich, 'c');
  expect(open()).toEqual(['a', 'b']);
});

test('nobody overtakes a call that waits for its turn', () => {
  const { world, call, open, done } = given();
  const [one, two] = [world.legacyHost('one', CAN), world.legacyHost('two', CAN)];
  for (const tool of ['a', 'b']) {
    call(one, tool);
    done();
  }
  call(one, 'a');
  call(two, 'c');
  call(one, 'b');
  expect(open()).toEqual(['a']);
  done();
  expect(open()).toEqual(['c']);
  done();
  expect(open()).toEqual(['b']);
});

test('a server that was seen to ask: calls of different hosts take turns for good, and longer', () => {
  const { world, process, call, open, done } = given();
  const [one, two] = [world.legacyHost('one', CAN), world.legacyHost('two', CAN)];
  call(one, 'a');
  asks(world, process, 1);
  world.hostAnswers(one, { action: 'accept' });
  done();
  expect(world.effectsOf('save-memory').map(({ memory }) => memory.callsBack)).toEqual([true]);
  call(two, 'b');
  done();
  call(two, 'b');
  call(one, 'a');
  world.advance(29_000);
  expect(open()).toEqual(['b']);
  world.advance(1000);
  expect(open()).toEqual(['b', 'a']);
});

test('a call that waits for another one in which a person is asked is refused after half a minute, and nothing was sent', () => {
  const { world, process, call, open } = given();
  const [one, two] = [world.legacyHost('one', CAN), world.legacyHost('two', CAN)];
  call(one, 'a');
  const key = call(two, 'b');
  asks(world, process, 1);
  world.advance(29_999);
  expect(two.open.has(key)).toBe(true);
  world.advance(1);
  expect(world.answerTo(two, key).error?.data).toMatchObject({ reason: 'overloaded', sent: false });
  expect(open()).toEqual(['a']);
});

test('an answer that is held for a retry frees the server for the next', () => {
  const { world, process, call, open, done } = given();
  const [one, two] = [world.modernHost('one', CAN), world.legacyHost('two', CAN)];
  call(one, 'a');
  asks(world, process, 1);
  world.advance(5);
  call(two, 'b');
  expect(open()).toEqual(['a']);
  done();
  expect(open()).toEqual(['b']);
});

test('a waiting call goes to the next process when this one dies, and takes turns there', () => {
  const { world, process, call } = given();
  const [one, two, three] = ['one', 'two', 'three'].map((name) => world.legacyHost(name, CAN));
  if (one === undefined || two === undefined || three === undefined) return;
  call(one, 'a');
  call(two, 'b');
  call(three, 'c');
  world.serverExits(process);
  world.advance(2000);
  const next = world.ready('fake', FAKE);
  const open = () => next.inbox.filter(({ method }) => method === 'tools/call').map(({ params }) => params?.['name']);
  expect(open()).toEqual(['b']);
  world.advance(1000);
  expect(open()).toEqual(['b', 'c']);
});

test('a server that says whose a message is lets all overlap, and so does a modern one', () => {
  const { world, process, call, open } = given();
  world.serverSendsText(process, '{"jsonrpc":"2.0","method":"notifications/message","params":{}}', 7);
  const [one, two] = [world.legacyHost('one', CAN), world.modernHost('two', CAN)];
  call(one, 'a');
  call(two, 'b');
  expect(open()).toEqual(['a', 'b']);
  const modern = given({ ...FAKE, era: 'modern' });
  modern.call(modern.world.legacyHost('one', CAN), 'a');
  modern.call(modern.world.legacyHost('two', CAN), 'b');
  expect(modern.open()).toEqual(['a', 'b']);
});

test('a prompt of the same name is not known to be quiet with the tool', () => {
  const { world, process, call, open, done } = given();
  const [one, two] = [world.legacyHost('one', CAN), world.legacyHost('two', CAN)];
  call(one, 'a');
  done();
  world.request(one, 'prompts/get', { name: 'fake__a' });
  call(two, 'b');
  expect(open()).toEqual([]);
  world.serverAnswers(process, 'prompts/get', { result: { messages: [] } });
  world.advance(0);
  expect(open()).toEqual(['b']);
});

test('nothing of it is kept when all is answered', () => {
  const { world, call, done } = given();
  const [one, two] = [world.legacyHost('one', CAN), world.modernHost('two', CAN)];
  call(one, 'a');
  call(two, 'b');
  const key = call(one, 'c');
  done();
  world.cancel(one, key);
  done();
  const instance = world.gateway.view.instances.get('fake');
  expect(instance?.queue.size).toBe(0);
  expect(instance?.link?.needy).toBe(0);
});

test.each<[string, (world: World) => void]>([
  ['stopped by hand', (world) => world.post({ type: 'command', server: 'fake', command: 'stop' })],
  ['uninstalled', (world) => world.post({ type: 'server-removed', server: 'fake' })],
])(
  'calls that wait for their turn at a server which is %s are told so at once, and do not start it again',
  (_, end) => {
    const { world, process, call } = given();
    const [one, two] = [world.legacyHost('one', CAN), world.legacyHost('two', CAN)];
    call(one, 'a');
    const key = call(two, 'b');
    end(world);
    expect(world.answerTo(two, key).error?.data).toMatchObject({ reason: 'down', sent: false });
    world.advance(10_000);
    world.serverExits(process, null, 'SIGTERM');
    world.advance(60_000);
    expect(world.processes.size).toBe(0);
  },
);

test('at a restart they wait for the next process', () => {
  const { world, process, call } = given();
  const [one, two] = [world.legacyHost('one', CAN), world.legacyHost('two', CAN)];
  call(one, 'a');
  call(two, 'b');
  world.post({ type: 'command', server: 'fake', command: 'restart' });
  world.advance(10_000);
  world.serverExits(process, null, 'SIGTERM');
  const next = world.ready('fake', FAKE);
  expect(next.inbox.map(({ params }) => params?.['name'])).toEqual(['b']);
});
