import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'vitest';
import type { LogLine } from '../../src/api/contract.ts';
import { pathsOf } from '../../src/paths.ts';
import { type Machine, test } from '../harness/machine.ts';
import { connectPlace, installServer } from '../harness/revisions/setting.ts';
import type { Place } from '../harness/revisions/table.ts';
import { MODERN } from '../harness/revisions/wire.ts';
import { until } from '../harness/until.ts';

/** `mcpd logs NAME --protocol`: what passes between mcpd and a server, one short line each, while somebody watches. */

const SECRET = 'tr0ub4dor-and-a-long-enough-3xample';

test('each message is a line while somebody watches: what it is, how large, how long it took, and nothing of what is in it', async ({
  machine,
}) => {
  await machine.add('bank', 'echo', ['--prefix', SECRET], ['--env', `API_TOKEN=${SECRET}`]);
  const host = await machine.connected();
  const unseen = await machine.cli('logs', 'bank', '--protocol', '--json');
  expect(protocolIn(unseen.stdout)).toEqual([]);
  expect(unseen.stderr).toContain('mcpd logs bank --protocol -f');

  const watching = watch(machine, 'bank');
  await until('the beginning', () => watching.lines().some(({ text }) => text.includes('nobody watched before')));
  await host.call(`bank__${SECRET}echo`, { text: 'what-the-host-said', [SECRET]: SECRET });
  await host.ask('resources/read', { uri: 'echo://say/what-was-read' });
  await until('the answer', () => watching.about('resources/read').length === 2);
  expect(watching.about('tools/call').map(({ message }) => message)).toMatchObject([
    { direction: 'to-server', kind: 'request', instance: 'bank', tool: '***echo', tookMs: null, errorCode: null },
    { direction: 'from-server', kind: 'answer', instance: 'bank', tool: '***echo', tookMs: expect.any(Number) },
  ]);
  const [request, answer] = watching.about('tools/call');
  expect([request?.message?.id, answer?.message?.id]).toEqual([answer?.message?.id, request?.message?.id]);
  expect(answer?.text).toMatch(/^← answer {7}tools\/call \*\*\*echo · id \d+ · \d+ B · [\d.]+ ms$/);
  expect(watching.about('initialize').map(({ message }) => message?.kind)).toEqual(['request', 'answer']);
  for (const text of [SECRET, 'what-the-host-said', 'what-was-read']) expect(watching.said()).not.toContain(text);

  // Who comes later finds what was kept since somebody watches, in its place among the other lines.
  const later = await machine.ok('logs', 'bank', '--protocol');
  expect(later).toMatch(/lifecycle {2}process \d+ started\n.* {2}protocol {3}→ request {6}initialize/);
  expect(await watching.stop()).toBe(130);
  await until('the lines to be forgotten', async () => {
    const { stdout } = await machine.cli('logs', 'bank', '--protocol', '--json');
    return protocolIn(stdout).length === 0;
  });
  expect(readFileSync(pathsOf(machine.home.mcpdHome).logOf('bank'), 'utf8')).not.toContain('protocol');
});

test('an error is told with its code, and a call that was open before somebody watched with its tool', async ({
  machine,
}) => {
  await machine.add('echo', 'echo');
  const host = await machine.connected();
  await host.call('echo__echo', { text: 'it runs' });
  const pid = (await machine.server('echo')).pid ?? 0;
  process.kill(pid, 'SIGSTOP');
  const waiting = host.call('echo__add', { a: 1, b: 2 });
  await until('the call to be open', async () => (await machine.server('echo')).openCalls === 1);
  const watching = watch(machine, 'echo');
  await until('the beginning', () => watching.lines().length > 0);
  process.kill(pid, 'SIGCONT');
  await waiting;
  await host.ask('resources/read', { uri: 'echo://say/%E0%A4%A' });
  await until('the error', () => watching.about('resources/read').length === 2);
  expect(watching.about('resources/read')[1]).toMatchObject({
    level: 'error',
    text: expect.stringMatching(/^← error -32603 resources\/read · id \d+ · /),
    message: { kind: 'error', errorCode: -32603, tool: null },
  });
  const [answer] = watching.about('tools/call');
  expect(answer).toMatchObject({ message: { kind: 'answer', tool: 'add' } });
  expect(answer?.message?.tookMs).toBeGreaterThan(0);
  await watching.stop();
});

test.for<Place>([
  { revision: '2025-11-25', transport: 'stdio' },
  { revision: '2025-11-25', transport: 'http' },
  { revision: MODERN, transport: 'stdio' },
  { revision: MODERN, transport: 'http' },
])('a server of $revision over $transport is watched as any other', async (place, { machine }) => {
  await machine.startDaemon();
  const end = await installServer(machine, 'any', place);
  const watching = watch(machine, 'any');
  await until('the beginning', () => watching.lines().length > 0);
  const host = await connectPlace(machine, { revision: place.revision, transport: 'stdio' }, 'one');
  await host.call('any__echo', { marker: 'what-the-host-said' });
  await until('the answer', () => watching.about('tools/call').length === 2);
  expect(watching.about('tools/call').map(({ message }) => [message?.direction, message?.kind, message?.tool])).toEqual(
    [
      ['to-server', 'request', 'echo'],
      ['from-server', 'answer', 'echo'],
    ],
  );
  expect(watching.said()).not.toContain('what-the-host-said');
  await watching.stop();
  await host.close();
  await end();
});

// — internal —

function protocolIn(text: string): LogLine[] {
  const lines = text.split('\n').filter((line) => line.startsWith('{') && line.endsWith('}'));
  return lines.map((line) => JSON.parse(line) as LogLine).filter(({ source }) => source === 'protocol');
}

/** `mcpd logs NAME --protocol -f`, read as it goes on. */
function watch(machine: Machine, name: string) {
  const program = join(machine.package, 'dist', 'mcpd.js');
  const child = spawn(process.execPath, [program, 'logs', name, '--protocol', '-f', '--json'], {
    env: machine.home.env,
    cwd: machine.home.userHome,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  machine.home.track(child.pid);
  let said = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    said += text;
  });
  const lines = () => protocolIn(said);
  const ended = once(child, 'exit').then(([code]) => code as number | null);
  return {
    /** Ctrl-C; resolves with the exit code. */
    stop: () => {
      child.kill('SIGINT');
      return ended;
    },
    said: () => said,
    lines,
    about: (method: string) => lines().filter(({ message }) => message?.method === method),
  };
}
