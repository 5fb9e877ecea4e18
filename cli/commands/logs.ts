import type { LogLine } from '../../src/api/contract.ts';
import { showable, showableJson } from '../../src/text.ts';
import type { Parsed } from '../command.ts';
import type { Context } from '../context.ts';
import type { Output } from '../output.ts';
import { countOf, durationMs, shownTime } from '../units.ts';

export async function runLogs(parsed: Parsed, context: Context): Promise<void> {
  const { output, signal } = context;
  const [name = ''] = parsed.operands;
  const since = parsed.value('since');
  const query = new URLSearchParams({ lines: String(countOf(parsed.value('lines') ?? '100', '--lines')) });
  if (since !== undefined) query.set('since', String(Date.now() - durationMs(since, '--since')));
  const path = `/api/servers/${encodeURIComponent(name)}/logs?${query}`;
  const show = parsed.flag('json')
    ? (line: LogLine) => output.print(showableJson(line))
    : (line: LogLine) => showLine(line, output);
  const daemon = await context.daemon();
  if (!parsed.flag('follow')) {
    const lines = await daemon.request<LogLine[]>('GET', path);
    for (const line of lines) show(line);
    if (lines.length === 0)
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
