import { readFileSync } from 'node:fs';
import { expect, onTestFinished } from 'vitest';
import WebSocket from 'ws';
import type { CallRow } from '../../src/api/contract/calls.ts';
import type { ServerFigures } from '../../src/api/contract/figures.ts';
import type { LiveEvent } from '../../src/api/contract.ts';
import { pathsOf } from '../../src/paths.ts';
import { fake } from '../harness/fake.ts';
import { type Machine, test } from '../harness/machine.ts';
import { gone } from '../harness/processes.ts';
import { until } from '../harness/until.ts';

/** A page of this machine that keeps what it is told, the latest figures of each server. */
async function page(machine: Machine) {
  const { port } = machine.home;
  const token = readFileSync(pathsOf(machine.home.mcpdHome).token, 'utf8').trim();
  const events: LiveEvent[] = [];
  const figures = new Map<string, ServerFigures>();
  const socket = new WebSocket(`ws://127.0.0.1:${port}/ws`, { origin: `http://127.0.0.1:${port}` });
  socket.on('message', (data) => {
    const event = JSON.parse(String(data)) as LiveEvent;
    events.push(event);
    if (event.type === 'figures') for (const one of event.figures) figures.set(one.name, one);
  });
  socket.once('open', () => socket.send(token));
  onTestFinished(() => socket.terminate());
  await until('the snapshot', () => events.length > 0);
  return {
    events,
    /** Waits until the latest figures of that server are so. */
    sees: (name: string, isSo: (one: ServerFigures) => boolean) =>
      until(`the figures of ${name}`, () => {
        const latest = figures.get(name);
        if (latest === undefined || !isSo(latest)) throw new Error(JSON.stringify(latest));
        return latest;
      }),
    calls: (): CallRow[] => events.flatMap((event) => (event.type === 'calls' ? event.calls : [])),
    get: async <T>(path: string): Promise<T> => {
      const answer = await fetch(`http://127.0.0.1:${port}${path}`, { headers: { authorization: `Bearer ${token}` } });
      return (await answer.json()) as T;
    },
  };
}

const sum = (counts: readonly number[]) => counts.reduce((total, one) => total + one, 0);

test('a page sees what was called, what failed, how long it took and who uses the server, as it happens', async ({
  machine,
}) => {
  await machine.add('echo', 'echo');
  await machine.add('slow', 'slow');
  const host = await machine.connected();
  const { events, sees, calls, get } = await page(machine);
  expect(events[0]?.type).toBe('snapshot');
  const [before] = await Promise.all([sees('echo', () => true), sees('slow', () => true)]);
  expect([sum(before.perMinute.calls), before.latency.p50, before.sessions, before.openCalls]).toEqual([
    0,
    null,
    [],
    0,
  ]);

  for (let nth = 0; nth < 5; nth++) await host.call('echo__echo', { text: `call ${nth}` });
  await host.call('echo__sleep', { ms: 300 });
  await host.call('echo__fail');
  void host.call('slow__hang');

  const seen = await sees('echo', ({ perMinute }) => sum(perMinute.calls) === 7);
  expect([sum(seen.perMinute.errors), seen.latency.count]).toEqual([1, 7]);
  expect(seen.latency.p99).toBeGreaterThan(280);
  expect(seen.latency.p50).toBeLessThan(280);
  const { openCalls, sessions } = await sees('slow', (one) => one.openCalls === 1);
  const shown = await get<{ id: string }[]>('/api/sessions');
  expect([openCalls, sessions, seen.sessions]).toEqual([1, shown.map(({ id }) => id), shown.map(({ id }) => id)]);

  await until('the calls', () => calls().length === 7);
  expect(calls().map(({ target, outcome }) => `${target} ${outcome}`)).toEqual([
    ...Array<string>(5).fill('echo ok'),
    'sleep ok',
    'fail tool-error',
  ]);
  const all = await get<ServerFigures[]>('/api/figures');
  expect(all.map(({ name }) => name)).toEqual(['echo', 'slow']);
  expect(await get<ServerFigures>('/api/servers/echo/figures')).toMatchObject({ name: 'echo', latency: { count: 7 } });
  expect(await get('/api/servers/nobody/figures')).toMatchObject({ error: { code: 'SERVER_UNKNOWN' } });
});

test('memory and CPU are those of the whole tree, and gone when it has stopped', async ({ machine }) => {
  // A child of the child keeps a core busy.
  const busy = `${process.execPath} -e 'for (;;);' & exec ${fake('echo').join(' ')}`;
  await machine.declare({ busy: { command: ['/bin/sh', '-c', busy] } });
  await machine.ok('start', 'busy');
  const { pid } = await machine.server('busy');
  const { sees } = await page(machine);
  const { tree } = await sees('busy', (one) => one.tree.state === 'measured' && (one.tree.now.cpuPercent ?? 0) > 20);
  if (tree.state !== 'measured') throw new Error(tree.reason);
  expect(tree.now.processes).toBe(2);
  expect(tree.now.rssBytes).toBeGreaterThan(40 * 2 ** 20);
  expect([tree.samples.at.at(-1), tree.samples.rssBytes.at(-1)]).toEqual([tree.now.at, tree.now.rssBytes]);

  await machine.ok('stop', 'busy');
  await gone(pid ?? 0);
  const stopped = await sees('busy', (one) => one.tree.state === 'unknown');
  expect(stopped.tree).toMatchObject({ reason: 'it does not run' });
  expect(stopped.tree.samples.at.length).toBeGreaterThan(0);
});

test('what a replay uses is not in the figures of its server', async ({ machine }) => {
  await machine.add('echo', 'echo');
  await machine.ok('record', 'echo', 'on');
  await machine.ok('call', 'echo__sleep', 'ms=2000');
  await machine.ok('stop', 'echo');
  const { sees, get } = await page(machine);
  await sees('echo', ({ tree }) => tree.state === 'unknown');
  const replayed = machine.cli('record', 'replay', 'echo');
  await until('the process of the replay', async () => {
    const { servers } = await machine.ok('ps', '--json');
    return servers.some(
      ({ instance, root }: { instance: string; root: unknown }) => instance !== 'echo' && root !== null,
    );
  });
  const { tree } = await get<ServerFigures>('/api/servers/echo/figures');
  expect(tree).toMatchObject({ state: 'unknown', reason: 'it does not run' });
  expect(await replayed).toMatchObject({ code: 0 });
});

test('a start after a crash counts as a restart, the first one does not, and a server of the same name begins anew', async ({
  machine,
}) => {
  await machine.add('echo', 'echo');
  const host = await machine.connected();
  await host.call('echo__echo', { text: 'first' });
  const { sees } = await page(machine);
  expect((await sees('echo', () => true)).restarts).toBe(0);
  process.kill((await machine.server('echo')).pid ?? 0, 'SIGKILL');
  await machine.reaches('echo', 'stopped');
  await host.call('echo__echo', { text: 'back' });
  await sees('echo', ({ restarts, perMinute }) => restarts === 1 && sum(perMinute.calls) === 2);

  await machine.ok('uninstall', 'echo', '--yes');
  await machine.add('echo', 'echo');
  await sees('echo', ({ restarts, perMinute }) => restarts === 0 && sum(perMinute.calls) === 0);
});
