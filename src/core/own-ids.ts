import type { RawId } from '../protocol/frame.ts';

/**
 * The number that mcpd gave a request, from how its answer spells it: `7`, `7.0`, and `"7"` too, because the official SDK takes these
 * for the same and servers got used to it. NaN for what mcpd never gives.
 */
export function ownIdOf(id: RawId): number {
  if (id.charCodeAt(0) !== QUOTE) return Number(id);
  return /^"[0-9]{1,15}"$/.test(id) ? Number(id.slice(1, -1)) : Number.NaN;
}

// — internal —

const QUOTE = 0x22;
