import type { DaemonStatus, LiveEvent, ServerStatus, SessionStatus } from '../../src/api/contract.ts';

/** What the page knows of the daemon. Pure: events in, view out. */
export interface View {
  /** Null before the first snapshot. */
  status: DaemonStatus | null;
  /** By name, in the daemon's order. */
  servers: ReadonlyMap<string, ServerStatus>;
  sessions: readonly SessionStatus[];
}

export const NOTHING: View = { status: null, servers: new Map(), sessions: [] };

export function afterEvent(view: View, event: LiveEvent): View {
  switch (event.type) {
    case 'snapshot':
      return {
        status: event.status,
        servers: new Map(event.servers.map((server) => [server.name, server])),
        sessions: event.sessions,
      };
    case 'server':
      return { ...view, servers: new Map(view.servers).set(event.server.name, event.server) };
    case 'server-removed': {
      const servers = new Map(view.servers);
      servers.delete(event.name);
      return { ...view, servers };
    }
    case 'sessions':
      return { ...view, sessions: event.sessions };
    case 'figures':
    case 'calls':
      return view;
    case 'stopping':
      return view.status === null ? view : { ...view, status: { ...view.status, state: 'stopping' } };
  }
}
