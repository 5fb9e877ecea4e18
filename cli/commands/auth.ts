import type { ForgottenLogin, LoginEvent, LoginRequest } from '../../src/api/contract/logins.ts';
import { remarkOf } from '../../src/doctor/remark.ts';
import { fromReport, McpdError } from '../../src/errors.ts';
import { amount } from '../../src/shown.ts';
import { showable, showableJson } from '../../src/text.ts';
import { browserCommand, startBrowser } from '../browser.ts';
import type { Parsed } from '../command.ts';
import type { Context } from '../context.ts';
import { Interrupted } from '../interrupt.ts';
import { askInput } from '../prompt/ask.ts';

export async function runAuth(parsed: Parsed, context: Context): Promise<void> {
  const { output, signal } = context;
  const [name = ''] = parsed.operands;
  const path = `/api/servers/${encodeURIComponent(name)}/auth`;
  if (parsed.flag('forget')) return forget(path, parsed, context);
  const request = await requestOf(parsed, context);
  const daemon = await context.daemon();
  let done = false;
  try {
    for await (const event of daemon.lines<LoginEvent>('POST', path, request, signal)) {
      if (event.type === 'failed') throw fromReport(event.error);
      if (parsed.flag('json')) output.print(showableJson(event));
      if (event.type === 'link') await showLink(event, parsed, context);
      else if (!parsed.flag('json')) showEnd(event, context);
      done = event.type === 'done';
    }
  } catch (thrown) {
    if (!signal.aborted) throw thrown;
  }
  if (signal.aborted) {
    output.say('Interrupted: nobody was logged in.');
    throw new Interrupted();
  }
  if (done) return;
  throw new McpdError('DAEMON_LOST', {
    what: 'the daemon went away in the middle',
    why: 'the connection ended before the login did',
    fix: `mcpd status, then: mcpd auth ${name}`,
  });
}

// — internal —

/** Where nobody can be asked, the secret comes by this variable: an argument is seen by every program of this machine. */
const SECRET_VARIABLE = 'MCPD_CLIENT_SECRET';

async function requestOf(parsed: Parsed, { keyboard, output, env }: Context): Promise<LoginRequest> {
  const scopes = (parsed.value('scope') ?? '').trim();
  const scope = scopes === '' ? {} : { scope: scopes.replace(/\s+/g, ' ') };
  const clientId = parsed.value('client-id');
  const asks = parsed.flag('client-secret');
  if (clientId === undefined) {
    if (asks) throw new McpdError('USAGE', { what: '--client-secret belongs to --client-id', fix: 'mcpd auth --help' });
    return scope;
  }
  if (!asks) return { clientId, ...scope };
  const input = { name: 'client secret', description: '', required: true, secret: true, default: null, choices: null };
  const typed = keyboard === null ? null : await askInput(input, keyboard, output);
  const clientSecret = typed ?? env[SECRET_VARIABLE];
  if (clientSecret !== undefined && clientSecret !== '') return { clientId, clientSecret, ...scope };
  throw new McpdError('INPUT_MISSING', {
    what: 'the client secret is needed and there is no terminal to ask on',
    fix: `set the variable ${SECRET_VARIABLE}`,
  });
}

async function showLink(
  { url, expiresInMs, joined }: Extract<LoginEvent, { type: 'link' }>,
  parsed: Parsed,
  { output, env }: Context,
): Promise<void> {
  if (joined) output.say('A login there waits already, in another terminal or in the dashboard. This is its link:');
  if (!parsed.flag('json')) output.print(showable(url));
  const minutes = amount(Math.round(expiresInMs / 60_000), 'minute');
  output.say(`Open this address in a browser and log in, within ${minutes}. Ctrl-C calls it off.`);
  if (!parsed.flag('open')) return;
  const command = browserCommand(url, process.platform, env);
  if (command === null) output.say('There is no screen to open it on.');
  else if (!(await startBrowser(command))) output.say(`${command[0]} could not open it; paste it into a browser.`);
}

function showEnd({ login, server }: Extract<LoginEvent, { type: 'done' }>, { output }: Context): void {
  const scopes = login.scopes.length === 0 ? '' : ` (${showable(login.scopes.join(' '))})`;
  output.print(`${output.paint.green('✓')} ${server.name} is logged in at ${showable(login.issuer)}${scopes}`);
  if (server.listed) output.print(`  ${amount(server.counts.tools, 'tool')}: mcpd tools ${server.name}`);
  const remark = remarkOf(server);
  if (server.state === 'failed' || server.state === 'backoff')
    output.print(`  but it does not run: ${showable(remark)}`);
}

async function forget(path: string, parsed: Parsed, context: Context): Promise<void> {
  const daemon = await context.daemon();
  const answer = await daemon.request<ForgottenLogin>('DELETE', path);
  if (parsed.flag('json')) return context.output.json(answer);
  const { server, forgotten } = answer;
  context.output.print(
    `${forgotten ? `The login is forgotten. ${fateOf(answer)}` : 'There was no login.'} To log in: mcpd auth ${server}`,
  );
}

/** What became of its tokens elsewhere. */
function fateOf({ issuer, revocation }: ForgottenLogin): string {
  const place = showable(issuer ?? '');
  if (revocation?.state === 'revoked') return `Its tokens were revoked at ${place}.`;
  const rest = 'whoever has its tokens can use them until they end';
  if (revocation?.state !== 'failed') return `${place} does not offer to revoke tokens: ${rest}.`;
  const { what, why } = revocation.error;
  return `Its tokens were not revoked at ${place} (${showable(why === undefined ? what : `${what}: ${why}`)}): ${rest}.`;
}
