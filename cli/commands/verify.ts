import type { Checkup, CheckupEvent, CheckupItem } from '../../src/api/contract/checkup.ts';
import { fromReport, McpdError } from '../../src/errors.ts';
import { shownDuration } from '../../src/shown.ts';
import { showable } from '../../src/text.ts';
import type { Parsed } from '../command.ts';
import type { Context } from '../context.ts';
import type { Output, Palette } from '../output.ts';

/** Exit code of a server that does not do its part, as the error table has it. */
const UNSOUND_EXIT = 5;

/** `mcpd verify NAME`: a check-up by a fresh process. Whoever waits for a script to fail is told by the exit code. */
export async function runVerify(parsed: Parsed, context: Context): Promise<number> {
  const { output, signal } = context;
  const [server = ''] = parsed.operands;
  const path = `/api/servers/${encodeURIComponent(server)}/verify`;
  let checkup: Checkup | null = null;
  for await (const event of (await context.daemon()).lines<CheckupEvent>('POST', path, {}, signal)) {
    if (event.type === 'failed') throw fromReport(event.error);
    if (event.type === 'done') checkup = event.checkup;
    else output.say(event.detail);
  }
  if (checkup === null) throw new McpdError('INSTALL_CANCELLED', { what: 'the check-up was called off' });
  if (parsed.flag('json')) output.json(checkup);
  else show(checkup, output);
  return checkup.checks.some(({ outcome }) => outcome === 'failed') ? UNSOUND_EXIT : 0;
}

// — internal —

const MARKS: Readonly<Record<CheckupItem['outcome'], { mark: string; colour: keyof Palette }>> = {
  passed: { mark: '✓', colour: 'green' },
  partly: { mark: '~', colour: 'yellow' },
  failed: { mark: '✗', colour: 'red' },
  skipped: { mark: '-', colour: 'dim' },
};

function show({ server, score, eras, protocolVersion, durationMs, checks }: Checkup, output: Output): void {
  const { paint } = output;
  for (const { title, outcome, points, of, reason, fix } of checks) {
    const { mark, colour } = MARKS[outcome];
    const amount = outcome === 'skipped' ? '' : `${points}/${of}`;
    output.print(`${paint[colour](mark)} ${amount.padStart(5)}  ${title}`);
    if (reason !== null) output.print(`         ${showable(reason)}`);
    if (fix !== null) output.print(`         ${paint.dim('try')}  ${showable(fix.replaceAll('NAME', server))}`);
  }
  const spoken =
    eras.length === 0 ? 'no handshake' : `${eras.join(' and ')}, revision ${showable(protocolVersion ?? '?')}`;
  output.print(`${paint.bold(`${server}: ${score} of 100`)} (${spoken}, in ${shownDuration(durationMs)})`);
}
