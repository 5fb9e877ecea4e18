import { LIMITS_WHEN_NULL } from '../../../../src/api/contract/default-limits.ts';
import type { ServerPatch } from '../../../../src/api/contract.ts';
import type { ServerLimits } from '../../../../src/core/model.ts';

/** Limits as a person writes them, in the units of `mcpd set`: `30s`, `10m`, `512MB`. Empty is the default. Pure. */
export interface LimitTexts {
  callTimeout: string;
  startTimeout: string;
  idle: string;
  memory: string;
  line: string;
}

/** The patch of what was changed; or, for each field that cannot be read, what is wrong with it. */
export type LimitsRead =
  | { limits: NonNullable<ServerPatch['limits']> }
  | { errors: Partial<Record<keyof LimitTexts, string>> };

export function textsOf(limits: ServerLimits): LimitTexts {
  return {
    callTimeout: durationOf(limits.callTimeoutMs),
    startTimeout: durationOf(limits.startTimeoutMs),
    idle: durationOf(limits.idleStopMs),
    memory: sizeOf(limits.memorySoftBytes),
    line: sizeOf(limits.lineBytesMax),
  };
}

/** What empty fields stand for. */
export function defaultTexts(): LimitTexts {
  return textsOf(LIMITS_WHEN_NULL);
}

export function limitsOf(texts: LimitTexts, before: ServerLimits): LimitsRead {
  const errors: Partial<Record<keyof LimitTexts, string>> = {};
  const limits: NonNullable<ServerPatch['limits']> = {};
  const was = textsOf(before);
  for (const name of Object.keys(texts) as (keyof LimitTexts)[]) {
    const text = texts[name].trim();
    if (text === was[name]) continue;
    const { key, kind } = FIELDS[name];
    const value = text === '' ? null : read(text, kind);
    if (value === undefined) errors[name] = WRONG[kind];
    else limits[key] = value;
  }
  if (limits.memorySoftBytes !== undefined) {
    const soft = limits.memorySoftBytes;
    limits.memoryHardBytes = soft === null ? null : soft * HARD_PER_SOFT;
  }
  return Object.keys(errors).length > 0 ? { errors } : { limits };
}

// — internal —

type Kind = 'duration' | 'size';

const FIELDS: Record<keyof LimitTexts, { key: keyof ServerLimits; kind: Kind }> = {
  callTimeout: { key: 'callTimeoutMs', kind: 'duration' },
  startTimeout: { key: 'startTimeoutMs', kind: 'duration' },
  idle: { key: 'idleStopMs', kind: 'duration' },
  memory: { key: 'memorySoftBytes', kind: 'size' },
  line: { key: 'lineBytesMax', kind: 'size' },
};
const WRONG: Record<Kind, string> = {
  duration: 'A number with its unit, at most 365d: 500ms, 30s, 10m, 2h',
  size: 'A number with its unit, at most 1024GB: 512KB, 64MB, 1GB',
};
/** As `mcpd set --memory` has it: ended for good at twice of where it is renewed. */
const HARD_PER_SOFT = 2;

const UNITS: Record<Kind, readonly [unit: string, size: number][]> = {
  duration: [
    ['d', 86_400_000],
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1000],
    ['ms', 1],
  ],
  size: [
    ['GB', 1024 ** 3],
    ['MB', 1024 ** 2],
    ['KB', 1024],
    ['B', 1],
  ],
};
const PATTERN: Record<Kind, RegExp> = {
  duration: /^(\d{1,9}(?:\.\d{1,3})?) ?(ms|s|m|h|d)$/,
  size: /^(\d{1,9}(?:\.\d{1,3})?) ?([kmg]?b)$/i,
};
const MAX: Record<Kind, number> = { duration: 365 * 86_400_000, size: 1024 ** 4 };

function read(text: string, kind: Kind): number | undefined {
  const [, number = '', unit = ''] = PATTERN[kind].exec(text) ?? [];
  const size = UNITS[kind].find(([name]) => name.toLowerCase() === unit.toLowerCase())?.[1] ?? 0;
  const value = Math.round(Number(number) * size);
  return value >= 1 && value <= MAX[kind] ? value : undefined;
}

function durationOf(ms: number | null): string {
  return written(ms, 'duration');
}

function sizeOf(bytes: number | null): string {
  return written(bytes, 'size');
}

/** In the largest unit that keeps it whole, so that what is read back is the same. */
function written(value: number | null, kind: Kind): string {
  if (value === null) return '';
  const [unit, size] = UNITS[kind].find(([, one]) => value % one === 0) ?? ['', 1];
  return `${value / size}${unit}`;
}
