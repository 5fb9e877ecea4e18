import { TASK_POLL_MAX_MS, TASK_POLL_MIN_MS, TASK_POLL_MS } from '../input-limits.ts';
import { CALL_TOTAL_MS } from '../limits.ts';
import { line } from '../protocol/bytes.ts';
import { retryMembers } from '../protocol/input.ts';
import { requestText } from '../protocol/jsonrpc.ts';
import type { Call, TaskRun } from './call.ts';
import { abandonUpstream, armDeadline, callTimeout, finishWithRefusal } from './calls.ts';
import { arm } from './emit.ts';
import { callTooLong } from './refusals.ts';
import type { Core, Instance, ServerLink } from './state.ts';
import { taskParams } from './tasks.ts';

/** Tasks that mcpd runs for calls: when it looks at them, and what it asks about them, of servers of either era. */

/** Between two looks nothing is open at the server. `pollMs`: as it likes; null where it says nothing. */
export function waitForIt(core: Core, instance: Instance, call: Call, run: TaskRun, pollMs: number | null): void {
  run.pollMs = Math.min(Math.max(pollMs ?? TASK_POLL_MS, TASK_POLL_MIN_MS), TASK_POLL_MAX_MS);
  call.phase = { name: 'polling', at: core.now + run.pollMs };
  instance.asking.add(call);
  armPoll(core, instance);
}

/** It is time to look at some of the tasks. */
export function onPollTimer(core: Core, instance: Instance): void {
  const { link } = instance;
  if (link === null) return;
  for (const call of [...instance.asking]) {
    if (call.phase.name !== 'polling' || call.phase.at > core.now || call.task?.kind !== 'run') continue;
    const totalMs = Math.max(CALL_TOTAL_MS, callTimeout(instance));
    if (core.now - call.openedAt < totalMs) {
      sendAbout(core, instance, link, call, call.task, 'tasks/get');
      continue;
    }
    abandonUpstream(core, instance, call, 'timeout');
    finishWithRefusal(core, instance, call, callTooLong(call.server, totalMs), 'timeout');
  }
  armPoll(core, instance);
}

/** Sends a request about the task, whose answer is looked at for the call; `more`: JSON of further params, each after a comma. */
export function sendAbout(
  core: Core,
  instance: Instance,
  link: ServerLink,
  call: Call,
  run: TaskRun,
  method: string,
  more = '',
): void {
  const upstreamId = link.nextId++;
  instance.asking.delete(call);
  call.phase = { name: 'sent', upstreamId, sentAt: run.sentAt };
  link.calls.set(upstreamId, call);
  const bytes = line(requestText(upstreamId, method, taskParams(core, call, run, more)));
  core.out.push({ type: 'to-server', instance: instance.key, generation: instance.generation, bytes, id: upstreamId });
  armDeadline(core, instance, core.now + callTimeout(instance));
}

/** Brings the server what its host has answered (extension). */
export function sendAnswers(core: Core, instance: Instance, link: ServerLink, call: Call, run: TaskRun): void {
  if (run.way.by !== 'extension') return;
  const { answers } = run.way;
  const responses = retryMembers(answers, null);
  answers.clear();
  run.stage = 'update';
  sendAbout(core, instance, link, call, run, 'tasks/update', `,${responses}`);
}

// — internal —

/** One timer per instance, for the task that is to be looked at next. */
function armPoll(core: Core, instance: Instance): void {
  let next = Number.POSITIVE_INFINITY;
  for (const { phase } of instance.asking) if (phase.name === 'polling') next = Math.min(next, phase.at);
  if (next !== Number.POSITIVE_INFINITY) arm(core, `poll:${instance.key}`, next - core.now);
}
