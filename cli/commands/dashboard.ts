import { browserCommand, startBrowser } from '../browser.ts';
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
  if (command !== null && !(await startBrowser(command)))
    output.say(`${command[0]} could not open it; paste it into a browser.`);
}
