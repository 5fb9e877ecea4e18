import { showable } from '../../src/text.ts';

/**
 * Values in what the daemon answers are safe to show already; names of members are not, as a program must find them by their bytes. Those,
 * and what did not come from the daemon, go through `shown`.
 */
export function shown(text: string): string {
  return showable(text, 'lines');
}

/** A link that a server gave, if it may be followed: http and https only. `host` is to be shown before the link is opened. */
export function safeLink(text: string): { href: string; host: string } | null {
  let url: URL;
  try {
    url = new URL(text);
  } catch {
    return null; // No address, so no link.
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return null;
  // `https://bank.example@evil.example/` looks like the bank: its name would be shown, and the other one opened.
  if (url.username !== '' || url.password !== '') return null;
  return { href: url.href, host: url.host };
}

export function counted(count: number, noun: string): string {
  return `${numberText(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** With thin spaces between thousands, as is read everywhere: `12 345`. */
export function numberText(value: number): string {
  return String(Math.round(value)).replace(/\B(?=(\d{3})+$)/g, '\u202f');
}

const BYTE_UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** `812 B`, `1.5 kB`, `48 MB`: powers of 1024, as memory limits are meant. */
export function bytesText(bytes: number): string {
  let value = Math.max(0, bytes);
  let unit = 0;
  while (value >= 1023.5 && unit < BYTE_UNITS.length - 1) {
    value /= 1024;
    unit++;
  }
  return `${unit > 0 && value < 9.95 ? value.toFixed(1) : Math.round(value)} ${BYTE_UNITS[unit]}`;
}

/** `0.4 ms`, `12 ms`, `1.3 s`, `2 min`: how long a call took. */
export function latencyText(ms: number): string {
  if (ms < 9.95) return `${Number(ms.toFixed(1))} ms`;
  if (ms < 999.5) return `${Math.round(ms)} ms`;
  if (ms < 59_950) return `${Number((ms / 1000).toFixed(1))} s`;
  return `${Math.round(ms / 60_000)} min`;
}

/** A moment by the reader's clock: `14:03:07`, or with its day when it was another one. */
export function timeText(at: number, now: number): string {
  const date = new Date(at);
  const clock = [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':');
  if (date.toDateString() === new Date(now).toDateString()) return clock;
  return `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())} ${clock}`;
}

// — internal —

function twoDigits(value: number): string {
  return String(value).padStart(2, '0');
}
