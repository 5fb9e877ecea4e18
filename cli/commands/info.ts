import type { ListedEntry, ServerInfo } from '../../src/api/contract.ts';
import { shellWord } from '../../src/shell-word.ts';
import { amount, shownBytes, shownDuration, shownTime, shownWhose } from '../../src/shown.ts';
import { firstLineOf, showable } from '../../src/text.ts';
import type { Parsed } from '../command.ts';
import type { Context } from '../context.ts';
import type { Output } from '../output.ts';
import { healthText, sourceText } from '../server-text.ts';

export async function runInfo(parsed: Parsed, context: Context): Promise<void> {
  const [name = ''] = parsed.operands;
  const info = await (await context.daemon()).request<ServerInfo>('GET', `/api/servers/${encodeURIComponent(name)}`);
  if (parsed.flag('json')) return context.output.json(info);
  showFacts(info, context.output);
  showInstances(info, context.output);
  showLists(info, context.output);
  showPast(info, context.output);
}

// — internal —

function showFacts(info: ServerInfo, output: Output): void {
  output.fields([
    ['name', info.name],
    ['description', info.description === '' ? null : info.description],
    ['state', `${info.state} since ${shownTime(info.since)}${info.reason === null ? '' : `: ${info.reason}`}`],
    ['wanted', `${info.wanted}${info.wantedReason === null ? '' : ` (${info.wantedReason})`}`],
    ['health', [healthText(info) ?? 'does not run', ...info.findings].join('; ')],
    ['try', info.fix],
    ['next start', info.nextStartAt === null ? null : shownTime(info.nextStartAt)],
    ['start', info.start],
    ['sharing', info.sharing],
    ...launchFields(info),
    ['login', loginText(info)],
    ['log in at', info.loginLink],
    ['secrets', info.secrets.length === 0 ? null : info.secrets.join(', ')],
    ['source', sourceText(info)],
    ['protocol', info.protocolVersion === null ? null : `${info.protocolVersion} (${info.era})`],
    ['process', info.pid === null ? null : String(info.pid)],
    [
      'calls',
      `${info.calls}, ${info.errors} failed, ${info.openCalls} open, ${amount(info.starts, 'start')}, since ${shownTime(info.countedSince)}, when mcpd started`,
    ],
    ['limits', limitsText(info)],
    ['log', info.logFile],
    ['added', shownTime(info.addedAt)],
  ]);
}

/** Where there are others than the one of all hosts. */
function showInstances({ instances }: ServerInfo, output: Output): void {
  if (instances.every(({ hosts }) => hosts === null)) return;
  output.print('');
  output.table(instances, [
    { title: 'INSTANCE', cell: ({ instance }) => instance },
    { title: 'STATE', cell: ({ state }) => state },
    { title: 'PID', cell: ({ pid }) => String(pid ?? '-'), side: 'right' },
    { title: 'FOR', cell: shownWhose, cuttable: true },
  ]);
}

function launchFields({ launch }: ServerInfo): [string, string | null][] {
  if (launch.kind === 'http') {
    const headers = Object.entries(launch.headers).map(([name, value]) => `${name}: ${value}`);
    return [
      ['address', launch.url],
      ['transport', launch.transport],
      ['headers', headers.length === 0 ? null : headers.join(', ')],
    ];
  }
  const env = Object.entries(launch.env).map(([name, value]) => `${name}=${value}`);
  return [
    ['command', [launch.command, ...launch.args].map(shellWord).join(' ')],
    ['folder', launch.cwd],
    ['variables', env.length === 0 ? null : env.join(' ')],
  ];
}

function loginText({ login }: ServerInfo): string | null {
  if (login === null) return null;
  const scopes = login.scopes.length === 0 ? '' : ` (${login.scopes.join(' ')})`;
  const end = login.expiresAt === null ? '' : `, until ${shownTime(login.expiresAt)}`;
  return `${login.issuer}${scopes}${end}${login.renews ? ', renewed by itself' : ''}`;
}

/** The settings that differ from the defaults. */
function limitsText({ limits }: ServerInfo): string | null {
  const given = [
    limits.callTimeoutMs === null ? null : `call ${shownDuration(limits.callTimeoutMs)}`,
    limits.startTimeoutMs === null ? null : `start ${shownDuration(limits.startTimeoutMs)}`,
    limits.idleStopMs === null ? null : `idle ${shownDuration(limits.idleStopMs)}`,
    limits.lineBytesMax === null ? null : `line ${shownBytes(limits.lineBytesMax)}`,
    limits.memorySoftBytes === null ? null : `memory ${shownBytes(limits.memorySoftBytes)}`,
  ].filter((text) => text !== null);
  return given.length === 0 ? null : given.join(', ');
}

function showLists(info: ServerInfo, output: Output): void {
  for (const [kind, entries] of Object.entries(info.lists)) {
    if (entries.length === 0) continue;
    output.print('');
    output.table(entries, [
      { title: kind.toUpperCase(), cell: (entry) => entry.name },
      { title: '', cell: entryText, cuttable: true },
    ]);
  }
}

function entryText({ description, onlyFor }: ListedEntry): string {
  const line = firstLineOf(description);
  return onlyFor === null ? line : `(only for hosts with ${onlyFor.join(', ')}) ${line}`;
}

function showPast(info: ServerInfo, output: Output): void {
  const last = info.lastExit;
  if (last === null) return;
  output.print('');
  output.fields([['last exit', `${shownTime(last.at)} after ${shownDuration(last.uptimeMs)}: ${last.cause}`]]);
  for (const line of last.stderrTail) output.print(`  ${output.paint.dim('|')} ${showable(line)}`);
}
