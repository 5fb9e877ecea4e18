import type { ListKind } from './model.ts';

/** What mcpd itself asks of servers, and answers that nobody waits for. */

export type OwnRequest =
  /** `again`: it refused the first, though not for the revision. */
  | { kind: 'probe'; again: boolean }
  | { kind: 'initialize' }
  | { kind: 'list'; list: ListKind }
  | { kind: 'health' }
  | { kind: 'listen' }
  /** One page of its tasks, for the listing of this number. */
  | { kind: 'tasks'; listing: number };

/** Why nobody waits for an answer: it comes too late, it never mattered, or it comes too late and a task that it names is to be cancelled. */
export type Unawaited = 'late' | 'unneeded' | 'task';
