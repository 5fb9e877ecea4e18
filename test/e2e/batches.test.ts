import { expect } from 'vitest';
import { test } from '../harness/machine.ts';
import { type Message, textOf } from '../harness/message.ts';
import { until } from '../harness/until.ts';

const call = (id: number | string, name: string, args: Record<string, unknown>) => ({
  jsonrpc: '2.0',
  id,
  method: 'tools/call',
  params: { name, arguments: args },
});

test('a host and a server of 2025-03-26 send batches, and each is answered in its own way', async ({ machine }) => {
  await machine.add('old', 'batches');
  await machine.add('new', 'modern');
  const host = machine.host();
  await host.init('2025-03-26');
  // A server's batch of requests is answered one by one, its batch of answers reaches each call.
  expect(textOf(await host.call('old__twice'))).toBe('[{},{}]');
  const said = await Promise.all(['a', 'b', 'c'].map((text) => host.call('old__echo', { text })));
  expect(said.map(textOf)).toEqual(['a', 'b', 'c']);

  const batch = [
    call('x', 'old__echo', { text: 'é' }),
    call(71, 'new__echo', { text: 'z' }),
    { jsonrpc: '2.0', method: 'notifications/roots/list_changed' },
    { jsonrpc: '2.0', id: 72, method: 'initialize', params: {} },
    'no message',
    call(73, 'nobody__knows', {}),
  ];
  host.sendRaw(`${JSON.stringify(batch)}\n`);
  const [line] = await until('the array', () => (host.noise.length > 0 ? host.noise : null));
  const answers = JSON.parse(line ?? '') as Message[];
  const byId = (id: unknown) => answers.filter((one) => one.id === id);
  expect(answers).toHaveLength(5);
  expect([textOf(byId('x')[0] as Message), textOf(byId(71)[0] as Message)]).toEqual(['é', 'z']);
  expect([byId(72)[0]?.error?.code, byId(null)[0]?.error?.code, byId(73)[0]?.error?.code]).toEqual([
    -32600, -32600, -32602,
  ]);
  host.sendRaw('[]\n');
  await until('the refusal', () => host.strays.length > 0);
  expect(host.strays).toMatchObject([{ id: null, error: { code: -32600 } }]);
  expect(host.noise).toHaveLength(1);
});

test('a batch in a session of another revision gets one error, and the session goes on', async ({ machine }) => {
  await machine.add('old', 'echo');
  for (const revision of ['2024-11-05', '2025-06-18', '2025-11-25']) {
    const host = machine.host();
    await host.init(revision);
    host.sendRaw(`${JSON.stringify([call(1, 'old__echo', { text: 'x' })])}\n`);
    await until('the refusal', () => host.strays.length > 0);
    expect(host.strays).toMatchObject([
      { id: null, error: { code: -32600, message: expect.stringContaining('batch') } },
    ]);
    expect(textOf(await host.call('old__echo', { text: 'after' }))).toBe('after');
  }
});
