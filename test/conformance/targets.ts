import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import type { Machine } from '../harness/machine.ts';
import { killPid } from '../harness/processes.ts';

/** What stands behind mcpd: a server of one era only, so that nothing but mcpd can bridge to the other. */
export const KINDS = ['stdio legacy', 'stdio modern', 'http legacy', 'http modern'] as const;
export type Kind = (typeof KINDS)[number];
/** Where the suite comes in: one server under its own names, or all of them under prefixed ones. */
export const DOORS = ['/mcp/s/fixture', '/mcp'] as const;
export type Door = (typeof DOORS)[number];

const FIXTURE = fileURLToPath(new URL('fixture/fixture.mjs', import.meta.url));
const commandOf = (transport: string, era: string) => [FIXTURE, '--transport', transport, '--era', era];

export interface HttpFixture {
  url: string;
  end(): void;
}

/** Starts the fixture on a port of its own. */
export async function httpFixture(era: 'legacy' | 'modern' | 'both'): Promise<HttpFixture> {
  const child = spawn(process.execPath, commandOf('http', era), { stdio: ['ignore', 'pipe', 'inherit'] });
  const { pid } = child;
  if (pid === undefined) throw new Error('the fixture did not start');
  const [url] = (await once(createInterface(child.stdout), 'line')) as [string];
  return { url, end: () => killPid(pid) };
}

/** Installs the fixture as the only server of that machine, called `fixture`. Resolves with what ends it. */
export async function installFixture(machine: Machine, kind: Kind): Promise<() => void> {
  const [transport = '', era = ''] = kind.split(' ');
  if (transport === 'stdio') {
    await machine.ok('add', 'fixture', '--', process.execPath, ...commandOf(transport, era));
    return () => undefined;
  }
  const { url, end } = await httpFixture(era === 'legacy' ? 'legacy' : 'modern');
  await machine.ok('install', url, '--name', 'fixture');
  return end;
}
