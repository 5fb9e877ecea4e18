import { expect, onTestFinished, test } from 'vitest';
import { definitionOf } from '../../test/simulated/servers.ts';
import type { ServerDefinition } from '../core/model.ts';
import { type ProcessRow, ProcessTable } from './process-table.ts';
import type { RunningServer } from './running-server.ts';
import { TreeWatch } from './tree-watch.ts';

function row(pid: number, ppid: number): ProcessRow {
  return { pid, ppid, pgid: pid, startTime: 't', zombie: false, rssBytes: 1000, cpuMs: 0, marker: null };
}

/** One instance of a server, whose process is that of `leader`. */
function running(
  definition: ServerDefinition,
  instance: string,
  leader: number | null,
  isAside = false,
): RunningServer {
  const family =
    leader === null ? null : { leader: { pid: leader, startTime: 't' }, known: new Map<number, string>(), marker: 'm' };
  return {
    order: { instance, generation: 1, definition, isAside },
    ended: Promise.resolve(),
    pid: leader,
    family,
    write: () => 'ok',
    flush: () => undefined,
    stop: () => undefined,
    observe: () => undefined,
  };
}

/** `looked` resolves when the next look at the processes has been taken in. */
function given(rows: ProcessRow[], children: RunningServer[], finding: string | null = null) {
  let looks = 0;
  const table = finding === null ? new ProcessTable(rows) : null;
  const scanner = {
    fresh: () => {
      looks += 1;
      return Promise.resolve(table);
    },
    finding: () => finding,
  };
  const trees = new TreeWatch(scanner, () => children);
  onTestFinished(() => trees.end());
  trees.begin();
  const looked = async () => {
    const stop = trees.watch();
    await new Promise(setImmediate);
    return stop;
  };
  return { trees, looked, looks: () => looks };
}

const weather = definitionOf('weather');

test('who begins to watch has figures at once, added up over all processes of all instances of a server', async () => {
  const rows = [row(1, 0), row(10, 1), row(11, 10), row(20, 1), row(30, 1)];
  const { trees, looked, looks } = given(rows, [
    running(weather, 'weather', 10),
    running(weather, 'weather@two', 20),
    running(definitionOf('todo'), 'todo', 30),
  ]);
  expect(trees.of('weather')).toMatchObject({ state: 'unknown', reason: 'it was not looked at yet' });
  await looked();
  expect(trees.of('weather')).toMatchObject({ state: 'measured', now: { processes: 3, rssBytes: 3000 } });
  expect(trees.of('todo')).toMatchObject({ state: 'measured', now: { processes: 1, rssBytes: 1000 } });
  await looked();
  expect(looks(), 'a second watcher shares the looks of the first').toBe(1);
});

test('a process that serves no host, such as that of a replay, is in no figure of its server, and is kept to its limits', async () => {
  const aside = running(weather, 'weather@replay-1', 20, true);
  let observed = 0;
  aside.observe = () => {
    observed += 1;
  };
  const children = [aside];
  const { trees, looked } = given([row(10, 1), row(20, 1), row(21, 20)], children);
  (await looked())();
  expect(observed).toBe(1);
  expect(trees.of('weather')).toMatchObject({ state: 'unknown', reason: 'it does not run' });
  expect(trees.seen()).toEqual([]);
  children.push(running(weather, 'weather', 10));
  await looked();
  expect(trees.of('weather')).toMatchObject({ state: 'measured', now: { processes: 1, rssBytes: 1000 } });
});

test('a server without processes of its own says why there are no figures', async () => {
  const elsewhere = {
    ...weather,
    launch: { kind: 'http', url: 'https://x.test/', transport: 'auto', headers: {} },
  } as const;
  const { trees, looked } = given([], [running(elsewhere, 'weather', null)]);
  await looked();
  expect(trees.of('weather')).toMatchObject({ reason: 'it runs elsewhere' });
  expect(trees.of('todo')).toMatchObject({ reason: 'it does not run' });
});

test('where processes cannot be listed, that is the reason, made safe to show', async () => {
  const { trees, looked } = given([], [running(weather, 'weather', 10)], 'processes cannot be listed: \u001b[2J');
  await looked();
  expect(trees.of('weather')).toMatchObject({ reason: String.raw`processes cannot be listed: \x1b[2J` });
});

test('a server that has stopped keeps the samples of before', async () => {
  const children = [running(weather, 'weather', 10)];
  const { trees, looked } = given([row(10, 1)], children);
  (await looked())();
  children.pop();
  expect(trees.of('weather')).toMatchObject({ state: 'unknown', samples: { rssBytes: [1000] } });
});

test('a server that was uninstalled is seen no more, by programs either', async () => {
  const children = [running(weather, 'weather', 10)];
  const { trees, looked } = given([row(10, 1)], children);
  (await looked())();
  children.pop();
  trees.forget('weather');
  expect(trees.of('weather').samples.rssBytes).toEqual([]);
  expect(trees.seen()).toEqual([]);
});
