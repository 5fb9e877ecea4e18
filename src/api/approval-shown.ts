import { McpdError } from '../errors.ts';
import type { Described } from './approval-words.ts';

/** @throws {McpdError} APPROVAL_ENDED when it would do something else by now than what was shown; `doing`: `applying …` */
export function checkStillShown(now: Described, shown: Described['details'], doing: string): void {
  if (JSON.stringify(now.details) === JSON.stringify(shown)) return;
  throw new McpdError('APPROVAL_ENDED', {
    what: `${doing} would do something else by now than what was shown`,
    why: 'servers or secrets were changed meanwhile; nothing was done',
    fix: 'ask for it again in the dashboard',
  });
}
