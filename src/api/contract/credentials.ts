import * as z from 'zod/mini';
import type { ServerStatus } from '../../core/model.ts';

/** The part of the contract about tokens and secrets. On the socket only: a page is told nothing of it. */

// — clients that come in by HTTP (`mcpd token`) —

export const TokenRequest = z.object({ name: z.string() });
export type TokenRequest = z.infer<typeof TokenRequest>;
export interface TokenInfo {
  /** Of the client. */
  name: string;
  addedAt: number;
}
export interface NewToken extends TokenInfo {
  /** Told this once; mcpd keeps a digest only. */
  token: string;
  /** Where that client finds mcpd; null while another program has the port. */
  url: string | null;
}

// — secrets (`mcpd secret`): names only, values never leave —

export const SecretRequest = z.object({ name: z.string(), value: z.string() });
export type SecretRequest = z.infer<typeof SecretRequest>;
export interface SecretInfo {
  server: string;
  name: string;
  /** `missing`: the server needs it, and it has no value. `orphaned`: there is no such server. */
  state: 'used' | 'missing' | 'unused' | 'orphaned';
}
export interface SecretChange {
  /** After the restart, if there was one. */
  server: ServerStatus;
  restarted: boolean;
}

/** A secret that is kept, and that a server would get, or gets now, where it did not before. */
export interface SecretUse {
  server: string;
  secret: string;
  /** `header: Authorization=Bearer ${secret:KEY}` */
  place: string;
  /** The command line or the address. */
  to: string;
  /** In a place where its value can make the server run other code than its own. */
  steers: boolean;
}
