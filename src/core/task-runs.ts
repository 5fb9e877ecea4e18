import { TASK_BYTES_MAX } from '../input-limits.ts';
import { join } from '../protocol/bytes.ts';
import type { Frame } from '../protocol/frame.ts';
import { createdTask, isTerminal, readTask, type TaskView } from '../protocol/tasks.ts';
import type { Call, TaskRun } from './call.ts';
import { finishWithRefusal } from './calls.ts';
import { unreadableAnswer } from './refusals.ts';
import type { Core, Instance, ServerLink } from './state.ts';
import { sendAbout, waitForIt } from './task-polling.ts';
import { bookTask } from './tasks.ts';

/**
 * A tool of 2025-11-25 that can be called as a task only, and a host that has no tasks or calls it plainly all the same: mcpd makes the task, looks at it as often as the server likes,
 * and answers the host's call with its result. Where the task needs input, the result is asked for at once: that is how the server learns
 * that somebody is there to be asked.
 */

/** True when the answer was one on the way: then it is not passed on. */
export function tookTask(core: Core, instance: Instance, link: ServerLink, call: Call, frame: Frame): boolean {
  const { task: run } = call;
  if (run?.kind !== 'run' || run.way.by !== 'revision' || run.stage === 'fetch' || call.phase.name !== 'sent')
    return false;
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
  call.aliveAt = core.now;
  link.calls.delete(call.phase.upstreamId);
  if (isTerminal(view.status) || view.status === 'input_required') fetchResult(core, instance, link, call, run);
  else waitForIt(core, instance, call, run, view.pollMs);
  return true;
}

/** The server says of its own accord how such a task fares. */
export function onRunStatus(core: Core, instance: Instance, link: ServerLink, call: Call, status: string): void {
  call.aliveAt = core.now;
  const ready = isTerminal(status) || status === 'input_required';
  if (!ready || call.phase.name !== 'polling' || call.task?.kind !== 'run') return;
  if (call.task.way.by === 'revision') fetchResult(core, instance, link, call, call.task);
  else sendAbout(core, instance, link, call, call.task, 'tasks/get');
}

// — internal —

function viewOf(run: TaskRun, frame: Frame, result: { start: number; end: number }): TaskView | null {
  if (frame.length > TASK_BYTES_MAX) return null;
  const bytes = join(frame.bytes);
  return run.stage === 'create' ? createdTask(bytes, result) : readTask(bytes, result);
}

function fetchResult(core: Core, instance: Instance, link: ServerLink, call: Call, run: TaskRun): void {
  run.stage = 'fetch';
  sendAbout(core, instance, link, call, run, 'tasks/result');
}
