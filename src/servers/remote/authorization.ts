import type { ServerName } from '../../core/model.ts';

/**
 * Who lets mcpd in at remote servers: what the requests to one of them carry, and what follows when it refuses them. Asked for each
 * request, so that a login or a renewed token counts from the next request on. `url` is the server's own, as it is installed: what
 * was issued for one server is never given to another.
 */
export interface RemoteAuth {
  /**
   * Value of the `Authorization` header; null when this server has none. A header that a person gave by hand goes first.
   * @throws {McpdError} SECRETS_DAMAGED: the request cannot be sent, and fails with it
   */
  header(server: ServerName, url: string): Promise<string | null>;
  /**
   * The server answered 401 or 403.
   * @throws {McpdError} no login would change it (a plain 403, an authorization server that is down): this request alone fails with it
   */
  challenged(server: ServerName, challenge: AuthChallenge): Promise<Verdict>;
}

/**
 * What follows a refusal. `retry`: the same request is worth sending once more. `locked`: a person must log in before anything goes
 * through, and this is why. `scope`: this request alone needs a login with more rights; null when the server does not say which.
 */
type Verdict = 'retry' | { locked: string } | { scope: string | null };

interface AuthChallenge {
  status: 401 | 403;
  /** The header as it came; null when there was none. */
  wwwAuthenticate: string | null;
  /** Of the server, as it is installed. */
  url: string;
  /** What `header` gave for the refused request: ten requests refused with the same old token are one renewal. */
  sent: string | null;
}
