import { INTERNAL_ERROR, INVALID_PARAMS, MISSING_CAPABILITY } from '../protocol/jsonrpc.ts';
import { TASKS_EXTENSION } from '../protocol/tasks.ts';
import { clipped, type Refusal } from './refusals.ts';

/** Errors towards hosts about tasks. */

/** No task, or one that is another's: the two look alike. The id is not repeated, since it may be all that protects a task. */
export function unknownTask(why: string): Refusal {
  return {
    code: INVALID_PARAMS,
    message: `unknown task: ${why}; a task ends with its time to live, and most end with the process of their server`,
    data: { reason: 'unknown-task' },
  };
}

/** What only a client with the extension may ask for. */
export function lacksTasks(): Refusal {
  return {
    code: MISSING_CAPABILITY,
    message: `params.notifications.taskIds needs the extension ${TASKS_EXTENSION} among the capabilities of the request`,
    data: { requiredCapabilities: { extensions: { [TASKS_EXTENSION]: {} } } },
  };
}

/** The server refuses to say more of the task that the call became, or to take what it asked for. */
export function taskLost(server: string, method: string, why: string): Refusal {
  return {
    code: INTERNAL_ERROR,
    message: `${server} made a task of this call, and answered ${method} for it with an error (${clipped(why)}): the outcome is unknown`,
    data: { reason: 'task-lost', server, sent: true, outcome: 'unknown' },
  };
}

/** The server, or somebody else there, has cancelled the task that the call became. */
export function taskCancelled(server: string, why: string | null): Refusal {
  const said = why === null ? '' : `: ${clipped(why)}`;
  return {
    code: INTERNAL_ERROR,
    message: `${server} made a task of this call, and the task was cancelled there${said}`,
    data: { reason: 'task-cancelled', server },
  };
}
