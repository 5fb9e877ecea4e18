import type { SetName } from './suite.ts';
import type { Door, Kind } from './targets.ts';

/** A scenario that the fixture passes by itself and does not pass behind mcpd, and why that is right. Nothing else may differ. */
export interface Difference {
  scenario: string;
  doors?: readonly Door[];
  kinds?: readonly Kind[];
  sets?: readonly SetName[];
  because: string;
}

export const DIFFERENCES: readonly Difference[] = [
  {
    scenario: 'json-schema-2020-12',
    sets: ['0.2 2025-11-25', '0.2 2026-07-28'],
    doors: ['/mcp'],
    because: 'it looks for a tool by its own name in a list, and `/mcp` shows the names of all servers with a prefix',
  },
];

/** Client scenarios that mcpd does not pass towards its servers, and why. */
export const CLIENT_DIFFERENCES: readonly Difference[] = [];

/** The names of the scenarios that differ there. */
export function differing(all: readonly Difference[], set: SetName, door?: Door, kind?: Kind): string[] {
  const covers = <T>(listed: readonly T[] | undefined, one: T | undefined) =>
    listed === undefined || one === undefined || listed.includes(one);
  return all
    .filter(({ doors, kinds, sets }) => covers(doors, door) && covers(kinds, kind) && covers(sets, set))
    .map(({ scenario }) => scenario);
}
