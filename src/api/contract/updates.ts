import * as z from 'zod/mini';
import type { ListKind, PackageKind, ServerStatus } from '../../core/model.ts';
import type { ErrorReport } from '../../errors.ts';

/** The part of the contract about newer versions of installed servers. */

/** How an installed package stands to what a fetch would bring now. */
export interface VersionState {
  server: string;
  kind: PackageKind;
  identifier: string;
  installed: string;
  /** Null when it could not be found out; then `error` says why. */
  available: string | null;
  isOutdated: boolean;
  /** It stays at its version until a person says otherwise. */
  isPinned: boolean;
  /** The version that `mcpd rollback` brings back; null when none is kept. */
  kept: string | null;
  error: ErrorReport | null;
}

/** One entry of a list that is new, gone or different. */
export interface EntryChange {
  list: ListKind;
  /** The server's own name of it, its URI or its template. */
  key: string;
  change: 'added' | 'removed' | 'changed';
  /** What differs in it: JSON texts by member, null where it was not there. Long ones are cut. */
  members: { name: string; before: string | null; after: string | null }[];
}

/** What an update would change. Nothing of it has happened; it waits UPDATE_AGREE_MS for a yes. */
export interface UpdateOffer {
  server: string;
  from: string;
  to: string;
  /** `npm:@acme/mcp`. */
  package: string;
  integrity: string;
  commandLine: string;
  /** The first UPDATE_CHANGES_MAX of them. */
  changes: EntryChange[];
  moreChanges: number;
  /** What the server tells models, where that differs. */
  instructions: { before: string | null; after: string | null } | null;
  /** Names this very offer: a yes is a yes to what was shown. */
  agreement: string;
}

/** What a page knows of versions: the states without a question to any registry. */
export interface KnownVersions {
  /** When somebody last asked the registries; null since the daemon's start. `available` is null where nobody has. */
  askedAt: number | null;
  servers: VersionState[];
}

/** Another version of a server, before anything of it is fetched. */
export interface NextVersion {
  /** As it may be installed: `npm:@acme/mcp@1.2.0`. */
  package: string;
  from: string;
  to: string;
  /** Of an image or a bundle, which can be published anew under the same version; else null. */
  integrity: string | null;
}

/** What waits for a yes: null when nothing does. */
export interface WaitingOffer {
  offer: UpdateOffer | null;
}

export const UpdateRequest = z.object({
  /** A version or a tag; else what the install asked for, or the latest. */
  to: z.optional(z.string().check(z.minLength(1), z.maxLength(128))),
  /** The version that was shown for it: this is fetched, whatever stands for it by now. What is followed later stays as it is. */
  exactly: z.optional(z.string().check(z.minLength(1), z.maxLength(160))),
  /** The integrity that was shown with it: another one is refused. */
  integrity: z.optional(z.string().check(z.minLength(1), z.maxLength(512))),
  /** Install scripts of the package run. */
  allowScripts: z.optional(z.boolean()),
});
export type UpdateRequest = z.infer<typeof UpdateRequest>;

export type UpdateEvent =
  | { type: 'step'; detail: string }
  | { type: 'warning'; text: string }
  | { type: 'offer'; offer: UpdateOffer }
  /** It has that version already. */
  | { type: 'current'; version: string }
  | { type: 'failed'; error: ErrorReport; stderrTail: string[] };

export const UpdateAgreement = z.object({ agreement: z.string().check(z.maxLength(128)) });
export type UpdateAgreement = z.infer<typeof UpdateAgreement>;

/** A server at another version; the one before it is kept. */
export interface VersionChange {
  server: ServerStatus;
  from: string;
  to: string;
}

export const PinRequest = z.object({ on: z.boolean() });
export type PinRequest = z.infer<typeof PinRequest>;
