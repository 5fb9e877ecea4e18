import { QUIET_TARGETS_KEPT, TASK_BYTES_MAX } from '../input-limits.ts';
import { join } from '../protocol/bytes.ts';
import { demandsTasks, handedTask, messageOf, readTaskState } from '../protocol/extension-tasks.ts';
import type { Frame } from '../protocol/frame.ts';
import type { InputRequired } from '../protocol/input.ts';
import { isTerminal } from '../protocol/tasks.ts';
import type { Call, TaskRun } from './call.ts';
import { abandonUpstream, deliverAnswer, finishWithRefusal, sendCall } from './calls.ts';
import { MARK, mark } from './marks.ts';
import { parkForTask } from './parking.ts';
import { type Refusal, unreadableAnswer } from './refusals.ts';
import { beginRound } from './rounds.ts';
import type { Core, Instance, ServerLink } from './state.ts';
import { byExtension, mayBecomeTask, newRun } from './task-messages.ts';
import { sendAbout, sendAnswers, waitForIt } from './task-polling.ts';
import { taskCancelled, taskLost } from './task-refusals.ts';
import { bookTask } from './tasks.ts';

/**
 * A tool of a modern server that answers with a task only, and a host that has not declared the extension. mcpd declares it in the host's
 * stead, looks at the task as often as the server likes, asks the host for what the task needs, and answers the call with what came of it.
 */

/**
 * True when the answer refused the call for want of the extension: nothing has begun then, so the call is sent once more, as its host
 * would have if it had the extension. That the tool is such a one is known from then on.
 */
export function tookDemand(core: Core, instance: Instance, link: ServerLink, call: Call, frame: Frame): boolean {
  const { envelope } = frame;
  if (envelope.kind !== 'error' || call.view === null || call.phase.name !== 'sent' || link.deaf) return false;
  // One that refuses the extension too is believed.
  if (call.task?.kind === 'run' || !mayBecomeTask(link, call) || frame.length > TASK_BYTES_MAX) return false;
  if (!demandsTasks(join(frame.bytes), envelope.error)) return false;
  const known = core.servers.get(call.server)?.extensionTools;
  if (known !== undefined && known.size < QUIET_TARGETS_KEPT) known.add(call.target);
  link.calls.delete(call.phase.upstreamId);
  call.task = newRun(byExtension(call.hostEra, call.abilities));
  call.phase = { name: 'queued', view: call.view, retry: null };
  sendCall(core, instance, link, call);
  return true;
}

/** True when the answer was one on the way: then it is not passed on. */
export function tookTaskState(core: Core, instance: Instance, link: ServerLink, call: Call, frame: Frame): boolean {
  const { task: run } = call;
  if (run?.kind !== 'run' || run.way.by !== 'extension' || call.phase.name !== 'sent') return false;
  if (run.stage === 'create') return tookHandle(core, instance, link, call, run, frame);
  const { envelope } = frame;
  const { server } = call;
  call.aliveAt = core.now;
  link.calls.delete(call.phase.upstreamId);
  const bytes = join(frame.bytes);
  if (envelope.kind === 'error') {
    const method = run.stage === 'update' ? 'tasks/update' : 'tasks/get';
    giveUp(core, instance, call, taskLost(server, method, messageOf(bytes, envelope.error)));
  } else if (envelope.kind === 'result') {
    if (run.stage === 'update') goOn(core, instance, link, call, run, run.pollMs);
    else onState(core, instance, link, call, run, readTaskState(frame, bytes, envelope.result));
  }
  return true;
}

// — internal —

function tookHandle(
  core: Core,
  instance: Instance,
  link: ServerLink,
  call: Call,
  run: TaskRun,
  { envelope, bytes, length }: Frame,
): boolean {
  if (envelope.kind !== 'result' || length > TASK_BYTES_MAX || call.phase.name !== 'sent') return false;
  const view = handedTask(join(bytes), envelope.result);
  // Whether it becomes a task is the server's choice, call by call.
  if (view === null) return false;
  if (typeof view === 'string') {
    finishWithRefusal(core, instance, call, unreadableAnswer(call.server, view), 'error');
    return true;
  }
  run.task = bookTask(core, instance, link, call, view);
  run.sentAt = call.phase.sentAt;
  run.stage = 'watch';
  call.aliveAt = core.now;
  link.calls.delete(call.phase.upstreamId);
  if (isTerminal(view.status) || view.status === 'input_required')
    sendAbout(core, instance, link, call, run, 'tasks/get');
  else waitForIt(core, instance, call, run, view.pollMs);
  return true;
}

function onState(
  core: Core,
  instance: Instance,
  link: ServerLink,
  call: Call,
  run: TaskRun,
  state: ReturnType<typeof readTaskState>,
): void {
  if (typeof state === 'string') return giveUp(core, instance, call, unreadableAnswer(call.server, state));
  switch (state.kind) {
    case 'working':
      return goOn(core, instance, link, call, run, state.pollMs);
    case 'asks':
      return askHost(core, instance, link, call, run, state);
    case 'cancelled':
      return finishWithRefusal(core, instance, call, taskCancelled(call.server, state.why), 'error');
    case 'ended':
      mark(call, MARK.answered, core.now);
      return deliverAnswer(core, instance, call, state.frame);
  }
}

/** Answers that came while a look was out are brought first: the next look says what is still needed. */
function goOn(core: Core, instance: Instance, link: ServerLink, call: Call, run: TaskRun, pollMs: number | null): void {
  run.stage = 'watch';
  if (run.way.by === 'extension' && run.way.answers.size > 0) sendAnswers(core, instance, link, call, run);
  else waitForIt(core, instance, call, run, pollMs);
}

function askHost(
  core: Core,
  instance: Instance,
  link: ServerLink,
  call: Call,
  run: TaskRun,
  { requests, pollMs }: { requests: InputRequired['requests']; pollMs: number | null },
): void {
  if (run.way.by !== 'extension') return;
  const { asked, answers } = run.way;
  // A key is asked for once, and comes again until the server has noticed its answer.
  const fresh = answers.size > 0 ? [] : requests.filter(({ key }) => !asked.has(key));
  if (fresh.length === 0) return goOn(core, instance, link, call, run, pollMs);
  for (const { key } of fresh) asked.add(key);
  const isModern = call.hostEra === 'modern';
  const refusal = isModern
    ? parkForTask(core, instance, call, fresh)
    : beginRound(core, instance, call, { requests: fresh, requestState: null });
  if (refusal !== null) return giveUp(core, instance, call, refusal);
  // While a modern host is away its task may come to its end all the same.
  if (isModern) goOn(core, instance, link, call, run, pollMs);
  else run.pollMs = pollMs ?? run.pollMs;
}

/** Nobody waits for the task any more, and its server learns that. */
function giveUp(core: Core, instance: Instance, call: Call, refusal: Refusal): void {
  abandonUpstream(core, instance, call, 'the call has failed');
  finishWithRefusal(core, instance, call, refusal, 'error');
}
