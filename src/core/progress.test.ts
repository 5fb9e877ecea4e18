import { expect, test } from 'vitest';
import type { SimulatedHost } from '../../test/simulated/hosts.ts';
import type { Character } from '../../test/simulated/servers.ts';
import { World } from '../../test/simulated/world.ts';

const TOOLS: Character = { tools: ['work'] };

function given() {
  const world = new World();
  const process = world.running('fake', TOOLS);
  const one = world.legacyHost('one');
  /** A call with this token; returns the token that the server got. */
  const call = (host: SimulatedHost, progressToken: unknown) => {
    const key = world.request(host, 'tools/call', { name: 'fake__work', _meta: { progressToken, other: 1 } });
    const { id = null, params = {} } = world.asked(process, 'tools/call');
    const meta = params['_meta'] as Record<string, unknown>;
    return { key, id, token: meta['progressToken'] };
  };
  const tell = (token: unknown, progress: unknown) =>
    world.serverNotifies(process, 'notifications/progress', { progressToken: token, progress, total: 10, x: 'y' });
  const seen = (host: SimulatedHost) => host.notices.map(({ params }) => params);
  return { world, process, one, call, tell, seen };
}

test('equal tokens of two hosts are told apart, and come back with their type', () => {
  const { world, one, call, tell, seen } = given();
  const two = world.legacyHost('two');
  const [a, b, c] = [call(one, 1), call(two, 1), call(two, '1')];
  expect(new Set([a.token, b.token, c.token]).size).toBe(3);
  tell(b.token, 5);
  tell(c.token, 6);
  expect(seen(one)).toEqual([]);
  expect(seen(two)).toEqual([
    { progressToken: 1, progress: 5, total: 10, x: 'y' },
    { progressToken: '1', progress: 6, total: 10, x: 'y' },
  ]);
});

test('a token leaves the rest of `_meta` as it was', () => {
  const { process, one, call } = given();
  call(one, 'token');
  expect(process.received.at(-1)?.params?.['_meta']).toEqual({ progressToken: expect.any(Number), other: 1 });
});

test('progress only goes forward', () => {
  const { one, call, tell, seen } = given();
  const { token } = call(one, 1);
  for (const value of [1, 3, 3, 2, 'four', null, 4]) tell(token, value);
  expect(seen(one).map((params) => params?.['progress'])).toEqual([1, 3, 4]);
});

test('at most twenty notices a second pass', () => {
  const { world, one, call, tell, seen } = given();
  const { token } = call(one, 1);
  for (let n = 0; n < 100; n++) tell(token, n);
  expect(seen(one)).toHaveLength(20);
  world.advance(1000);
  tell(token, 100);
  expect(seen(one).at(-1)).toMatchObject({ progress: 100 });
});

test('nothing follows the answer, the cancel, or the time-out of a call', () => {
  const { world, process, one, call, tell, seen } = given();
  const answered = call(one, 1);
  world.serverSends(process, { jsonrpc: '2.0', id: answered.id, result: {} });
  const cancelled = call(one, 2);
  world.cancel(one, cancelled.key);
  const late = call(one, 3);
  world.advance(600_000);
  for (const { token } of [answered, cancelled, late]) tell(token, 1);
  for (const stranger of [999, 'x', null, true]) tell(stranger, 1);
  expect(seen(one)).toEqual([]);
});

test('a token that is neither text nor number is none', () => {
  const { one, call } = given();
  expect(call(one, null).token).toBeNull();
  expect(call(one, { a: 1 }).token).toEqual({ a: 1 });
});
