import { spawn } from 'node:child_process';
import { browserCommand } from '../browser.ts';
import type { Parsed } from '../command.ts';
import type { Context } from '../context.ts';

export async function runDashboard(parsed: Parsed, context: Context): Promise<void> {
  const { output, env } = context;
  const answer = await (await context.daemon()).request<{ url: string; expiresInMs: number }>('POST', '/api/codes', {});
  if (parsed.flag('json')) return output.json(answer);
  output.print(answer.url);
  output.say(`The address works once, within ${Math.round(answer.expiresInMs / 1000)} s.`);
  const command =
    parsed.flag('no-open') || env['SSH_CONNECTION'] !== undefined
      ? null
      : browserCommand(answer.url, process.platform, env);
  if (command !== null && !(await opened(command)))
    output.say(`${command[0]} could not open it; paste it into a browser.`);
}

// — internal —

/** False when the program could not be started; how it ends is its own affair. */
function opened([command, ...args]: [string, ...string[]]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'ignore', detached: true });
    child.once('spawn', () => resolve(true));
    child.once('error', () => resolve(false));
    child.unref();
  });
}
