import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { CallDetail, CallPage, CallRow } from '../../src/api/contract/calls.ts';
import { DaemonClient } from '../../src/control/client.ts';
import { packageRoot } from '../../src/package-root.ts';
import { pathsOf } from '../../src/paths.ts';
import { type Machine, test } from '../harness/machine.ts';

/** A server that refuses with everything in its message that must not be kept. */
const REFUSING = `
import { RpcError, object, serve } from ${JSON.stringify(join(packageRoot(), 'test', 'servers', 'base.mjs'))};
serve({
  name: 'refusing',
  tools: [{
    name: 'pay',
    inputSchema: object({ to: { type: 'string' } }),
    call: ({ to }) => {
      throw new RpcError(-32050, 'no account "' + to + '" for key ' + process.env.BANK_TOKEN);
    },
  }],
});
`;

function history(machine: Machine) {
  const daemon = new DaemonClient(pathsOf(machine.home.mcpdHome));
  return {
    page: (filters: string) => daemon.request<CallPage>('GET', `/api/calls?${filters}`),
    one: ({ id }: Pick<CallRow, 'id'>) => daemon.request<CallDetail>('GET', `/api/calls/${id}`),
  };
}

test('calls are found by who called what, how it ended and how long it took, on the page and in a terminal', async ({
  machine,
}) => {
  await machine.add('echo', 'echo');
  const [editor, desktop] = [await machine.connected({ name: 'editor' }), await machine.connected({ name: 'desktop' })];
  await editor.call('echo__echo', { text: 'hello' });
  await editor.call('echo__fail', {});
  await desktop.call('echo__sleep', { ms: 300 });
  const { page, one } = history(machine);
  const targets = async (filters: string) => (await page(filters)).calls.map(({ target }) => target);
  expect(await targets('')).toEqual(['sleep', 'fail', 'echo']);
  expect(await targets('host=editor')).toEqual(['fail', 'echo']);
  expect(await targets('outcome=failed')).toEqual(['fail']);
  expect(await targets('target=SLE')).toEqual(['sleep']);
  expect(await targets('minMs=300&order=slowest')).toContain('sleep');
  expect(await targets(`until=${Date.now() - 60_000}`)).toEqual([]);
  const first = await page('limit=2');
  expect(first).toMatchObject({ total: 3, totalIsLeast: false });
  expect(await targets(`limit=2&before=${first.next}`)).toEqual(['echo']);

  const slow = await machine.ok('calls', '--host', 'desktop', '--slow', '--json');
  expect(slow).toMatchObject([{ target: 'sleep', host: 'desktop', outcome: 'ok' }]);
  expect(await machine.ok('calls', 'echo', '--outcome', 'failed', '--since', '1h', '--json')).toHaveLength(1);
  expect(await machine.ok('calls', '--tool', 'ech', '-n', '1')).toContain(
    String((await page('target=echo')).calls[0]?.id),
  );
  const shown = await machine.ok('calls', '--id', String(slow[0].id));
  expect(shown).toContain('is with the server');
  expect(await machine.ok('calls', '--id', String(slow[0].id), '--json')).toEqual(await one(slow[0]));
  expect((await machine.cli('calls', '--id', '1')).stderr).toContain('CALL_UNKNOWN');
  expect((await machine.cli('calls', '--outcome', 'fine')).code).toBe(2);
});

test('one call shows where its time went: the start of its server, and how the server went on with it', async ({
  machine,
}) => {
  await machine.add('echo', 'echo');
  const host = await machine.connected();
  await host.ask('tools/call', { name: 'echo__sleep', arguments: { ms: 200 }, _meta: { progressToken: 'p' } });
  const { page, one } = history(machine);
  const [row] = (await page('')).calls;
  const call = await one(row ?? { id: 0 });
  expect(call).toMatchObject({ ...row, instance: 'echo', error: null, rounds: 0 });
  expect(call.stages.map(({ name }) => name)).toEqual(expect.arrayContaining(['start', 'server']));
  expect(call.stages[0]?.fromMs).toBe(0);
  expect(call.stages.at(-1)?.toMs).toBe(call.totalMs);
  const moments = call.moments.map(({ name }) => name);
  expect(moments).toEqual(['received', 'starting', 'started', 'sent', 'progress', 'answered', 'delivered']);
  const times = call.moments.map(({ atMs }) => atMs);
  expect(times).toEqual([...times].sort((a, b) => a - b));
  const [sent = 0, progress = 0, answered = 0] = times.slice(3);
  expect(progress - sent).toBeLessThan(answered - sent);
});

test('why a call failed is kept, but no argument and no secret', async ({ machine }) => {
  const program = join(machine.home.root, 'refusing.mjs');
  writeFileSync(program, REFUSING);
  await machine.startDaemon();
  await machine.ok('add', 'bank', '--env', 'BANK_TOKEN=open-sesame', '--', process.execPath, program);
  await machine.add('mortal', 'exit-in-call');
  const host = await machine.connected();
  await host.ask('tools/call', { name: 'bank__pay', arguments: { to: 'ada@example.org' } }).catch(() => undefined);
  await host.ask('tools/call', { name: 'mortal__commit', arguments: { line: 'private' } }).catch(() => undefined);
  const { page, one } = history(machine);
  const { calls } = await page('outcome=failed');
  const [lost, refused] = await Promise.all(calls.map(one));
  expect(refused).toMatchObject({ server: 'bank', outcome: 'error', errorCode: -32050 });
  expect(refused?.error).toBe('no account "…" for key ***');
  expect(lost).toMatchObject({ server: 'mortal', outcome: 'lost' });
  expect(lost?.error).toContain('exit code 70');
  expect(JSON.stringify([lost, refused])).not.toMatch(/ada@|sesame|private/);
});
