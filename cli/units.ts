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

/** `850 ms`, `3.2 s`, `4 min 5 s`, `2 h 3 min`, `5 d 2 h`: two units at most. */
export function shownDuration(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`;
  if (ms < 60_000) return `${(Math.floor(ms / 100) / 10).toFixed(1)} s`;
  const [minutes, seconds] = split(ms / 1000, 60);
  if (minutes < 60) return joined(minutes, 'min', seconds, 's');
  const [hours, restMinutes] = split(minutes, 60);
  if (hours < 24) return joined(hours, 'h', restMinutes, 'min');
  const [days, restHours] = split(hours, 24);
  return joined(days, 'd', restHours, 'h');
}

/** `1 tool`, `2 tools`. */
export function amount(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`;
}

/** `512 B`, `2.0 KiB`, `38 MiB`, `1.4 GiB`. */
export function shownBytes(bytes: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${unit === 0 || value >= 10 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** `2026-11-30 20:08:12.345` in the local time zone. */
export function shownTime(at: number): string {
  const date = new Date(at);
  const two = (n: number) => String(n).padStart(2, '0');
  const day = `${date.getFullYear()}-${two(date.getMonth() + 1)}-${two(date.getDate())}`;
  const millis = String(date.getMilliseconds()).padStart(3, '0');
  return `${day} ${two(date.getHours())}:${two(date.getMinutes())}:${two(date.getSeconds())}.${millis}`;
}

// — internal —

function split(value: number, by: number): [whole: number, rest: number] {
  return [Math.floor(value / by), Math.floor(value) % by];
}

function joined(whole: number, unit: string, rest: number, restUnit: string): string {
  return rest === 0 ? `${whole} ${unit}` : `${whole} ${unit} ${rest} ${restUnit}`;
}
