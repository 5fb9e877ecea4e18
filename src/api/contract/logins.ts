import * as z from 'zod/mini';
import type { ServerStatus } from '../../core/model.ts';
import type { ErrorReport } from '../../errors.ts';

/** The part of the control interface about logins at remote servers. As contract.ts: times are milliseconds since 1970. */

/** `mcpd auth NAME`. */
export const LoginRequest = z.object({
  /** As which client mcpd is known there, where a person has registered it; or the https address of its metadata document. */
  clientId: z.optional(z.string().check(z.minLength(1), z.maxLength(2048))),
  clientSecret: z.optional(z.string().check(z.minLength(1), z.maxLength(4096))),
  /** Scopes to ask for besides those of the last login, with a space between two. */
  scope: z.optional(
    z.string().check(z.maxLength(1000), z.regex(/^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/)),
  ),
});
export type LoginRequest = z.infer<typeof LoginRequest>;

/**
 * A page begins a login. It names nothing: where the server is, as whom mcpd is known at the authorization server, and what is asked for
 * there are not for a page to say.
 */
export const PageLoginRequest = z.strictObject({});
export type PageLoginRequest = z.infer<typeof PageLoginRequest>;

/** What may be shown of a login: never its tokens. */
export interface LoginInfo {
  /** The authorization server. */
  issuer: string;
  /** What its tokens are for: the server's address or a parent of it. */
  resource: string;
  scopes: string[];
  /** Of the present token; null when the issuer does not say. */
  expiresAt: number | null;
  /** Renewed without a person when it ends. */
  renews: boolean;
}

/** What became of the tokens of a login that was forgotten, at the authorization server itself (RFC 7009). */
export type Revocation =
  | { state: 'revoked' }
  /** It does not say how tokens are revoked: they stay good until they end by themselves. */
  | { state: 'not-offered' }
  /** It did not do it in time, or refused: as above. */
  | { state: 'failed'; error: ErrorReport };

/** `mcpd auth NAME --forget`. */
export interface ForgottenLogin {
  server: string;
  /** There was a login. */
  forgotten: boolean;
  /** Null where there was none. */
  revocation: Revocation | null;
  /** The authorization server; null where there was no login. */
  issuer: string | null;
}

/** Where a person logs in; nobody but him opens it. */
export interface LoginLink {
  /** https, or http on this machine for a server that is on it too. */
  url: string;
  expiresInMs: number;
  /** It belongs to a login that waited already, in a terminal or on a page: there is one per server, and all who wait get its end. */
  joined: boolean;
}

/** Streamed as lines of JSON while a login goes on; the last line is `done` or `failed`. */
export type LoginEvent =
  | ({ type: 'link' } & LoginLink)
  | { type: 'done'; login: LoginInfo; server: ServerStatus }
  | { type: 'failed'; error: ErrorReport };
