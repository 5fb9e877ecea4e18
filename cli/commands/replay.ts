import { readFile, stat } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { ReplayEvent, ReplayOutcome, ReplayRequest } from '../../src/api/contract/recordings.ts';
import { errnoOf, fromReport, McpdError } from '../../src/errors.ts';
import { RECORDING_FILE_BYTES_MAX } from '../../src/recorder-limits.ts';
import { amount, shownBytes, shownDuration } from '../../src/shown.ts';
import { showable, showableJson } from '../../src/text.ts';
import type { Parsed } from '../command.ts';
import type { Context } from '../context.ts';
import type { Output, Palette } from '../output.ts';
import { countOf } from '../units.ts';

/** Exit code when an answer was another one, or none: a server's fault, as the error table has it. */
const DIFFERENT_EXIT = 5;

type Done = Extract<ReplayEvent, { type: 'done' }>;

/** `mcpd record replay FILE|NAME`: asks a fresh process what was recorded, and says what it answers differently. */
export async function runReplay(what: string, parsed: Parsed, context: Context): Promise<number> {
  const { output, signal } = context;
  const call = parsed.value('call');
  const request: ReplayRequest = call === undefined ? {} : { call: countOf(call, '--call', Number.MAX_SAFE_INTEGER) };
  let server = what;
  if (isFile(what)) {
    request.recording = await recordingIn(resolve(context.cwd, what));
    server = request.recording.server;
  }
  const path = `/api/servers/${encodeURIComponent(server)}/recording/replay`;
  const asJson = parsed.flag('json');
  let done: Done | null = null;
  for await (const event of (await context.daemon()).lines<ReplayEvent>('POST', path, request, signal)) {
    if (event.type === 'failed') throw fromReport(event.error);
    if (event.type === 'done') done = event;
    if (asJson) output.print(showableJson(event));
    else showEvent(event, output);
  }
  if (done === null) throw new McpdError('CALL_FAILED', { what: 'the replay was called off' });
  return done.different + done.unanswered > 0 ? DIFFERENT_EXIT : 0;
}

// — internal —

/** A server's name has neither of these. */
function isFile(what: string): boolean {
  return /[./\\]/.test(what);
}

async function recordingIn(path: string): Promise<NonNullable<ReplayRequest['recording']>> {
  const cannot = (why: string) =>
    new McpdError('INPUT_INVALID', { what: `${path} cannot be replayed`, why, fix: 'mcpd record NAME save FILE' });
  try {
    const { size } = await stat(path);
    if (size > RECORDING_FILE_BYTES_MAX) throw cannot(`it has ${shownBytes(size)}; the most is ${MOST}`);
    const parsed = JSON.parse(await readFile(path, 'utf8')) as Partial<NonNullable<ReplayRequest['recording']>> | null;
    if (parsed?.format !== 'mcpd-recording' || typeof parsed.server !== 'string') throw cannot('it is no recording');
    // The daemon checks the rest.
    return parsed as NonNullable<ReplayRequest['recording']>;
  } catch (thrown) {
    if (thrown instanceof McpdError) throw thrown;
    const why = thrown instanceof SyntaxError ? 'it is not JSON' : (errnoOf(thrown) ?? String(thrown));
    throw cannot(why === 'ENOENT' ? 'it does not exist' : why);
  }
}

const MOST = shownBytes(RECORDING_FILE_BYTES_MAX);

const COLOURS: Readonly<Record<ReplayOutcome, keyof Palette>> = {
  equal: 'green',
  different: 'red',
  unanswered: 'red',
  uncompared: 'yellow',
  skipped: 'yellow',
};

function showEvent(event: ReplayEvent, output: Output): void {
  const { paint } = output;
  if (event.type === 'started') {
    output.say(`Asking a fresh process of ${event.server} ${amount(event.requests, 'recorded request')}.`);
  } else if (event.type === 'step') {
    const { seq, method, target, outcome, why, differences, moreDifferences, recordedMs, replayedMs } = event;
    const times = [recordedMs, replayedMs].map((ms) => (ms === null ? '–' : shownDuration(ms))).join(' → ');
    const about = [method, target].filter((text) => text !== null).join(' ');
    const reason = why === null ? '' : `: ${showable(why)}`;
    output.print(`${paint[COLOURS[outcome]](outcome.padEnd(10))}  ${seq}  ${showable(about)}  ${times}${reason}`);
    for (const { path, recorded, replayed } of differences) {
      output.print(`    ${showable(path)}`);
      output.print(`      ${paint.red('-')} ${showable(recorded ?? '(not there)')}`);
      output.print(`      ${paint.green('+')} ${showable(replayed ?? '(not there)')}`);
    }
    if (moreDifferences > 0) output.print(`    and ${amount(moreDifferences, 'more difference')}`);
  } else if (event.type === 'done') {
    const { equal, different, unanswered, uncompared, skipped } = event;
    const counts = Object.entries({ equal, different, unanswered, uncompared, skipped });
    output.say(
      counts
        .filter(([name, count]) => count > 0 || name === 'equal')
        .map(([name, count]) => `${count} ${name}`)
        .join(', '),
    );
  }
}
