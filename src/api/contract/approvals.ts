import * as z from 'zod/mini';
import type { ErrorReport } from '../../errors.ts';
import { AddRequest, ApplyRequest, type InstallEvent, InstallRequest } from '../contract.ts';
import { SecretRequest } from './credentials.ts';
import { UpdateAgreement, type UpdateEvent } from './updates.ts';

/**
 * The part of the contract about what a page may only ask for: whatever adds, changes or removes what is run. A person says yes in a
 * terminal (`mcpd approve`), and the daemon carries it out. As contract.ts: times are milliseconds since 1970.
 */

const Name = z.string().check(z.regex(/^[A-Za-z0-9_-]{1,64}$/));

/**
 * One version, and nothing that a tool would read as another package, an address or an option. Where another one was published under the
 * same version, its first twelve digits tell it apart: that is how a VersionState names it.
 */
const Version = z.string().check(z.regex(/^(sha256:)?[0-9A-Za-z][0-9A-Za-z.+!_-]{0,127}(@sha256:[0-9a-f]{12})?$/));

/** `POST /api/approvals`. Its answer is an ApprovalInfo, which waits. */
export const ApprovalRequest = z.discriminatedUnion('action', [
  z.object({ action: z.literal('install'), install: InstallRequest }),
  z.object({ action: z.literal('add'), add: AddRequest }),
  z.object({ action: z.literal('uninstall'), server: Name, purge: z.optional(z.boolean()) }),
  z.object({ action: z.literal('apply'), apply: ApplyRequest }),
  /** The newest version, or the one that was shown as it, is fetched and run once, aside: `GET /api/servers/NAME/update` says what it changes. */
  z.object({ action: z.literal('try-update'), server: Name, version: z.optional(Version) }),
  /** A yes to that very offer. */
  z.object({ action: z.literal('update'), server: Name, ...UpdateAgreement.shape }),
  z.object({ action: z.literal('rollback'), server: Name }),
  z.object({ action: z.literal('set-secret'), server: Name, secret: SecretRequest }),
  /** Without a secret's name: all of a server that is not there. */
  z.object({ action: z.literal('remove-secrets'), server: Name, secret: z.optional(z.string()) }),
]);
export type ApprovalRequest = z.infer<typeof ApprovalRequest>;

/** `running`: a person said yes. `withdrawn`: the page took it back. `waiting` and `running` end; the others are ends. */
type ApprovalState = 'waiting' | 'running' | 'done' | 'failed' | 'declined' | 'withdrawn' | 'expired';

/** What waits for a person, and what became of it. Values of secrets are never in it. */
export interface ApprovalInfo {
  id: string;
  action: ApprovalRequest['action'];
  /** Which server it is about; null for a file of several. */
  server: string | null;
  /** One sentence: `install weather and run it`. */
  says: string;
  /** Everything that a person must know before he says yes, in full: the command line, the folder, the variables. */
  details: { label: string; value: string }[];
  warnings: string[];
  askedAt: number;
  /** Nobody can say yes after this. */
  expiresAt: number;
  state: ApprovalState;
  /** Whether the page may still take it back: while it waits, and of what installs or tries until it has ended. The rest is done at once. */
  canBeTakenBack: boolean;
  /** Why it failed. */
  error: ErrorReport | null;
}

/** What an install or an update tells while it goes on. */
export type WorkEvent = InstallEvent | UpdateEvent;

/**
 * `GET /api/approvals/ID/events`, lines of JSON: its state first and at each change, with what an install or an update tells in between. Ends after an end.
 */
export type ApprovalEvent = { type: 'state'; approval: ApprovalInfo } | { type: 'progress'; event: WorkEvent };

/** `POST /api/approvals/ID/confirm`: the code that `mcpd approve --code` printed, instead of a yes in the terminal. */
export const ConfirmRequest = z.object({ code: z.string().check(z.maxLength(32)) });
export type ConfirmRequest = z.infer<typeof ConfirmRequest>;

/** `POST /api/approvals/ID/code`, on the socket only. */
export interface ApprovalCode {
  code: string;
  expiresAt: number;
}
