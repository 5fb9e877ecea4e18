import type { LogLine } from '../../src/api/contract.ts';
import { LOG_ANSWER_LINES_MAX } from '../../src/operation-limits.ts';
import { showable, showableJson } from '../../src/text.ts';
import type { Parsed } from '../command.ts';
import type { Context } from '../context.ts';
import type { Output } from '../output.ts';
import { countOf, durationMs, shownTime } from '../units.ts';

export async function runLogs(parsed: Parsed, context: Context): Promise<void> {
  const { output, signal } = context;
  const [name = ''] = parsed.operands;
  const since = parsed.value('since');
  // A span of time is wanted whole; without one, what fits a few screens.
  const lines = parsed.value('lines') ?? (since === undefined ? '100' : String(LOG_ANSWER_LINES_MAX));
  const query = new URLSearchParams({ lines: String(countOf(lines, '--lines', LOG_ANSWER_LINES_MAX)) });
  if (since !== undefined) query.set('since', String(Date.now() - durationMs(since, '--since')));
  const path = `/api/servers/${encodeURIComponent(name)}/logs?${query}`;
  const show = parsed.flag('json')
    ? (line: LogLine) => output.print(showableJson(line))
    : (line: LogLine) => showLine(line, output);
  const daemon = await context.daemon();
  if (!parsed.flag('follow')) {
    const past = await daemon.request<LogLine[]>('GET', path);
    for (const line of past) show(line);
    if (past.length === 0)
      output.say(`${name} has written nothing${since === undefined ? '' : ` in the last ${since}`}.`);
    return;
  }
  for await (const line of daemon.lines<LogLine>('GET', `${path}&follow=1`, undefined, signal)) show(line);
}

// — internal —

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
