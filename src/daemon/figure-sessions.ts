import type { SessionId } from '../core/model.ts';
import type { Core, HostSession } from '../core/state.ts';
import { SESSION_USES_MS } from '../figures-limits.ts';

type Sessions = Pick<Core, 'sessions'>;

/** Which sessions use which servers. What is known of a session goes with it. `at` is milliseconds since 1970. */
export class SessionUses {
  /** When its last call of each server ended. */
  readonly #called = new WeakMap<HostSession, Map<string, number>>();

  called({ sessions }: Sessions, id: SessionId, server: string, at: number): void {
    const session = sessions.get(id);
    if (session === undefined || !isShown(session)) return;
    const servers = this.#called.get(session) ?? new Map<string, number>();
    this.#called.set(session, servers);
    servers.set(server, at);
  }

  /** Ids by server, in the order in which the sessions came. */
  byServer({ sessions }: Sessions, at: number): Map<string, string[]> {
    const found = new Map<string, string[]>();
    for (const session of sessions.values()) {
      if (!isShown(session)) continue;
      for (const server of this.#usedBy(session, at)) {
        const ids = found.get(server);
        if (ids === undefined) found.set(server, [session.id]);
        else ids.push(session.id);
      }
    }
    return found;
  }

  #usedBy(session: HostSession, at: number): Set<string> {
    const used = new Set<string>();
    for (const call of session.open.values()) used.add(call.server);
    for (const key of session.subscriptions.keys()) used.add(serverIn(key));
    for (const { uris } of session.listens.values()) for (const key of uris.keys()) used.add(serverIn(key));
    for (const [server, calledAt] of this.#called.get(session) ?? []) {
      if (at - calledAt <= SESSION_USES_MS) used.add(server);
      else this.#called.get(session)?.delete(server);
    }
    return used;
  }
}

// — internal —

/** A single request by HTTP is no session to people. */
function isShown({ door }: HostSession): boolean {
  return door.lasts === 'connection';
}

/** Of `watchKey`: server names have no line breaks. */
function serverIn(key: string): string {
  return key.slice(0, key.indexOf('\n'));
}
