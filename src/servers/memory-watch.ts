import type { ServerLimits } from '../core/model.ts';
import { MEMORY_HARD_BYTES, MEMORY_SOFT_BYTES } from '../limits.ts';

/** Where a server's memory stands to its limits. */
export type MemoryLevel = 'under' | 'soft' | 'hard';

const HEIGHT: Record<MemoryLevel, number> = { under: 0, soft: 1, hard: 2 };

export function memoryLevel(bytes: number, limits: ServerLimits): MemoryLevel {
  if (bytes > hardBytes(limits)) return 'hard';
  return bytes > (limits.memorySoftBytes ?? MEMORY_SOFT_BYTES) ? 'soft' : 'under';
}

/** The limit to report when the level changes: each is told once per crossing, and again only after the memory was below it. */
export function crossedLimit(before: MemoryLevel, after: MemoryLevel): 'soft' | 'hard' | null {
  return after !== 'under' && HEIGHT[after] > HEIGHT[before] ? after : null;
}

export function memoryCause(bytes: number, limits: ServerLimits): string {
  return `memory: ${gib(bytes)}, over the hard limit of ${gib(hardBytes(limits))}`;
}

// — internal —

function hardBytes(limits: ServerLimits): number {
  return limits.memoryHardBytes ?? MEMORY_HARD_BYTES;
}

function gib(bytes: number): string {
  return bytes >= 2 ** 30 ? `${(bytes / 2 ** 30).toFixed(1)} GiB` : `${Math.round(bytes / 2 ** 20)} MiB`;
}
