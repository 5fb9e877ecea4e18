import type { ApprovalCode, ApprovalEvent, ApprovalInfo } from '../../src/api/contract/approvals.ts';
import type { DaemonClient } from '../../src/control/client.ts';
import { fromReport, McpdError } from '../../src/errors.ts';
import { shownDuration } from '../../src/shown.ts';
import { showable } from '../../src/text.ts';
import type { Parsed } from '../command.ts';
import type { Context } from '../context.ts';
import { stepLabel } from '../installing.ts';
import { Interrupted } from '../interrupt.ts';
import type { Output } from '../output.ts';
import { progressOn } from '../progress.ts';
import { askConsent } from '../prompt/ask.ts';

/** The second confirmation of what a page asks for: it is shown in full here, and only a yes from here lets the daemon do it. */
export async function runApprove(parsed: Parsed, context: Context): Promise<void> {
  const answer = answerOf(parsed);
  const daemon = await context.runningDaemon();
  const waiting = daemon === null ? [] : (await allOf(daemon)).filter(({ state }) => state === 'waiting');
  const [id] = parsed.operands;
  const chosen = id === undefined ? waiting : waiting.filter((approval) => approval.id === id);
  if (id !== undefined && chosen.length === 0) throw unknown(id);
  if (answer === null && (parsed.flag('json') || context.keyboard === null)) return list(chosen, parsed, context);
  if (daemon === null || chosen.length === 0) return list([], parsed, context);
  if (answer !== null && (chosen.length > 1 || (answer === 'yes' && id === undefined))) throw ambiguous(chosen);
  for (const approval of chosen) {
    if (!parsed.flag('json')) show(approval, context.output);
    await carryOn(daemon, approval, answer, parsed, context);
  }
}

// — internal —

type Answer = 'yes' | 'no' | 'code';

/** What was answered on the command line. @throws McpdError USAGE */
function answerOf(parsed: Parsed): Answer | null {
  const given = [
    ...(parsed.flag('yes') ? ['yes' as const] : []),
    ...(parsed.flag('decline') ? ['no' as const] : []),
    ...(parsed.flag('code') ? ['code' as const] : []),
  ];
  if (given.length < 2) return given[0] ?? null;
  throw new McpdError('USAGE', { what: 'only one of --yes, --decline and --code', fix: 'mcpd approve --help' });
}

/** Of an earlier release of the daemon: its pages cannot ask. */
async function allOf(daemon: DaemonClient): Promise<ApprovalInfo[]> {
  try {
    return await daemon.request<ApprovalInfo[]>('GET', '/api/approvals');
  } catch (thrown) {
    if (thrown instanceof McpdError && thrown.code === 'ROUTE_UNKNOWN') return [];
    throw thrown;
  }
}

function list(waiting: readonly ApprovalInfo[], parsed: Parsed, { output }: Context): void {
  if (parsed.flag('json')) return output.json(waiting);
  if (waiting.length === 0) return output.say('Nothing waits for you. The dashboard asks when it needs to.');
  for (const approval of waiting) show(approval, output);
  output.say('Say yes in a terminal with: mcpd approve, or with: mcpd approve ID --yes');
}

/** All of it, in its own lines: what is not seen here was not agreed to. */
function show(approval: ApprovalInfo, output: Output): void {
  const { paint } = output;
  const width = Math.max(...['warning', ...approval.details.map(({ label }) => label)].map((label) => label.length));
  const line = (label: string, value: string) => {
    for (const [i, part] of value.split('\n').entries())
      output.print(`  ${i === 0 ? label : ' '.repeat(width)}  ${showable(part)}`);
  };
  output.print(`${paint.bold(approval.id)}  The dashboard asks to ${showable(approval.says)}`);
  for (const { label, value } of approval.details) line(paint.bold(label.padEnd(width)), value);
  for (const warning of approval.warnings) line(paint.yellow('warning'.padEnd(width)), warning);
}

async function carryOn(
  daemon: DaemonClient,
  approval: ApprovalInfo,
  given: Answer | null,
  parsed: Parsed,
  context: Context,
): Promise<void> {
  const { output, keyboard } = context;
  const path = `/api/approvals/${encodeURIComponent(approval.id)}`;
  if (given === 'code') {
    const code = await daemon.request<ApprovalCode>('POST', `${path}/code`);
    if (parsed.flag('json')) return output.json(code);
    output.print(code.code);
    return output.say(`Type it into the dashboard within ${shownDuration(code.expiresAt - Date.now())}.`);
  }
  const agreed =
    given === 'yes' || (given === null && keyboard !== null && (await askConsent('Agree?', 'no', keyboard, output)));
  const { state } = await daemon.request<ApprovalInfo>('POST', `${path}/${agreed ? 'accept' : 'decline'}`);
  const ended = state === 'running' ? await followed(daemon, `${path}/events`, context) : approvalEnd(approval, state);
  if (parsed.flag('json')) return output.json(ended);
  output.print(
    ended.state === 'done' ? `${output.paint.green('✓')} Done: ${showable(ended.says)}` : `It is ${ended.state}.`,
  );
}

function approvalEnd(approval: ApprovalInfo, state: ApprovalInfo['state']): ApprovalInfo {
  return { ...approval, state };
}

/** What is under way goes on without this terminal. @throws McpdError why it failed */
async function followed(
  daemon: DaemonClient,
  path: string,
  { output, screen, signal }: Context,
): Promise<ApprovalInfo> {
  const progress = progressOn(screen, output);
  let last: ApprovalInfo | null = null;
  let step: string | null = null;
  for await (const event of daemon.lines<ApprovalEvent>('GET', path, undefined, signal)) {
    if (event.type === 'state') last = event.approval;
    else if (event.event.type === 'step') {
      const told = event.event;
      // An update tells its steps in words alone.
      const now = 'step' in told ? told.step : told.detail;
      const label = 'step' in told ? stepLabel(told) : told.detail;
      if (now === step) progress.detail(label);
      else progress.step(label);
      step = now;
    }
  }
  progress.end(last?.state === 'done' ? 'done' : 'failed');
  if (signal.aborted) {
    output.say('It goes on in the daemon; the dashboard shows its end.');
    throw new Interrupted();
  }
  if (last === null || last.state === 'running') {
    throw new McpdError('DAEMON_LOST', { what: 'the daemon went away in the middle', fix: 'mcpd status' });
  }
  if (last.error !== null) throw fromReport(last.error);
  return last;
}

function unknown(id: string): McpdError {
  return new McpdError('APPROVAL_UNKNOWN', { what: `nothing waits under ${id.slice(0, 60)}`, fix: 'mcpd approve' });
}

/** Whoever answers without having looked says to which. */
function ambiguous(waiting: readonly ApprovalInfo[]): McpdError {
  return new McpdError('USAGE', {
    what: 'which of them is not said',
    why: waiting.map(({ id, says }) => `${id}: ${says}`).join('; '),
    fix: 'name one: mcpd approve ID --yes',
  });
}
