import { INVALID_PARAMS, MISSING_CAPABILITY } from '../protocol/jsonrpc.ts';
import { TASKS_EXTENSION } from '../protocol/tasks.ts';
import type { Refusal } from './refusals.ts';

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
