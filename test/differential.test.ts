import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { expect } from 'vitest';
import { differenceOf } from './harness/differential/difference.ts';
import { ownAnswer, rewritten, SERVER } from './harness/differential/rewrites.ts';
import { script } from './harness/differential/steps.ts';
import { test } from './harness/machine.ts';
import { RevisionHost } from './harness/revisions/revision-host.ts';
import { stdioWire } from './harness/revisions/stdio-wire.ts';

const manifest = createRequire(import.meta.url).resolve('@modelcontextprotocol/server-everything/package.json');
const EVERYTHING = [process.execPath, join(dirname(manifest), 'dist', 'index.js'), 'stdio'];
const STEPS_MIN = 150;

test('a host gets from mcpd what it gets from the server itself, but for the stated rewrites', async ({ machine }) => {
  await machine.startDaemon();
  await machine.ok('add', SERVER, '--', ...EVERYTHING);
  const steps = script();
  expect(steps.length).toBeGreaterThanOrEqual(STEPS_MIN);

  const { env } = machine.home;
  const track = (pid: number | undefined) => machine.home.track(pid);
  const [direct, through] = await Promise.all([
    played(EVERYTHING, { env, onPid: track }, (name) => name),
    played(machine.stdio, { env, onPid: track }, (name) => `${SERVER}__${name}`),
  ]);
  const differing = steps.flatMap(({ name }, at) => {
    const difference = differenceOf(ownAnswer(name) ?? direct[at], through[at]);
    return difference === undefined ? [] : [`${name}: ${difference}`];
  });
  expect(differing).toEqual([]);
});

// — internal —

/** The whole script with one host; what is compared of each step, in their order. */
async function played(
  command: readonly string[],
  options: Parameters<typeof stdioWire>[1],
  named: (name: string) => string,
): Promise<unknown[]> {
  const host = await RevisionHost.connect({
    label: 'differential',
    revision: '2025-11-25',
    wire: stdioWire(command, options),
    answer: answers(),
  });
  // The server asks for roots of its own accord, and its tools depend on that.
  const seen: unknown[] = [];
  for (const { name, act } of script()) {
    const value = await act(host, named).catch((error: unknown) => `failed: ${String(error)}`);
    seen.push(rewritten(name, value));
  }
  await host.close();
  return seen;
}

/** The same answers in the same order for both. */
function answers(): (question: { method: string; params: Record<string, unknown> }) => Record<string, unknown> {
  let elicitations = 0;
  const actions = [
    { action: 'accept', content: { name: 'Ann é', integer: 7, check: false } },
    { action: 'decline' },
    { action: 'cancel' },
    { action: 'accept', content: { name: 'Bob' }, more: 'kept' },
  ];
  return ({ method, params }) => {
    if (method === 'roots/list') return { roots: [{ uri: 'file:///home/x', name: 'x' }] };
    if (method === 'sampling/createMessage')
      return { role: 'assistant', model: 'a-model', content: { type: 'text', text: 'é' }, stopReason: 'endTurn' };
    return params['mode'] === 'url' ? { action: 'accept' } : (actions[elicitations++ % actions.length] ?? {});
  };
}
