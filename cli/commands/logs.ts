import { setTimeout as delay } from 'node:timers/promises';
import type { LogLine } from '../../src/api/contract.ts';
import type { DaemonClient } from '../../src/control/client.ts';
import { type ErrorCode, McpdError } from '../../src/errors.ts';
import { RECONNECT_IDLE_MS } from '../../src/limits.ts';
import { LOG_ANSWER_LINES_MAX } from '../../src/operation-limits.ts';
import { shownTime } from '../../src/shown.ts';
import { showable, showableJson } from '../../src/text.ts';
import type { Parsed } from '../command.ts';
import type { Context } from '../context.ts';
import type { Output } from '../output.ts';
import { countOf, durationMs } from '../units.ts';

export async function runLogs(parsed: Parsed, context: Context): Promise<void> {
  const { output } = context;
  const [name = ''] = parsed.operands;
  const since = parsed.value('since');
  // A span of time is wanted whole; without one, what fits a few screens.
  const lines = parsed.value('lines') ?? (since === undefined ? '100' : String(LOG_ANSWER_LINES_MAX));
  const query = new URLSearchParams({ lines: String(countOf(lines, '--lines', LOG_ANSWER_LINES_MAX)) });
  if (since !== undefined) query.set('since', String(Date.now() - durationMs(since, '--since')));
  const withProtocol = parsed.flag('protocol');
  if (withProtocol) query.set('protocol', '1');
  const show = parsed.flag('json')
    ? (line: LogLine) => output.print(showableJson(line))
    : (line: LogLine) => showLine(line, output);
  const daemon = await context.daemon();
  if (!parsed.flag('follow')) {
    const past = await daemon.request<LogLine[]>('GET', pathOf(name, query));
    for (const line of past) show(line);
    if (past.length === 0)
      output.say(`${name} has written nothing${since === undefined ? '' : ` in the last ${since}`}.`);
    if (withProtocol && !past.some(({ source }) => source === 'protocol'))
      output.say(
        `Of its messages nothing is kept, since nobody watches them. To watch: mcpd logs ${name} --protocol -f`,
      );
    return;
  }
  await follow(daemon, name, query, show, context);
}

// — internal —

function pathOf(name: string, query: URLSearchParams): string {
  return `/api/servers/${encodeURIComponent(name)}/logs?${query}`;
}

/** Until Ctrl-C or the end of the server, also over a restart of the daemon: what the next one writes comes behind what was shown. */
async function follow(
  first: DaemonClient,
  name: string,
  query: URLSearchParams,
  show: (line: LogLine) => void,
  context: Context,
): Promise<void> {
  const { output, signal } = context;
  query.set('follow', '1');
  for (let daemon: DaemonClient | null = first; daemon !== null; ) {
    if (daemon !== first && (await isUninstalled(daemon, name))) break;
    let shown = 0;
    try {
      for await (const line of daemon.lines<LogLine>('GET', pathOf(name, query), undefined, signal)) {
        show(line);
        query.set('since', String(line.at + 1));
        shown += 1;
      }
    } catch (thrown) {
      if (!(thrown instanceof McpdError) || !GONE.has(thrown.code)) throw thrown;
    }
    query.set('lines', String(LOG_ANSWER_LINES_MAX));
    if (!signal.aborted && (await isUninstalled(daemon, name))) break;
    if (shown > 0 && !signal.aborted)
      output.say(output.sayPaint.dim('The connection to the daemon ended; waiting for it.'));
    daemon = await nextDaemon(context);
  }
  if (!signal.aborted) output.say(`${name} was uninstalled, and its log has ended.`);
}

/** False also when nobody answers. */
async function isUninstalled(daemon: DaemonClient, name: string): Promise<boolean> {
  try {
    await daemon.request('GET', `/api/servers/${encodeURIComponent(name)}`);
    return false;
  } catch (thrown) {
    if (!(thrown instanceof McpdError)) throw thrown;
    return thrown.code === 'SERVER_UNKNOWN';
  }
}

/** It went away, or is about to. */
const GONE: ReadonlySet<ErrorCode> = new Set(['DAEMON_LOST', 'DAEMON_STOPPING', 'DAEMON_UNREACHABLE']);

/** Null after Ctrl-C. Starts none: whoever reads a log changes nothing. */
async function nextDaemon({ runningDaemon, signal }: Context): Promise<DaemonClient | null> {
  while (!signal.aborted) {
    await delay(RECONNECT_IDLE_MS, undefined, { signal }).catch(() => undefined); // the loop sees the abort
    const daemon = await runningDaemon().catch(() => null); // one that hangs may yet be replaced
    if (daemon !== null) return daemon;
  }
  return null;
}

function showLine(line: LogLine, output: Output): void {
  const { paint } = output;
  const colour =
    line.level === 'error'
      ? paint.red
      : line.level === 'warn'
        ? paint.yellow
        : line.source === 'lifecycle'
          ? paint.cyan
          : (text: string) => text;
  output.print(`${paint.dim(shownTime(line.at))}  ${line.source.padEnd(9)}  ${colour(showable(line.text))}`);
}
