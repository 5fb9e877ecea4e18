import { spawn } from 'node:child_process';
import { join } from 'node:path';
import type { Machine } from './machine.ts';
import { until } from './until.ts';

/** `mcpd auth ARGS`, which waits until somebody has logged in. */
export function auth(machine: Machine, ...args: string[]) {
  const program = join(machine.package, 'dist', 'mcpd.js');
  const child = spawn(process.execPath, [program, 'auth', ...args], {
    env: machine.home.env,
    cwd: machine.home.userHome,
  });
  machine.home.track(child.pid);
  const said = { stdout: '', stderr: '' };
  for (const end of ['stdout', 'stderr'] as const)
    child[end].setEncoding('utf8').on('data', (text: string) => {
      said[end] += text;
    });
  const ended = new Promise<number | null>((resolve) => child.once('close', resolve));
  const link = () => until('the link', () => /https?:\/\/\S+?(?=["\s])/.exec(said.stdout)?.[0]);
  return { child, said, ended, link };
}
