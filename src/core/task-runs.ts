import { TASK_BYTES_MAX, TASK_POLL_MAX_MS, TASK_POLL_MIN_MS, TASK_POLL_MS } from '../input-limits.ts';
import { CALL_TOTAL_MS } from '../limits.ts';
import { join, line } from '../protocol/bytes.ts';
import type { Frame } from '../protocol/frame.ts';
import { requestText } from '../protocol/jsonrpc.ts';
import { createdTask, isTerminal, readTask, type TaskView } from '../protocol/tasks.ts';
import type { Call, TaskRun } from './call.ts';
import { abandonUpstream, armDeadline, callTimeout, finishWithRefusal } from './calls.ts';
import { arm } from './emit.ts';
import { callTooLong, unreadableAnswer } from './refusals.ts';
import type { Core, Instance, ServerLink } from './state.ts';
import { bookTask } from './tasks.ts';

/**
 * A tool that can be called as a task only, and a host that has no tasks or calls it plainly all the same: mcpd makes the task, looks at it as often as the server likes,
 * and answers the host's call with its result. Where the task needs input, the result is asked for at once: that is how the server learns
 * that somebody is there to be asked.
 */

/** True when the answer was one on the way: then it is not passed on. */
export function tookTask(core: Core, instance: Instance, link: ServerLink, call: Call, frame: Frame): boolean {
  const { task: run } = call;
  if (run?.kind !== 'run' || run.stage === 'fetch' || call.phase.name !== 'sent') return false;
  if (frame.envelope.kind !== 'result') return false;
  const view = viewOf(run, frame, frame.envelope.result);
  // Without a task it is what the tool has to say.
  if (view === null && run.stage === 'create') return false;
  if (view === null) {
    finishWithRefusal(core, instance, call, unreadableAnswer(call.server, 'a task without an id'), 'error');
    return true;
  }
  if (run.stage === 'create') {
    run.task = bookTask(core, instance, link, call, view);
    run.sentAt = call.phase.sentAt;
    run.stage = 'watch';
  }
  run.pollMs = Math.min(Math.max(view.pollMs ?? TASK_POLL_MS, TASK_POLL_MIN_MS), TASK_POLL_MAX_MS);
  call.aliveAt = core.now;
  link.calls.delete(call.phase.upstreamId);
  if (isTerminal(view.status) || view.status === 'input_required') fetchResult(core, instance, link, call, run);
  else waitForIt(core, instance, call, run);
  return true;
}

/** It is time to look at some of the tasks. */
export function onPollTimer(core: Core, instance: Instance): void {
  const { link } = instance;
  if (link === null) return;
  for (const call of [...instance.asking]) {
    if (call.phase.name !== 'polling' || call.phase.at > core.now || call.task?.kind !== 'run') continue;
    const totalMs = Math.max(CALL_TOTAL_MS, callTimeout(instance));
    if (core.now - call.openedAt < totalMs) {
      send(core, instance, link, call, call.task, 'tasks/get');
      continue;
    }
    abandonUpstream(core, instance, call, 'timeout');
    finishWithRefusal(core, instance, call, callTooLong(call.server, totalMs), 'timeout');
  }
  armPoll(core, instance);
}

/** The server says of its own accord how such a task fares. */
export function onRunStatus(core: Core, instance: Instance, link: ServerLink, call: Call, status: string): void {
  call.aliveAt = core.now;
  const ready = isTerminal(status) || status === 'input_required';
  if (ready && call.phase.name === 'polling' && call.task?.kind === 'run')
    fetchResult(core, instance, link, call, call.task);
}

// — internal —

function viewOf(run: TaskRun, frame: Frame, result: { start: number; end: number }): TaskView | null {
  if (frame.length > TASK_BYTES_MAX) return null;
  const bytes = join(frame.bytes);
  return run.stage === 'create' ? createdTask(bytes, result) : readTask(bytes, result);
}

function waitForIt(core: Core, instance: Instance, call: Call, run: TaskRun): void {
  call.phase = { name: 'polling', at: core.now + run.pollMs };
  instance.asking.add(call);
  armPoll(core, instance);
}

function fetchResult(core: Core, instance: Instance, link: ServerLink, call: Call, run: TaskRun): void {
  run.stage = 'fetch';
  send(core, instance, link, call, run, 'tasks/result');
}

function send(core: Core, instance: Instance, link: ServerLink, call: Call, run: TaskRun, method: string): void {
  const upstreamId = link.nextId++;
  instance.asking.delete(call);
  call.phase = { name: 'sent', upstreamId, sentAt: run.sentAt };
  link.calls.set(upstreamId, call);
  const params = JSON.stringify({ taskId: run.task?.raw ?? '' });
  const bytes = line(requestText(upstreamId, method, params));
  core.out.push({ type: 'to-server', instance: instance.key, generation: instance.generation, bytes, id: upstreamId });
  armDeadline(core, instance, core.now + callTimeout(instance));
}

/** One timer per instance, for the task that is to be looked at next. */
function armPoll(core: Core, instance: Instance): void {
  let next = Number.POSITIVE_INFINITY;
  for (const { phase } of instance.asking) if (phase.name === 'polling') next = Math.min(next, phase.at);
  if (next !== Number.POSITIVE_INFINITY) arm(core, `poll:${instance.key}`, next - core.now);
}
