import { expect } from 'vitest';
import { test } from '../harness/machine.ts';
import { textOf } from '../harness/message.ts';
import { askModern, listenModern } from '../harness/modern.ts';
import { until } from '../harness/until.ts';

test('servers and hosts of both eras work together, each in its own dialect', async ({ machine }) => {
  await machine.add('old', 'echo');
  await machine.add('new', 'modern');
  const legacy = await machine.connected();
  const modern = machine.host();
  for (const tool of ['old__echo', 'new__echo']) {
    expect(textOf(await legacy.call(tool, { text: 'é' }))).toBe('é');
    const answer = await askModern(modern, 'tools/call', { name: tool, arguments: { text: 'é' } });
    expect(textOf(answer)).toBe('é');
    expect(answer.result?.resultType).toBe('complete');
  }
  expect(
    (await legacy.result('tools/call', { name: 'old__echo', arguments: { text: 'x' } })).resultType,
  ).toBeUndefined();
  expect((await machine.server('old')).era).toBe('legacy');
  expect((await machine.server('new')).era).toBe('modern');

  const discovered = (await askModern(modern, 'server/discover')).result;
  expect(discovered?.supportedVersions).toContain('2026-07-28');
  const listed = (await askModern(modern, 'tools/list')).result;
  expect([listed?.resultType, listed?.ttlMs, listed?.cacheScope]).toEqual([
    'complete',
    expect.any(Number),
    expect.any(String),
  ]);
  expect((await legacy.result('resources/read', { uri: 'modern://note' })).contents?.[0]?.text).toBe(
    'a note of modern',
  );
  expect((await legacy.result('prompts/get', { name: 'new__greet' })).messages?.[0]?.content.text).toContain('modern');
});

test('changes in a server of either era reach hosts of either era', async ({ machine }) => {
  await machine.add('old', 'echo');
  await machine.add('new', 'modern');
  const legacy = await machine.connected();
  expect(await legacy.toolNames()).not.toContain('new__extra');
  const modern = machine.host();
  const uris = ['echo://note', 'modern://note'];
  const listening = listenModern(modern, { toolsListChanged: true, resourceSubscriptions: uris });
  await until('the acknowledgement', () => listening.received().length === 1);
  for (const uri of uris) await legacy.result('resources/subscribe', { uri });

  await legacy.call('old__touch', { text: 'new text' });
  await legacy.call('new__touch');
  for (const host of [legacy, modern]) {
    await until('both updates', () =>
      uris.every((uri) =>
        host.notifications.some(({ method, params }) => method?.endsWith('/updated') && params?.['uri'] === uri),
      ),
    );
  }
  await legacy.call('new__toggle');
  for (const host of [legacy, modern])
    await until('the notice', () => host.notifications.some(({ method }) => method?.endsWith('tools/list_changed')));
  listening.end();
  await until('the end of the subscription upstream', () => machine.records('unlisten').length > 0 || null, 3000).catch(
    () => undefined,
  );
  expect(textOf(await legacy.call('new__extra'))).toBe('extra');
});

test('a server that dies of the question for its era is started again in the old way, and that is no crash', async ({
  machine,
}) => {
  await machine.add('frail', 'dies-on-probe');
  const host = await machine.connected();
  expect(textOf(await host.call('frail__hello'))).toBe('hello');
  const { lastExit, era, health } = await machine.server('frail');
  expect([lastExit, era, health]).toEqual([null, 'legacy', 'ok']);
});

test('the era of a server is remembered: a later start is one process and no question', async ({ machine }) => {
  await machine.add('frail', 'dies-on-probe');
  await machine.add('new', 'modern');
  expect(machine.records('died')).toHaveLength(1);
  await machine.ok('down');
  const before = machine.records('start').length;
  const host = await machine.connected();
  expect(textOf(await host.call('frail__hello'))).toBe('hello');
  expect(textOf(await host.call('new__echo', { text: 'x' }))).toBe('x');
  await machine.ok('restart', 'frail');
  expect(textOf(await host.call('frail__hello'))).toBe('hello');
  expect(machine.records('start')).toHaveLength(before + 3);
  expect(machine.records('died')).toHaveLength(1);
});

test('a modern host asks for an unknown revision and is told which are served', async ({ machine }) => {
  const host = machine.host();
  const answer = await askModern(host, 'tools/list', {}, { protocolVersion: '2031-01-01' });
  expect(answer.error?.code).toBe(-32_022);
  expect(answer.error?.data).toMatchObject({
    requested: '2031-01-01',
    supported: expect.arrayContaining(['2026-07-28']),
  });
});

test.for(['2024-11-05', '2025-03-26', '2025-06-18', '2025-11-25'])(
  'a host of revision %s is answered in that revision',
  async (revision, { machine }) => {
    await machine.add('echo', 'echo');
    const host = machine.host();
    expect((await host.init(revision)).protocolVersion).toBe(revision);
    expect(textOf(await host.call('echo__echo', { text: revision }))).toBe(revision);
  },
);
