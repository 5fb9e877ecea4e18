import type { ServerFigures } from '../../../../src/api/contract/figures.ts';
import type { ServerStatus } from '../../../../src/api/contract.ts';
import { healthText, isInTrouble, treeOf, uptimeMs } from './row.ts';

/** The columns that the list can be sorted by. */
export type SortKey =
  | 'name'
  | 'wanted'
  | 'state'
  | 'health'
  | 'uptime'
  | 'restarts'
  | 'calls'
  | 'errors'
  | 'memory'
  | 'cpu'
  | 'sessions';

export interface Order {
  by: SortKey;
  descending: boolean;
}

/** In the order of the table. */
export const COLUMNS: readonly { key: SortKey; label: string; isNumber: boolean }[] = [
  { key: 'name', label: 'Server', isNumber: false },
  { key: 'wanted', label: 'Wanted', isNumber: false },
  { key: 'state', label: 'State', isNumber: false },
  { key: 'health', label: 'Health', isNumber: false },
  { key: 'uptime', label: 'Uptime', isNumber: true },
  { key: 'restarts', label: 'Restarts', isNumber: true },
  { key: 'calls', label: 'Calls', isNumber: true },
  { key: 'errors', label: 'Errors', isNumber: true },
  { key: 'memory', label: 'Memory', isNumber: true },
  { key: 'cpu', label: 'CPU', isNumber: true },
  { key: 'sessions', label: 'Used by', isNumber: false },
];

export const SHOWN_STATES = ['all', 'running', 'trouble', 'stopped', 'disabled'] as const;
/** Which servers are shown. */
export type Shown = (typeof SHOWN_STATES)[number];

/** The servers whose name or description has all words, and that are as `shown` says. Pure. */
export function filtered(servers: readonly ServerStatus[], words: string, shown: Shown): ServerStatus[] {
  const wanted = words.toLowerCase().split(/\s+/);
  return servers.filter((server) => {
    const text = `${server.name} ${server.description}`.toLowerCase();
    return isShown(server, shown) && wanted.every((word) => text.includes(word));
  });
}

/** In order; equal ones by their names. What is not known comes last either way. */
export function sorted(
  servers: readonly ServerStatus[],
  figures: ReadonlyMap<string, ServerFigures>,
  { by, descending }: Order,
): ServerStatus[] {
  const rows = servers.map((server) => ({ server, value: figureOf(server, figures.get(server.name), by) }));
  rows.sort((a, b) => {
    const order = compared(a.value, b.value, descending);
    return order === 0 ? compared(a.server.name, b.server.name, false) : order;
  });
  return rows.map(({ server }) => server);
}

/** What a click on a column's head makes of the order: large numbers and trouble come first, names by the alphabet. */
export function orderAfterClick(order: Order, by: SortKey): Order {
  if (order.by === by) return { by, descending: !order.descending };
  return { by, descending: !['name', 'wanted', 'state', 'health'].includes(by) };
}

// — internal —

type Value = number | string | null;

/** In trouble first, then what is under way, what runs, and what rests. */
const STATES: Record<ServerStatus['state'], number> = {
  failed: 0,
  backoff: 1,
  stopping: 2,
  starting: 3,
  running: 4,
  stopped: 5,
};
const HEALTHS: Record<ServerStatus['health'], number> = { silent: 0, degraded: 1, ok: 2, unknown: 3 };

function figureOf(server: ServerStatus, figures: ServerFigures | undefined, by: SortKey): Value {
  switch (by) {
    case 'name':
      return server.name;
    case 'wanted':
      return server.wanted;
    case 'state':
      return STATES[server.state];
    case 'health':
      return healthText(server) === null ? HEALTHS.unknown : HEALTHS[server.health];
    case 'uptime':
      return uptimeMs(server, 0);
    case 'restarts':
      return figures?.restarts ?? null;
    case 'calls':
      return (figures ?? server).calls;
    case 'errors':
      return (figures ?? server).errors;
    case 'memory':
      return treeOf(figures)?.rssBytes ?? null;
    case 'cpu':
      return treeOf(figures)?.cpuPercent ?? null;
    case 'sessions':
      return figures?.sessions.length ?? null;
  }
}

function compared(a: Value, b: Value, descending: boolean): number {
  if (a === b) return 0;
  if (a === null) return 1;
  if (b === null) return -1;
  return (a < b ? -1 : 1) * (descending ? -1 : 1);
}

function isShown(server: ServerStatus, shown: Shown): boolean {
  switch (shown) {
    case 'all':
      return true;
    case 'running':
      return server.state === 'running';
    case 'trouble':
      return isInTrouble(server);
    case 'stopped':
      return server.state === 'stopped' && server.enabled;
    case 'disabled':
      return !server.enabled;
  }
}
