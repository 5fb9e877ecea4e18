import { readFileSync } from 'node:fs';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { STOP_STDIN_GRACE_MS, STOP_TERM_GRACE_MS } from '../../src/limits.ts';
import { fake, recordsIn } from '../harness/fake.ts';
import { type TemporaryHome, temporaryHome } from '../harness/home.ts';
import { alive, killPid } from '../harness/processes.ts';
import { type BenchOptions, type ProcessBench, processBench } from '../harness/server-processes.ts';
import { until } from '../harness/until.ts';

let home: TemporaryHome;
const benches: ProcessBench[] = [];

function bench(options: BenchOptions = {}): ProcessBench {
  const made = processBench(home, options);
  benches.push(made);
  return made;
}

/** The pid of the process that a fake server started. */
function childIn(file: string): Promise<number> {
  return until('the other process', () => recordsIn(file, 'child').at(-1)?.['child'] as number | undefined);
}

beforeEach(async () => {
  home = await temporaryHome();
});
afterEach(async () => {
  for (const { processes } of benches.splice(0)) await processes.dispose();
  expect(await home.cleanup()).toEqual([]);
});

test('a server that listens ends with its stdin, without a signal, and leaves no ledger entry', async () => {
  const { processes, start, exit, ask, ledger } = bench();
  const pid = await start('polite', fake('process'));
  await ask('polite', 'echo');
  expect(ledger).toMatchObject([{ instance: 'polite', generation: 1, pid, pgid: pid, nonce: 'nonce1' }]);
  processes.stop('polite', 1, false);
  expect(processes.write('polite', 1, [Buffer.from('{}\n')])).toBe('gone');
  expect(await exit('polite')).toMatchObject({ code: 0, signal: null, cause: 'exit code 0' });
  expect(alive(pid)).toBe(false);
  expect(ledger).toEqual([]);
  expect(processes.pid('polite')).toBeNull();
});

test('servers that ignore everything, and those behind a launcher that passes nothing on, are all gone, and all at once', async () => {
  const { processes, start, exit, ask, recordFile } = bench();
  const names = ['deaf', 'launched', 'launched-deaf'];
  const pids = [
    await start('deaf', fake('process', '--deaf')),
    await start('launched', fake('launcher', 'process')),
    await start('launched-deaf', fake('launcher', 'process', '--deaf')),
  ];
  for (const name of names) await ask(name, 'echo');
  const begin = performance.now();
  for (const name of names) processes.stop(name, 1, false);
  const exits = await Promise.all(names.map(exit));
  // Promise R8: 2 s, 3 s and at most 1 s, for all of them together.
  expect(performance.now() - begin).toBeLessThan(8000);
  const others = recordsIn(recordFile, 'child').map((record) => Number(record['child']));
  expect(others).toHaveLength(2);
  expect([...pids, ...others].filter(alive)).toEqual([]);
  expect(exits.map((one) => one.signal)).toEqual(['SIGKILL', null, 'SIGTERM']);
  const deaf = recordsIn(recordFile).filter((record) => record.pid === pids[0]);
  expect(deaf.map((record) => record['signal'] ?? record.what)).toEqual(['start', 'stdin-end', 'SIGTERM']);
  const told = (await processes.log('deaf').lines({ lines: 10, since: null })).map((line) => line.text);
  expect(told).toEqual(['it did not end when its stdin was closed: SIGTERM', 'it did not end in time: SIGKILL']);
});

test.each([
  ['in its group', []],
  ['in a session of its own', ['--detached']],
  ['that ignores SIGTERM', ['--stubborn']],
  ['in a session of its own that ignores SIGTERM', ['--detached', '--stubborn']],
  ['that holds its pipes', ['--hold']],
  ['in a session of its own that holds its pipes and ignores SIGTERM', ['--detached', '--hold', '--stubborn']],
])('a server that dies takes the process it started with it: one %s', async (_, args) => {
  const { start, exit, ask, recordFile } = bench();
  const pid = await start('parent', fake('grandparent', ...args));
  await ask('parent', 'echo');
  const other = await childIn(recordFile);
  home.track(other);
  expect(alive(other)).toBe(true);
  const begin = performance.now();
  killPid(pid);
  expect((await exit('parent')).cause).toBe('signal SIGKILL');
  // Promise R3: calls under way fail soon after the exit, and wait for no other process to end in its own time.
  expect(performance.now() - begin).toBeLessThan(STOP_TERM_GRACE_MS);
  expect(alive(other)).toBe(false);
});

test('a descendant without group, marker or parent is found when an earlier look saw it', async () => {
  const { processes, start, exit, ask, recordFile } = bench();
  const pid = await start('parent', fake('grandparent', '--detached', '--bare', '--stubborn'));
  await ask('parent', 'echo');
  const other = await childIn(recordFile);
  home.track(other);
  const [tree] = await processes.tree();
  expect(tree?.root?.children.map((node) => node.pid)).toEqual([other]);
  killPid(pid);
  await exit('parent');
  expect(alive(other)).toBe(false);
});

test('the last answer before an exit arrives, and before the exit', async () => {
  const { start, exit, tell, of, events } = bench();
  await start('last', fake('process'));
  tell('last', 'answer-and-exit');
  expect((await exit('last')).cause).toBe('exit code 3');
  expect(of('server-message')).toHaveLength(1);
  expect(events.at(-1)?.type).toBe('server-exited');
});

test('a server that closes stdout and lives is gone for all purposes, and is ended', async () => {
  const { start, exit, tell } = bench();
  const pid = await start('mute', fake('process'));
  const begin = performance.now();
  tell('mute', 'close-stdout');
  expect((await exit('mute')).cause).toBe('closed stdout');
  expect(performance.now() - begin).toBeLessThan(STOP_STDIN_GRACE_MS + STOP_TERM_GRACE_MS);
  expect(alive(pid)).toBe(false);
});

test('messages to a process that died in this moment are nobody’s error', async () => {
  const { processes, start, exit, of } = bench();
  const pid = await start('dying', fake('process'));
  killPid(pid);
  for (let count = 0; count < 100; count++)
    processes.write('dying', 1, [Buffer.alloc(100_000, 0x20), Buffer.from('\n')]);
  processes.flush();
  await exit('dying');
  expect(of('server-exited')).toHaveLength(1);
});

test('a server that does not read is refused more than its queue, and works on when it does', async () => {
  const { processes, start, ask } = bench();
  const pid = await start('slow', fake('process'));
  await ask('slow', 'echo');
  process.kill(pid, 'SIGSTOP');
  const message = Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', method: 'x', params: 'y'.repeat(2 ** 20) })}\n`);
  const taken = Array.from({ length: 40 }, () => processes.write('slow', 1, [message]));
  expect(taken.filter((answer) => answer === 'ok').length).toBe(31);
  expect(taken.at(-1)).toBe('full');
  process.kill(pid, 'SIGCONT');
  await until('room in the queue', () => processes.write('slow', 1, [message]) === 'ok');
  await until('room for a question', async () => (await ask('slow', 'echo', { again: true }))['again']);
});

test('a server over its memory is reported once per limit, and its kill says why', async () => {
  const { processes, start, exit, tell, of } = bench();
  const limits = { memorySoftBytes: 20 * 2 ** 20, memoryHardBytes: 200 * 2 ** 20 };
  await start('big', fake('launcher', 'process'), { limits });
  await until('the soft limit', () => of('server-memory').length > 0);
  tell('big', 'grow', { mb: 250 });
  await until('the hard limit', () => processes.tree().then(() => of('server-memory').length > 1));
  expect(of('server-memory').map((event) => event.limit)).toEqual(['soft', 'hard']);
  processes.stop('big', 1, true);
  expect((await exit('big')).cause).toMatch(/^memory: \d+ MiB, over the hard limit of 200 MiB$/);
});

test('the tree shows who runs below whom, without secrets in the command lines', async () => {
  const { processes, start, ask } = bench({ secrets: { TOKEN: 'abcdef-secret' } });
  const pid = await start('tree', fake('launcher', 'process', `--key=${'$'}{secret:TOKEN}`));
  await ask('tree', 'echo');
  const [tree] = await processes.tree();
  expect(tree).toMatchObject({ server: 'tree', instance: 'tree', root: { pid }, strays: [] });
  expect(tree?.root?.children).toHaveLength(1);
  expect(tree?.root?.children[0]?.command).toContain('process.mjs --key=***');
  expect(tree?.root?.rssBytes).toBeGreaterThan(10 * 2 ** 20);
  expect(readFileSync(`/proc/${pid}/cmdline`, 'utf8')).toContain('abcdef-secret');
});
