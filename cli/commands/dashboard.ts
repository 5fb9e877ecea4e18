import { pathToFileURL } from 'node:url';
import { browserCommand, startBrowser } from '../browser.ts';
import type { Parsed } from '../command.ts';
import type { Context } from '../context.ts';

export async function runDashboard(parsed: Parsed, context: Context): Promise<void> {
  const { output, env } = context;
  const isLocal = !parsed.flag('no-open') && !parsed.flag('json') && env['SSH_CONNECTION'] === undefined;
  const opens = isLocal && browserCommand('', process.platform, env) !== null;
  const daemon = await context.daemon();
  const request = opens ? { file: true } : {};
  const answer = await daemon.request<{ url: string; expiresInMs: number; file?: string }>(
    'POST',
    '/api/codes',
    request,
  );
  if (parsed.flag('json')) return output.json(answer);
  output.print(answer.url);
  output.say(`The address works once, within ${Math.round(answer.expiresInMs / 1000)} s.`);
  if (!opens) return;
  // Never the address itself: what stands behind a command is seen by every user of the machine.
  const command =
    answer.file === undefined ? null : browserCommand(pathToFileURL(answer.file).href, process.platform, env);
  if (command === null || !(await startBrowser(command)))
    return output.say(`${command?.[0] ?? 'mcpd'} could not open it; paste it into a browser.`);
  output.say(
    'A browser that may not read the files of mcpd (from a snap, say) shows nothing: paste the address there.',
  );
}
