import type { ServerOffer } from '../../src/api/contract/offers.ts';
import type { ServerStatus, SessionStatus, ToolInfo } from '../../src/api/contract.ts';
import type { DaemonClient } from '../../src/control/client.ts';
import { remarkOf } from '../../src/doctor/remark.ts';
import { McpdError } from '../../src/errors.ts';
import { shownTime } from '../../src/shown.ts';
import { firstLineOf, showable } from '../../src/text.ts';
import type { Parsed } from '../command.ts';
import type { Context } from '../context.ts';
import type { Output } from '../output.ts';
import { healthPaint, healthText, sourceText, statePaint } from '../server-text.ts';
import { unreadError, unreadParts } from '../unread.ts';

export async function runList(parsed: Parsed, context: Context): Promise<void> {
  const { output } = context;
  if (parsed.flag('names')) {
    // For completion: a press of the tabulator key starts no daemon.
    const daemon = await context.runningDaemon();
    const known = daemon === null ? [] : await daemon.request<ServerStatus[]>('GET', '/api/servers');
    for (const server of known) output.print(server.name);
    return;
  }
  const servers = await (await context.daemon()).request<ServerStatus[]>('GET', '/api/servers');
  if (parsed.flag('json')) return output.json(servers);
  if (servers.length === 0) return output.say('No server is installed yet. Try: mcpd install weather');
  output.table(servers, [
    { title: 'NAME', cell: (server) => server.name },
    { title: 'STATE', cell: (server) => server.state, paint: (server) => statePaint(server, output.paint) },
    {
      title: 'HEALTH',
      cell: (server) => healthText(server) ?? '-',
      paint: (server) => healthPaint(server, output.paint),
    },
    { title: 'START', cell: (server) => server.start },
    { title: 'TOOLS', cell: (server) => (server.listed ? String(server.counts.tools) : '-'), side: 'right' },
    { title: 'CALLS', cell: (server) => String(server.calls), side: 'right' },
    { title: 'SOURCE', cell: sourceText, cuttable: true },
    { title: 'REMARK', cell: remarkOf, cuttable: true },
  ]);
  for (const server of servers)
    if (server.state === 'failed' && server.fix !== null) output.say(`${server.name}: ${showable(server.fix)}`);
}

/** @throws McpdError SERVER_UNREAD: nobody has read what this one server offers */
export async function runTools(parsed: Parsed, context: Context): Promise<void> {
  const { output } = context;
  const [name] = parsed.operands;
  const daemon = await context.daemon();
  if (parsed.flag('refresh')) {
    if (name === undefined)
      throw new McpdError('USAGE', {
        what: 'one server is read anew at a time',
        why: 'it is started for that',
        fix: 'mcpd tools NAME --refresh',
      });
    await daemon.request('POST', `/api/servers/${encodeURIComponent(name)}/offer`, {});
  }
  const query = name === undefined ? '' : `?server=${encodeURIComponent(name)}`;
  const tools = await daemon.request<ToolInfo[]>('GET', `/api/tools${query}`);
  const servers = await daemon.request<ServerStatus[]>('GET', '/api/servers');
  const unread = servers.filter((server) => !server.listed);
  const asked = unread.find((server) => server.name === name);
  if (asked !== undefined && tools.length === 0) throw unreadError(asked);
  if (parsed.flag('json')) return output.json(tools);
  if (tools.length > 0) showTools(tools, output);
  else if (name !== undefined) output.say(`${name} offers no tools.`);
  else if (servers.length === 0) output.say('No tools yet. Try: mcpd install weather');
  else output.say('No server offers a tool.');
  if (name !== undefined) return sayIfMore(name, daemon, output);
  for (const server of unread.filter(({ enabled }) => enabled)) {
    const { what, why } = unreadParts(server);
    output.say(showable(`${what}: ${why}`));
  }
}

export async function runSessions(parsed: Parsed, context: Context): Promise<void> {
  const { output } = context;
  const sessions = await (await context.daemon()).request<SessionStatus[]>('GET', '/api/sessions');
  if (parsed.flag('json')) return output.json(sessions);
  if (sessions.length === 0) return output.say('No host is connected.');
  output.table(sessions, [
    { title: 'HOST', cell: (session) => session.host },
    { title: 'SINCE', cell: (session) => shownTime(session.since) },
    { title: 'PROTOCOL', cell: (session) => session.protocolVersion ?? '-' },
    { title: 'OPEN', cell: (session) => String(session.openCalls), side: 'right' },
    { title: 'CALLS', cell: (session) => String(session.calls), side: 'right' },
  ]);
}

// — internal —

function showTools(tools: readonly ToolInfo[], output: Output): void {
  output.table(tools, [
    { title: 'TOOL', cell: (tool) => tool.name },
    { title: 'SERVER', cell: (tool) => tool.server },
    ...(tools.some(({ onlyFor }) => onlyFor !== null)
      ? [{ title: 'ONLY FOR HOSTS WITH', cell: (tool: ToolInfo) => tool.onlyFor?.join(', ') ?? '' }]
      : []),
    { title: 'DESCRIPTION', cell: (tool) => firstLineOf(tool.description), cuttable: true },
  ]);
}

async function sayIfMore(name: string, daemon: DaemonClient, output: Output): Promise<void> {
  const { isWhole } = await daemon.request<ServerOffer>('GET', `/api/servers/${encodeURIComponent(name)}/offer`);
  if (!isWhole)
    output.say(`Whether ${name} lists more to hosts that can be asked is not known. Try: mcpd tools ${name} --refresh`);
}
