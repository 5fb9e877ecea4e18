import { writeFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type {
  LostRecording,
  RecordedFrame,
  RecordedFrames,
  Recording,
  RecordingState,
} from '../../src/api/contract/recordings.ts';
import { errnoOf, McpdError } from '../../src/errors.ts';
import { RECORDING_FRAMES_MAX } from '../../src/recorder-limits.ts';
import { amount, shownBytes, shownDuration, shownTime } from '../../src/shown.ts';
import type { Parsed } from '../command.ts';
import type { Context } from '../context.ts';
import { durationMs } from '../units.ts';
import { runReplay } from './replay.ts';

/** The messages between mcpd and one server: kept, shown, saved, and asked again. */
export async function runRecord(parsed: Parsed, context: Context): Promise<number> {
  const [name = '', word = 'state', file] = parsed.operands;
  const isReplay = name === 'replay' && parsed.operands.length === 2;
  const isList = name === 'list' && parsed.operands.length === 1;
  refuseUnfitting('for', word === 'on' && !isReplay, parsed);
  refuseUnfitting('call', isReplay, parsed);
  if (isReplay) return runReplay(word, parsed, context);
  if (isList) {
    await list(parsed, context);
    return 0;
  }
  const isComplete = (word === 'save') === (file !== undefined);
  const action = Object.hasOwn(ACTIONS, word) ? ACTIONS[word] : undefined;
  if (action === undefined || !isComplete) throw unknownWords(parsed.operands);
  await action({ name, file: file ?? '', parsed, context });
  return 0;
}

// — internal —

interface Asked {
  name: string;
  file: string;
  parsed: Parsed;
  context: Context;
}

const ACTIONS: Readonly<Record<string, (asked: Asked) => Promise<void>>> = {
  state: showState,
  on: turnOn,
  off: turnOff,
  clear,
  show,
  save,
};
/** From the owner alone: what is secret is masked, but not what is private. */
const FILE_MODE = 0o600;
/** Of a message in a table; the whole is in the JSON. */
const SHOWN_CHARS_MAX = 160;

/** Of which servers messages are recorded or kept, or were until the daemon ended. */
async function list(parsed: Parsed, { daemon, output }: Context): Promise<void> {
  const states = await (await daemon()).request<RecordingState[]>('GET', '/api/recordings');
  if (parsed.flag('json')) return output.json(states);
  if (states.length === 0) return output.say('Nothing is recorded. To record a server: mcpd record NAME on');
  for (const state of states)
    output.print(
      state.on || state.frames > 0 || state.lost === null ? stateLine(state) : lostLine(state.server, state.lost),
    );
  const lost = states.find((state) => state.lost !== null);
  if (lost !== undefined) output.say(again(lost.server));
}

async function showState({ name, parsed, context }: Asked): Promise<void> {
  const { output } = context;
  const state = await (await context.daemon()).request<RecordingState>('GET', pathOf(name));
  if (parsed.flag('json')) return output.json(state);
  output.print(stateLine(state));
  if (state.lost === null) return;
  output.print(lostLine(name, state.lost));
  output.say(again(name));
}

async function turnOn({ name, parsed, context }: Asked): Promise<void> {
  const given = parsed.value('for');
  const request = { on: true, ...(given === undefined ? {} : { forMs: durationMs(given, '--for') }) };
  const state = await (await context.daemon()).request<RecordingState>('POST', pathOf(name), request);
  if (parsed.flag('json')) return context.output.json(state);
  context.output.print(stateLine(state));
  context.output.say(`What is secret is masked. To look at it: mcpd record ${name} show`);
}

async function turnOff({ name, parsed, context }: Asked): Promise<void> {
  const state = await (await context.daemon()).request<RecordingState>('POST', pathOf(name), { on: false });
  if (parsed.flag('json')) return context.output.json(state);
  context.output.print(stateLine(state));
}

async function clear({ name, parsed, context }: Asked): Promise<void> {
  const state = await (await context.daemon()).request<RecordingState>('DELETE', pathOf(name));
  if (parsed.flag('json')) return context.output.json(state);
  context.output.print(stateLine(state));
}

async function show({ name, parsed, context }: Asked): Promise<void> {
  const { output } = context;
  const path = `${pathOf(name)}/frames?limit=${RECORDING_FRAMES_MAX}`;
  const { frames, state } = await (await context.daemon()).request<RecordedFrames>('GET', path);
  if (parsed.flag('json')) return output.json({ state, frames });
  if (frames.length === 0) {
    output.say(stateLine(state));
    if (state.lost !== null) output.say(`${lostLine(name, state.lost)}\n${again(name)}`);
    return;
  }
  output.table(frames, [
    { title: 'NR', cell: ({ seq }) => String(seq), side: 'right' },
    { title: 'TIME', cell: ({ at }) => shownTime(at).slice('2026-11-30 '.length) },
    { title: '', cell: ({ direction }) => (direction === 'to-server' ? '→' : '←') },
    { title: 'WHAT', cell: whatOf, paint: ({ kind }) => (kind === 'error' ? output.paint.red : (text) => text) },
    { title: 'TOOK', cell: ({ tookMs }) => (tookMs === null ? '' : shownDuration(tookMs)), side: 'right' },
    { title: 'MESSAGE', cell: ({ text }) => text.slice(0, SHOWN_CHARS_MAX), cuttable: true },
  ]);
  output.say(stateLine(state));
}

async function save({ name, file, parsed, context }: Asked): Promise<void> {
  const recording = await (await context.daemon()).request<Recording>('GET', `${pathOf(name)}/file`);
  const path = resolve(context.cwd, file);
  try {
    await writeFile(path, `${JSON.stringify(recording, null, 2)}\n`, { mode: FILE_MODE, flag: 'wx' });
  } catch (thrown) {
    const errno = errnoOf(thrown);
    throw new McpdError(errno === 'EEXIST' ? 'NAME_TAKEN' : 'INPUT_INVALID', {
      what: `${path} cannot be written`,
      why: errno === 'EEXIST' ? 'it exists, and nothing is overwritten' : (errno ?? String(thrown)),
      fix: 'give another name',
    });
  }
  const frames = recording.frames.length;
  if (parsed.flag('json')) return context.output.json({ file: path, frames, dropped: recording.dropped });
  context.output.print(`${amount(frames, 'message')} of ${name} saved in ${path}`);
  context.output.say(`What is secret by its name or known to mcpd is masked; read it before you give it away.`);
}

function whatOf({ kind, method, target }: RecordedFrame): string {
  const about = [method, target].filter((text) => text !== null).join(' ');
  if (kind === 'request') return about;
  return kind === 'notification' ? `(${about})` : `${kind} of ${about === '' ? 'nothing known' : about}`;
}

function stateLine({ server, on, endsAt, frames, bytes, dropped, droppedForOthers }: RecordingState): string {
  const until = on && endsAt !== null ? `is recorded until ${shownTime(endsAt).slice(0, -4)}` : 'is not recorded';
  const kept = `${amount(frames, 'message')} kept (${shownBytes(bytes)})`;
  const forOthers = droppedForOthers === 0 ? '' : ` (${droppedForOthers} of them for other servers)`;
  const lost = dropped === 0 ? '' : `, ${dropped} older ones made room${forOthers}`;
  return `${server} ${until}; ${kept}${lost}`;
}

function lostLine(server: string, { startedAt, endsAt, endedAt, frames }: LostRecording): string {
  const from = shownTime(startedAt).slice(0, -4);
  const end = endedAt === null ? 'mcpd was killed or crashed' : `mcpd ended at ${shownTime(endedAt).slice(0, -4)}`;
  const kept = frames === null ? 'what was kept' : `what was kept (${amount(frames, 'message')})`;
  return `${server} was recorded from ${from}${endsAt === null ? ', and then' : ' until'} ${end}; ${kept} was in memory alone, and is lost`;
}

function again(server: string): string {
  return `To record again: mcpd record ${server} on`;
}

/** An option that would be passed over in silence. */
function refuseUnfitting(option: string, fits: boolean, parsed: Parsed): void {
  if (fits || parsed.value(option) === undefined) return;
  throw new McpdError('USAGE', {
    what: `--${option} says nothing to mcpd record ${parsed.operands.join(' ')}`,
    fix: 'mcpd record --help',
  });
}

function pathOf(name: string): string {
  return `/api/servers/${encodeURIComponent(name)}/recording`;
}

function unknownWords(operands: readonly string[]): McpdError {
  return new McpdError('USAGE', {
    what: `mcpd record cannot do ${operands.join(' ')}`,
    why: 'it knows list, NAME on, off, show, clear and save FILE, and replay FILE|NAME',
    fix: 'mcpd record --help',
  });
}
