import { McpdError } from '../src/errors.ts';

const MS_PER: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const BYTES_PER: Record<string, number> = { b: 1, k: 1024, m: 1024 ** 2, g: 1024 ** 3 };
/** Beyond these nobody means a limit; and every clock and counter can hold them. */
const DURATION_MAX_MS = 365 * 86_400_000;
const SIZE_MAX_BYTES = 1024 ** 4;

/**
 * Milliseconds of `500ms`, `2s`, `1.5m`, `10m`, `1h`, `7d`; from 1 ms to a year.
 * @throws McpdError USAGE naming `option`
 */
export function durationMs(text: string, option: string): number {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)(ms|s|m|h|d)$/.exec(text);
  const ms = match === null ? 0 : Math.round(Number(match[1]) * (MS_PER[match[2] ?? ''] ?? 0));
  if (ms >= 1 && ms <= DURATION_MAX_MS) return ms;
  throw new McpdError('USAGE', {
    what: `${option} ${text} is not a duration`,
    why: 'a duration is a number with its unit, not zero and at most 365d: 500ms, 30s, 10m, 2h',
    fix: /^\d+$/.test(text) && Number(text) > 0 ? `${option} ${text}s` : `${option} 30s`,
  });
}

/**
 * Bytes of `64MB`, `512k`, `1.5GiB`; units are of 1024, from one byte to 1024 GB.
 * @throws McpdError USAGE naming `option`
 */
export function sizeBytes(text: string, option: string): number {
  const match = /^(\d{1,9}(?:\.\d{1,3})?)(?:([kmg])(?:i?b)?|b)$/i.exec(text);
  const bytes = match === null ? 0 : Math.round(Number(match[1]) * (BYTES_PER[(match[2] ?? 'b').toLowerCase()] ?? 0));
  if (bytes >= 1 && bytes <= SIZE_MAX_BYTES) return bytes;
  throw new McpdError('USAGE', {
    what: `${option} ${text} is not a size`,
    why: 'a size is a number with its unit, not zero and at most 1024GB: 512KB, 64MB, 1GB',
    fix: /^\d+$/.test(text) && Number(text) > 0 ? `${option} ${text}MB` : `${option} 64MB`,
  });
}

/** @throws McpdError USAGE naming `option` */
export function countOf(text: string, option: string, max: number): number {
  if (/^[1-9]\d{0,9}$/.test(text) && Number(text) <= max) return Number(text);
  throw new McpdError('USAGE', {
    what: `${option} ${text} is not a number of lines`,
    why: `it goes from 1 to ${max}`,
    fix: `${option} 100`,
  });
}
