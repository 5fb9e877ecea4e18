import type { IncomingHttpHeaders } from 'node:http';
import { join, line, splice } from '../../protocol/bytes.ts';
import type { Bytes, Frame } from '../../protocol/frame.ts';
import { jsonString, member } from '../../protocol/members.ts';
import { param } from '../../protocol/request-view.ts';
import { type OutgoingRequest, readOutgoing } from './outgoing.ts';

/**
 * What was agreed with a legacy server, and what it was told since: enough to begin anew when it has forgotten the session. Empty towards
 * a modern one.
 */
export class LegacySession {
  /** As the server gave it; null where it has none. */
  id: string | null = null;
  /** As `initialize` was answered. */
  revision: string | null = null;
  #hello: OutgoingRequest | null = null;
  /** Requests that hold until they are taken back, each by what it is about. */
  readonly #standing = new Map<string, OutgoingRequest>();
  #asked = 0;

  /** Of every request but `initialize`. */
  headers(): Record<string, string> {
    return {
      ...(this.id === null ? {} : { 'Mcp-Session-Id': this.id }),
      ...(this.revision === null ? {} : { 'MCP-Protocol-Version': this.revision }),
    };
  }

  /** `initialize` was answered by this result. */
  begin(hello: OutgoingRequest, result: Frame, headers: IncomingHttpHeaders): void {
    if (result.envelope.kind !== 'result') return;
    const bytes = join(result.bytes);
    const revision = member(bytes, result.envelope.result, 'protocolVersion');
    const id = headers['mcp-session-id'];
    this.#hello = hello;
    this.id = typeof id === 'string' && /^[\x21-\x7e]+$/.test(id) ? id : null;
    this.revision = revision === null ? null : jsonString(bytes, revision);
  }

  /** A request was answered well: what it asked for holds in this session. */
  note(out: OutgoingRequest): void {
    const { method, view } = out;
    if (method === 'logging/setLevel') this.#standing.set(method, out);
    if (method !== 'resources/subscribe' && method !== 'resources/unsubscribe') return;
    const uri = param(view, 'uri');
    const key = `resource ${uri === null ? '' : jsonString(view.bytes, uri)}`;
    if (method === 'resources/subscribe') this.#standing.set(key, out);
    else this.#standing.delete(key);
  }

  /** What a new session is begun with, under ids that the core never uses; null when there was none. */
  renewal(): { hello: OutgoingRequest; ready: Bytes; standing: OutgoingRequest[] } | null {
    if (this.#hello === null) return null;
    const ready = line('{"jsonrpc":"2.0","method":"notifications/initialized"}');
    return {
      hello: this.#anew(this.#hello),
      ready,
      standing: [...this.#standing.values()].map((out) => this.#anew(out)),
    };
  }

  /** An id for a request of the connection's own. */
  ownId(): string {
    return `"mcpd-${++this.#asked}"`;
  }

  #anew(out: OutgoingRequest): OutgoingRequest {
    const { start, end } = out.view.request.idSpan;
    const copy = readOutgoing(splice(out.bytes, out.length, [{ start, end, with: this.ownId() }], out.length + 64));
    return copy.kind === 'request' ? copy : out;
  }
}
