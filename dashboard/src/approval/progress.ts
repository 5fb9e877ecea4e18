import type { ApprovalEvent, ApprovalInfo } from '../../../src/api/contract/approvals.ts';

/** What is known of something that was asked for: its state, and the lines of what is done for it. Pure. */
export interface Progress {
  approval: ApprovalInfo;
  lines: readonly string[];
}

/** An install tells little; whatever tells more than this is not read line by line. */
const LINES_MAX = 200;

export function afterApprovalEvent(progress: Progress, event: ApprovalEvent): Progress {
  if (event.type === 'state') return { ...progress, approval: event.approval };
  const line = lineOf(event.event);
  return line === null ? progress : { ...progress, lines: [...progress.lines, line].slice(-LINES_MAX) };
}

/** A person said yes. */
export function runningText({ canBeTakenBack }: ApprovalInfo): string {
  const done = 'You said yes. It is being done …';
  return canBeTakenBack ? done : `${done} It cannot be taken back any more.`;
}

/** How it ended, in words; null while it has not. */
export function endText({ state }: ApprovalInfo): string | null {
  switch (state) {
    case 'waiting':
    case 'running':
      return null;
    case 'done':
      return 'It is done.';
    case 'failed':
      return 'It failed.';
    case 'declined':
      return 'It was declined: nothing was changed.';
    case 'withdrawn':
      return 'It was taken back: nothing was changed.';
    case 'expired':
      return 'Nobody said yes in time: nothing was changed.';
  }
}

// — internal —

const STEPS = { resolve: 'Looking it up', fetch: 'Fetching', trial: 'Trying it', register: 'Keeping it' } as const;

function lineOf(event: Extract<ApprovalEvent, { type: 'progress' }>['event']): string | null {
  switch (event.type) {
    case 'step':
      if (!('step' in event)) return event.detail;
      return event.detail === '' ? STEPS[event.step] : `${STEPS[event.step]}: ${event.detail}`;
    case 'warning':
      return `Warning: ${event.text}`;
    case 'done':
      return `${event.server.name} has ${event.tools.length} ${event.tools.length === 1 ? 'tool' : 'tools'}`;
    case 'current':
      return `It is at ${event.version} already`;
    // What it would change is asked for when it is done.
    case 'offer':
      return null;
    // Its error stands in the state that follows; what the server said last does not.
    case 'failed':
      return event.stderrTail.length === 0 ? null : event.stderrTail.join('\n');
  }
}
