import type { ServerFigures } from '../../../src/api/contract/figures.ts';
import type { DaemonStatus, LiveEvent, ServerStatus, SessionStatus } from '../../../src/api/contract.ts';

/** What the page knows of the daemon. Pure: events in, view out. */
export interface View {
  /** Null before the first snapshot. */
  status: DaemonStatus | null;
  /** By name, in the daemon's order. */
  servers: ReadonlyMap<string, ServerStatus>;
  sessions: readonly SessionStatus[];
  /** By name; a server has none until the daemon has looked. */
  figures: ReadonlyMap<string, ServerFigures>;
}

export const NOTHING: View = { status: null, servers: new Map(), sessions: [], figures: new Map() };

export function afterEvent(view: View, event: LiveEvent): View {
  switch (event.type) {
    case 'snapshot':
      return {
        status: event.status,
        servers: new Map(event.servers.map((server) => [server.name, server])),
        sessions: event.sessions,
        // What was counted before: the new figures come soon after, and no line should vanish for a second.
        figures: view.figures,
      };
    case 'server':
      return { ...view, servers: new Map(view.servers).set(event.server.name, event.server) };
    case 'server-removed': {
      const servers = new Map(view.servers);
      const figures = new Map(view.figures);
      servers.delete(event.name);
      figures.delete(event.name);
      return { ...view, servers, figures };
    }
    case 'sessions':
      return { ...view, sessions: event.sessions };
    case 'figures': {
      const figures = new Map(view.figures);
      for (const one of event.figures) figures.set(one.name, one);
      return { ...view, figures };
    }
    // Whoever shows calls keeps them, as far as he shows them.
    case 'calls':
      return view;
    case 'stopping':
      return view.status === null ? view : { ...view, status: { ...view.status, state: 'stopping' } };
  }
}
