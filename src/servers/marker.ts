import { createHash } from 'node:crypto';
import type { InstanceKey } from '../core/model.ts';

/**
 * What every process started by a daemon carries in its environment, and hands to its children: the home, the daemon's nonce, the
 * instance and its generation. It finds what left its group, and what an earlier daemon left behind; a reused pid does not have it.
 */
export const MARKER_VARIABLE = 'MCPD_INSTANCE';

export interface MarkerParts {
  home: string;
  nonce: string;
}

/** Short name of a home for markers: the path itself would tell servers where the home is. */
function homeMark(home: string): string {
  return createHash('sha256').update(home).digest('hex').slice(0, 12);
}

export function markerOf(owner: MarkerParts, instance: InstanceKey, generation: number): string {
  return `${homeMark(owner.home)}:${owner.nonce}:${instance}:${generation}`;
}

/** Whether a marker was given by another daemon (an earlier one, as there is one at a time) of the same home. */
export function isOfEarlierDaemon(marker: string, now: MarkerParts): boolean {
  const [home, nonce] = marker.split(':');
  return home === homeMark(now.home) && nonce !== undefined && nonce !== now.nonce;
}
