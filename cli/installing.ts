import type { TrialCheckup } from '../src/api/contract/checkup.ts';
import type { InstallEvent, InstallStep, SessionStatus } from '../src/api/contract.ts';
import type { DaemonClient } from '../src/control/client.ts';
import { fromReport, McpdError } from '../src/errors.ts';
import { portOf } from '../src/paths.ts';
import { amount, shownDuration } from '../src/shown.ts';
import { showable } from '../src/text.ts';
import type { Parsed } from './command.ts';
import type { Context } from './context.ts';
import { hostEntry, hostEntryLines } from './host-entry.ts';
import { Interrupted } from './interrupt.ts';
import { StepFailure } from './output.ts';
import { progressOn } from './progress.ts';

/** Shows the events of an install or add as they come, and its end. `told` are warnings that the person has seen already. */
export async function followInstall(
  daemon: DaemonClient,
  path: string,
  request: unknown,
  told: readonly string[],
  parsed: Parsed,
  context: Context,
): Promise<void> {
  await showEnd(await followed(daemon, path, request, told, context), daemon, parsed, context);
}

/** As `followInstall`, and leaves the end to the caller. @throws StepFailure, Interrupted; McpdError DAEMON_LOST */
export async function followed(
  daemon: DaemonClient,
  path: string,
  request: unknown,
  told: readonly string[],
  context: Context,
): Promise<Ended> {
  const { output, screen, signal } = context;
  const progress = progressOn(screen, output);
  const warnings: string[] = [];
  let finished: Finished | null = null;
  let step: InstallStep | null = null;
  try {
    for await (const event of daemon.lines<InstallEvent>('POST', path, request, signal)) {
      if (event.type === 'step') {
        const label = stepLabel(event);
        if (event.step === step) progress.detail(label);
        else progress.step(label);
        step = event.step;
      } else if (event.type === 'failed')
        throw new StepFailure(fromReport(event.error), STEP_WORDS[event.step], event.stderrTail);
      else if (event.type === 'done') finished = event;
      else {
        warnings.push(event.text);
        if (!told.includes(event.text)) progress.note(`${output.sayPaint.yellow('warning')}  ${showable(event.text)}`);
      }
    }
  } catch (thrown) {
    progress.end('failed');
    if (!signal.aborted) throw thrown;
  }
  if (signal.aborted) {
    progress.end('failed');
    output.say('Interrupted: what was begun is undone.');
    throw new Interrupted();
  }
  progress.end(finished === null ? 'failed' : 'done');
  if (finished === null) {
    throw new McpdError('DAEMON_LOST', {
      what: 'the daemon went away in the middle',
      why: 'the connection ended before the last step',
      fix: 'mcpd status, then try again',
    });
  }
  return { done: finished, warnings };
}

/** What an install ended with. */
export interface Ended {
  done: Finished;
  warnings: string[];
}

/** `fetch: npm:@acme/mcp@1.2.0`. */
export function stepLabel({ step, detail }: Extract<InstallEvent, { type: 'step' }>): string {
  return `${STEP_WORDS[step]}${detail === '' ? '' : `: ${detail}`}`;
}

// — internal —

/** A server with a thousand tools does not push everything else off the screen. */
const TOOLS_SHOWN = 30;

type Finished = Extract<InstallEvent, { type: 'done' }>;

const STEP_WORDS: Record<InstallStep, string> = {
  resolve: 'resolve',
  fetch: 'fetch',
  trial: 'trial start',
  register: 'register',
};

/** The score of what its first start could show, and why it is not whole. */
function checkupLine({ score, checks }: TrialCheckup, name: string): string {
  const found = checks.flatMap(({ reason, outcome }) => (reason === null || outcome === 'skipped' ? [] : [reason]));
  const [first] = found;
  const more = found.length < 2 ? '' : `, and ${amount(found.length - 1, 'more thing')}`;
  const why = first === undefined ? '' : `: ${showable(first)}${more}`;
  return `check-up at its first start: ${score} of 100${why} (in full: mcpd verify ${name})`;
}

async function showEnd(ended: Ended, daemon: DaemonClient, parsed: Parsed, context: Context): Promise<void> {
  const reach = await reachOf(daemon, context);
  if (parsed.flag('json')) return context.output.json({ ...endJson(ended), ...reach });
  printInstalled(ended, context);
  printReach(reach, context);
}

/** Which hosts see what was installed; when there are none, what one is to be given. */
export async function reachOf(daemon: DaemonClient, { dist, env, paths }: Context) {
  const sessions = await daemon.request<SessionStatus[]>('GET', '/api/sessions');
  const hosts = [...new Set(sessions.map((session) => session.host))];
  const entry =
    hosts.length > 0
      ? null
      : hostEntry(process.execPath, dist, {
          ...((env['MCPD_HOME'] ?? '') === '' ? {} : { MCPD_HOME: paths.home }),
          ...((env['MCPD_PORT'] ?? '') === '' ? {} : { MCPD_PORT: String(portOf(paths.home, env)) }),
        });
  return { hosts, hostEntry: entry };
}

export function endJson({ done, warnings }: Ended) {
  return { server: done.server, tools: done.tools, durationMs: done.durationMs, checkup: done.checkup, warnings };
}

export function printInstalled({ done }: Ended, { output }: Context): void {
  const { name, counts, listed, wantedReason } = done.server;
  const amounts = [
    amount(done.tools.length, 'tool'),
    ...(counts.prompts > 0 ? [amount(counts.prompts, 'prompt')] : []),
    ...(counts.resources > 0 ? [amount(counts.resources, 'resource')] : []),
  ];
  const what = listed
    ? `installed: ${amounts.join(', ')}, in ${shownDuration(done.durationMs)}`
    : wantedReason === 'needs-auth'
      ? `registered, and offers nothing before you log in: mcpd auth ${name}`
      : 'registered, and was not tried';
  output.print(`${output.paint.green('✓')} ${name} is ${what}`);
  for (const tool of done.tools.slice(0, TOOLS_SHOWN)) output.print(`  ${tool.name}`);
  if (done.tools.length > TOOLS_SHOWN)
    output.print(`  … and ${done.tools.length - TOOLS_SHOWN} more: mcpd tools ${name}`);
  if (done.checkup !== null) output.print(checkupLine(done.checkup, name));
  output.print('');
}

export function printReach(
  { hosts, hostEntry: entry }: Awaited<ReturnType<typeof reachOf>>,
  { output }: Context,
): void {
  if (entry === null) return output.print(`Connected hosts see it now: ${hosts.join(', ')}`);
  const lines = hostEntryLines(entry);
  output.print('No host is connected yet. Put this into the configuration of yours:');
  for (const line of lines.json) output.print(line);
  output.print('Or, for Claude Code:');
  output.print(`  ${lines.claude}`);
}
