import type { ServerCommand, ServerPatch, ServerStatus } from '../../src/api/contract.ts';
import { remarkOf } from '../../src/doctor/remark.ts';
import { McpdError } from '../../src/errors.ts';
import { showable } from '../../src/text.ts';
import type { Parsed } from '../command.ts';
import type { Context } from '../context.ts';
import { askConsent } from '../prompt/ask.ts';
import { statePaint } from '../server-text.ts';
import { settingsOf } from '../settings-flags.ts';
import { restartDaemon } from './daemon.ts';

export function runStart(parsed: Parsed, context: Context): Promise<void> {
  return eachServer(parsed, context, (name) => commandRequest(name, 'start'), mustRun);
}

export function runStop(parsed: Parsed, context: Context): Promise<void> {
  return eachServer(parsed, context, (name) => commandRequest(name, 'stop'));
}

export function runRestart(parsed: Parsed, context: Context): Promise<void> {
  if (parsed.operands.length === 0) return restartDaemon(parsed, context);
  return eachServer(parsed, context, (name) => commandRequest(name, 'restart'), mustRun);
}

export function runEnable(parsed: Parsed, context: Context): Promise<void> {
  return eachServer(parsed, context, (name) => patchRequest(name, { enabled: true }));
}

export function runDisable(parsed: Parsed, context: Context): Promise<void> {
  return eachServer(parsed, context, (name) => patchRequest(name, { enabled: false }));
}

export function runSet(parsed: Parsed, context: Context): Promise<void> {
  const patch = settingsOf(parsed);
  if (Object.keys(patch).length === 0) {
    throw new McpdError('USAGE', { what: 'mcpd set needs a setting to change', fix: 'mcpd set --help' });
  }
  return eachServer(parsed, context, (name) => patchRequest(name, patch));
}

export async function runUninstall(parsed: Parsed, context: Context): Promise<void> {
  const { output, keyboard } = context;
  const [name = ''] = parsed.operands;
  const purge = parsed.flag('purge');
  if (purge && !parsed.flag('yes') && keyboard !== null) {
    const agreed = await askConsent(`Remove ${name} and everything it has stored?`, 'no', keyboard, output);
    if (!agreed) return output.say('Nothing was removed.');
  }
  const daemon = await context.daemon();
  await daemon.request('DELETE', `${pathOf(name)}${purge ? '?purge=1' : ''}`);
  if (parsed.flag('json')) return output.json({ removed: name, purged: purge });
  output.print(`${name} is removed${purge ? ', with its data' : '; its data stays (--purge removes it)'}.`);
}

/** @throws McpdError SERVER_START_FAILED: it was to be started, and it did not come up */
export function mustRun(server: ServerStatus): void {
  if (server.state !== 'failed' && server.state !== 'backoff') return;
  throw new McpdError('SERVER_START_FAILED', {
    what: `${server.name} did not start`,
    ...(server.reason === null ? {} : { why: server.reason }),
    fix: server.fix ?? `mcpd logs ${server.name}`,
  });
}

// — internal —

interface ChangeRequest {
  method: 'POST' | 'PATCH';
  path: string;
  body?: unknown;
}

function pathOf(name: string): string {
  return `/api/servers/${encodeURIComponent(name)}`;
}

function commandRequest(name: string, command: ServerCommand): ChangeRequest {
  return { method: 'POST', path: `${pathOf(name)}/${command}` };
}

function patchRequest(name: string, patch: ServerPatch): ChangeRequest {
  return { method: 'PATCH', path: pathOf(name), body: patch };
}

/** One after the other; a failure ends it. The answer is the state after the change, as far as `check` accepts it. */
async function eachServer(
  parsed: Parsed,
  context: Context,
  request: (name: string) => ChangeRequest,
  check: (server: ServerStatus) => void = () => undefined,
): Promise<void> {
  const { output } = context;
  const daemon = await context.daemon();
  const answers: ServerStatus[] = [];
  for (const name of parsed.operands) {
    const { method, path, body } = request(name);
    const server = await daemon.request<ServerStatus>(method, path, body);
    check(server);
    answers.push(server);
    if (parsed.flag('json')) continue;
    const remark = remarkOf(server);
    output.print(
      `${server.name}  ${statePaint(server, output.paint)(server.state)}${remark === '' ? '' : `  ${showable(remark)}`}`,
    );
  }
  if (parsed.flag('json')) output.json(answers);
}
