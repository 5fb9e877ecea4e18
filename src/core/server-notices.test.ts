import { expect, test } from 'vitest';
import type { SimulatedHost } from '../../test/simulated/hosts.ts';
import type { SimulatedProcess } from '../../test/simulated/processes.ts';
import type { Character } from '../../test/simulated/servers.ts';
import { World } from '../../test/simulated/world.ts';

const FAKE: Character = { tools: ['work'], resources: ['file:///a'] };

function given(character: Character = FAKE) {
  const world = new World();
  const process = world.running('fake', character);
  return { world, process, one: world.legacyHost('one'), two: world.legacyHost('two') };
}

const call = (world: World, host: SimulatedHost, meta: Record<string, unknown> = {}) =>
  world.request(host, 'tools/call', { name: 'fake__work', _meta: meta });

const says = (world: World, process: SimulatedProcess, level: string, more: Record<string, unknown> = {}) =>
  world.serverNotifies(process, 'notifications/message', { level, data: level, ...more });

const heard = (host: SimulatedHost) =>
  host.notices.filter(({ method }) => method === 'notifications/message').map(({ params }) => params?.['level']);

test('log messages go to the host whose calls alone are open, and to nobody when there is no such host', () => {
  const { world, process, one, two } = given();
  says(world, process, 'error');
  const key = call(world, one);
  says(world, process, 'info');
  call(world, two);
  says(world, process, 'warning');
  world.cancel(one, key);
  says(world, process, 'alert');
  expect(heard(one)).toEqual(['info']);
  expect(heard(two)).toEqual(['alert']);
});

test('every log message is in the log of its server, cut to a sensible length', () => {
  const { world, process } = given();
  says(world, process, 'info', { data: 'x'.repeat(100_000) });
  const [line] = world.effectsOf('log');
  expect(line).toMatchObject({ server: 'fake', level: 'info', text: expect.stringMatching(/^says \(info\): "xxx/) });
  expect(line?.text.length).toBeLessThan(1100);
});

test('a legacy host hears what reaches the level it set, and the server is told the most verbose of all', () => {
  const { world, process, one, two } = given();
  const levels = () =>
    process.received.flatMap(({ method, params }) => (method === 'logging/setLevel' ? [params?.['level']] : []));
  world.request(one, 'logging/setLevel', { level: 'error' });
  world.request(two, 'logging/setLevel', { level: 'info' });
  world.request(two, 'logging/setLevel', { level: 'warning' });
  expect(levels()).toEqual(['error', 'info', 'warning']);
  call(world, one);
  for (const level of ['debug', 'warning', 'error', 'emergency', 'own-level']) says(world, process, level);
  expect(heard(one)).toEqual(['error', 'emergency', 'own-level']);
  world.closeHost(two);
  expect(levels().at(-1)).toBe('error');
});

test('the level is told again to a fresh process, before its calls', () => {
  const { world, process, one } = given();
  world.request(one, 'logging/setLevel', { level: 'debug' });
  world.serverExits(process, 1);
  world.advance(2000);
  call(world, one);
  const fresh = world.ready('fake', FAKE);
  const methods = fresh.received.map(({ method }) => method);
  expect(methods.indexOf('logging/setLevel')).toBeGreaterThan(0);
  expect(methods.indexOf('logging/setLevel')).toBeLessThan(methods.indexOf('tools/call'));
});

test('a modern host hears only during calls that asked for it, down to the level they asked for', () => {
  const { world, process } = given();
  const host = world.openHost('modern', 'modern');
  call(world, host);
  says(world, process, 'error');
  call(world, host, { 'io.modelcontextprotocol/logLevel': 'warning' });
  for (const level of ['info', 'warning', 'error']) says(world, process, level);
  expect(heard(host)).toEqual(['warning', 'error']);
  expect(process.received.at(-1)).toMatchObject({ method: 'tools/call' });
  expect(process.received.filter(({ method }) => method === 'logging/setLevel')).toHaveLength(1);
});

test('the logger names the server, and the rest of the message stays as it was', () => {
  const { world, process, one } = given();
  call(world, one);
  world.serverSendsText(
    process,
    '{"jsonrpc":"2.0","method":"notifications/message","params":{"level":"info","logger":"db","data":{"n":12345678901234567890}}}',
  );
  says(world, process, 'info');
  const lines = one.lines.slice(-2);
  expect(lines[0]).toContain('"logger":"fake/db","data":{"n":12345678901234567890}');
  expect(JSON.parse(lines[1] ?? '')).toMatchObject({ params: { logger: 'fake', level: 'info' } });
});

test('a flood of messages is cut, and said to be; progress and answers still pass', () => {
  const { world, process, one } = given();
  const key = call(world, one);
  for (let n = 0; n < 1000; n++) says(world, process, 'info');
  expect(heard(one)).toHaveLength(200);
  expect(world.status('fake').findings).toEqual([expect.stringContaining('more notices than mcpd passes on')]);
  world.serverAnswers(process, 'tools/call', { result: {} });
  expect(world.answerTo(one, key).result).toEqual({});
  world.advance(1000);
  call(world, one);
  says(world, process, 'info');
  expect(heard(one)).toHaveLength(201);
});

test('a notice of an unknown kind goes to the only host with open calls, byte for byte, else it is said in health', () => {
  const { world, process, one } = given();
  const line = '{"jsonrpc":"2.0","method":"notifications/of/tomorrow","params":{"x":1.50,"__proto__":2}}';
  world.serverSendsText(process, line);
  expect(world.status('fake').findings).toHaveLength(1);
  call(world, one);
  world.serverSendsText(process, line);
  expect(one.lines.at(-1)).toBe(`${line}\n`);
});

test('a flood of resource updates is thinned, but each resource is told of', () => {
  const { world, process, one } = given();
  world.request(one, 'resources/subscribe', { uri: 'file:///a' });
  world.serverAnswers(process, 'resources/subscribe', { result: {} });
  const updates = () => one.notices.filter(({ method }) => method === 'notifications/resources/updated');
  for (let n = 0; n < 5000; n++)
    world.serverNotifies(process, 'notifications/resources/updated', { uri: `file:///a/${n % 250}` });
  expect(updates()).toHaveLength(200);
  world.advance(1000);
  // What changed once more after it was told is told once more.
  expect(updates()).toHaveLength(450);
  expect(new Set(updates().map(({ params }) => params?.['uri'])).size).toBe(250);
  world.advance(5000);
  expect(updates()).toHaveLength(450);
});

test('notices of odd shapes harm nobody', () => {
  const { world, process, one } = given();
  call(world, one);
  const before = one.lines.length;
  for (const method of ['message', 'progress', 'resources/updated', 'cancelled', 'tools/list_changed'])
    for (const params of ['', ',"params":[]', ',"params":{}', ',"params":{"uri":7,"level":[],"requestId":{}}'])
      world.serverSendsText(process, `{"jsonrpc":"2.0","method":"notifications/${method}"${params}}`);
  for (const line of one.lines.slice(before)) expect(() => JSON.parse(line)).not.toThrow();
  expect(world.ask(one, 'ping').result).toEqual({});
});
