import type { CallDetail, CallPage, CallRow } from '../../src/api/contract/calls.ts';
import type { CallOutcome } from '../../src/core/model.ts';
import { McpdError } from '../../src/errors.ts';
import { CALL_ANSWER_ROWS_MAX } from '../../src/operation-limits.ts';
import { amount, shownBytes, shownDuration, shownTime } from '../../src/shown.ts';
import { showable } from '../../src/text.ts';
import type { Parsed } from '../command.ts';
import type { Context } from '../context.ts';
import type { Output, Palette } from '../output.ts';
import { countOf, durationMs } from '../units.ts';

export async function runCalls(parsed: Parsed, context: Context): Promise<void> {
  const id = parsed.value('id');
  if (id !== undefined) return showOne(id, parsed, context);
  const { output } = context;
  const filters = filtersOf(parsed);
  const page = await (await context.daemon()).request<CallPage>('GET', `/api/calls?${filters}`);
  if (parsed.flag('json')) return output.json(page.calls);
  if (page.calls.length === 0) return output.say(filters.size > 2 ? 'No calls of that kind yet.' : 'No calls yet.');
  output.table(page.calls, [
    { title: 'TIME', cell: (call) => shownTime(call.at) },
    { title: 'HOST', cell: (call) => call.host },
    { title: 'SERVER', cell: (call) => call.server },
    { title: 'METHOD', cell: (call) => call.method },
    { title: 'TARGET', cell: (call) => call.target, cuttable: true },
    { title: 'TOOK', cell: (call) => shownDuration(call.totalMs), side: 'right' },
    { title: 'WAITED', cell: (call) => (call.queuedMs > 0 ? shownDuration(call.queuedMs) : ''), side: 'right' },
    { title: 'ANSWER', cell: (call) => shownBytes(call.responseBytes), side: 'right' },
    { title: 'OUTCOME', cell: (call) => call.outcome, paint: (call) => output.paint[colourOf(call)] },
    { title: 'ID', cell: (call) => String(call.id), side: 'right' },
  ]);
  const more = page.total - page.calls.length;
  if (more > 0)
    output.say(`${page.totalIsLeast ? 'More than ' : ''}${amount(more, 'more call')}. See them with --limit`);
}

// — internal —

/** Always with `limit` and `order`. */
function filtersOf(parsed: Parsed): URLSearchParams {
  const limit = countOf(parsed.value('limit') ?? '50', '--limit', CALL_ANSWER_ROWS_MAX);
  const filters = new URLSearchParams({ limit: String(limit), order: parsed.flag('slow') ? 'slowest' : 'newest' });
  const server = serverOf(parsed);
  if (server !== undefined) filters.set('server', server);
  for (const [option, filter] of [
    ['host', 'host'],
    ['tool', 'target'],
    ['outcome', 'outcome'],
  ] as const) {
    const value = parsed.value(option);
    if (value !== undefined) filters.set(filter, value);
  }
  const since = parsed.value('since');
  if (since !== undefined) filters.set('since', String(Date.now() - durationMs(since, '--since')));
  return filters;
}

function serverOf(parsed: Parsed): string | undefined {
  const [name] = parsed.operands;
  const option = parsed.value('server');
  if (name === undefined || option === undefined || name === option) return name ?? option;
  throw new McpdError('USAGE', {
    what: `both ${name} and --server ${option} are named`,
    why: 'the calls of one server are listed, or of all',
    fix: `mcpd calls ${name}`,
  });
}

async function showOne(id: string, parsed: Parsed, context: Context): Promise<void> {
  const { output } = context;
  const call = await (await context.daemon()).request<CallDetail>('GET', `/api/calls/${encodeURIComponent(id)}`);
  if (parsed.flag('json')) return output.json(call);
  output.print(`${call.method} ${showable(call.target)} of ${call.server}, for ${showable(call.host)}`);
  output.print(`${shownTime(call.at)}, ${shownDuration(call.totalMs)} in all`);
  output.print(
    `outcome  ${output.paint[colourOf(call)](call.outcome)}${call.errorCode === null ? '' : ` (${call.errorCode})`}`,
  );
  if (call.error !== null) output.print(`error    ${showable(call.error)}`);
  output.print(`size     ${shownBytes(call.requestBytes)} asked, ${shownBytes(call.responseBytes)} answered`);
  showStages(call, output);
}

const STAGES: Record<CallDetail['stages'][number]['name'], string> = {
  start: 'waits for the start of the server',
  turn: 'waits to be sent',
  server: 'is with the server',
  input: 'waits for its host to answer a question',
};

function showStages({ stages }: CallDetail, output: Output): void {
  if (stages.length === 0) return;
  output.table(stages, [
    { title: 'AFTER', cell: ({ fromMs }) => shownDuration(fromMs), side: 'right' },
    { title: 'FOR', cell: ({ fromMs, toMs }) => shownDuration(toMs - fromMs), side: 'right' },
    { title: 'IT', cell: ({ name }) => STAGES[name] },
  ]);
}

const COLOURS: Record<CallOutcome, keyof Palette> = {
  ok: 'green',
  'tool-error': 'red',
  error: 'red',
  cancelled: 'yellow',
  timeout: 'red',
  lost: 'red',
};

function colourOf({ outcome }: CallRow): keyof Palette {
  return COLOURS[outcome];
}
