import * as z from 'zod/mini';
import type { Ability, ListKind } from '../../core/model.ts';

/**
 * The part of the control interface that says what a server offers, with all that a form for it needs. `GET /api/servers/NAME/offer` is what
 * is remembered, and starts nothing; `POST` to the same starts the server beside what runs of it, as a trial before an install does, reads
 * all its lists as hosts of either kind get them, and keeps those.
 */

export interface ServerOffer {
  lists: Record<ListKind, OfferedEntry[]>;
  /** It completes arguments of prompts and of resource templates. */
  completes: boolean;
  /**
   * False while nobody has seen what it lists to hosts that can be asked (forms, folders, a model): then it may offer more than this. It is
   * seen by the trial of an install, by such a host, and by the `POST` above.
   */
  isWhole: boolean;
}

export interface OfferedEntry {
  /** As hosts know it: a name, a URI or a template. */
  name: string;
  /**
   * JSON text of the whole entry as the server lists it. Safe to show as it is; what is parsed out of it is the server's own again, to the
   * letter, and is not.
   */
  json: string;
  /** Set when only hosts see it that can be asked this; null when every host does. */
  onlyFor: readonly Ability[] | null;
}

/** `POST /api/servers/NAME/completions`: how the value of an argument may go on, as the server completes it. */
export const CompletionRequest = z.object({
  of: z.discriminatedUnion('kind', [
    z.object({ kind: z.literal('prompt'), name: z.string().check(z.minLength(1)) }),
    z.object({ kind: z.literal('template'), uriTemplate: z.string().check(z.minLength(1)) }),
  ]),
  argument: z.string().check(z.minLength(1)),
  /** What was typed of it. */
  value: z.string(),
  /** The other arguments that have a value already. */
  known: z.optional(z.record(z.string(), z.string())),
});
export type CompletionRequest = z.infer<typeof CompletionRequest>;

export interface Completion {
  /** At most COMPLETIONS_SHOWN_MAX. Those are left out that do not look like what they are (hidden or turning characters). */
  values: string[];
  /** There are more than these. */
  hasMore: boolean;
}
