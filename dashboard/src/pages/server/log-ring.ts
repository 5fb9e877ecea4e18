import type { LogLine } from '../../../../src/api/contract.ts';

/** Lines that the page keeps of one log, and their characters: what is older is in the file, for `mcpd logs`. */
export const LOG_LINES_MAX = 20_000;
export const LOG_CHARS_MAX = 8 * 1024 * 1024;
/** As many times of it while somebody reads further up or has paused: only then do the oldest lines go from under his eyes. */
const HELD_TIMES = 2;

export const LEVELS = ['all', 'warn', 'error'] as const;
export const SOURCES = ['all', 'stderr', 'stdout', 'lifecycle', 'protocol'] as const;

export interface LogFilters {
  words: string;
  /** From this one on. */
  level: (typeof LEVELS)[number];
  source: (typeof SOURCES)[number];
  /** Whether lines of the protocol are shown at all; the daemon makes them only while they are. */
  protocol: boolean;
}

/** A line with its place in the log as this page saw it. */
export interface KeptLine extends LogLine {
  seq: number;
}

/** The last lines of a log, and which of them are asked for. What a new line costs does not depend on how many there are. Pure. */
export class LogRing {
  #filters: LogFilters;
  #kept: KeptLine[] = [];
  #matching: KeptLine[] = [];
  #chars = 0;
  #lastSeq = 0;

  constructor(filters: LogFilters) {
    this.#filters = filters;
  }

  /** Place of the newest line; 0 without one. */
  get lastSeq(): number {
    return this.#lastSeq;
  }

  get size(): number {
    return this.#kept.length;
  }

  push({ at, source, level, text }: LogLine): void {
    this.#lastSeq += 1;
    const line: KeptLine = { seq: this.#lastSeq, at, source, level, text };
    this.#kept.push(line);
    this.#chars += text.length;
    if (matches(line, this.#filters)) this.#matching.push(line);
    // Also when nobody draws: a tab in the background gets no frames.
    if (this.#kept.length > HELD_TIMES * LOG_LINES_MAX || this.#chars > HELD_TIMES * LOG_CHARS_MAX) this.#trim();
  }

  filterBy(filters: LogFilters): void {
    this.#filters = filters;
    this.#matching = this.#kept.filter((line) => matches(line, filters));
  }

  /** What is asked for, oldest first. `upTo`: nothing newer than that. `isHeld`: nothing old goes yet. */
  lines({ upTo, isHeld }: { upTo: number | null; isHeld: boolean }): readonly KeptLine[] {
    if (!isHeld) this.#trim();
    return upTo === null ? this.#matching.slice() : this.#matching.filter(({ seq }) => seq <= upTo);
  }

  /** The lines of the newest moment: a log that is read on from then begins with them again. */
  lastMoment(): LogLine[] {
    const at = this.#kept.at(-1)?.at;
    return this.#kept.slice(this.#kept.findLastIndex((line) => line.at !== at) + 1);
  }

  #trim(): void {
    let gone = Math.max(0, this.#kept.length - LOG_LINES_MAX);
    for (let at = 0; at < gone; at++) this.#chars -= this.#kept[at]?.text.length ?? 0;
    for (; this.#chars > LOG_CHARS_MAX; gone++) this.#chars -= this.#kept[gone]?.text.length ?? 0;
    if (gone === 0) return;
    this.#kept.splice(0, gone);
    const first = this.#kept[0]?.seq ?? Number.POSITIVE_INFINITY;
    const stays = this.#matching.findIndex(({ seq }) => seq >= first);
    this.#matching.splice(0, stays < 0 ? this.#matching.length : stays);
  }
}

/** Takes that line out of those that the page has already; false when it is a new one. */
export function isKnown(known: LogLine[], line: LogLine): boolean {
  const at = known.findIndex((one) => sameLine(one, line));
  if (at >= 0) known.splice(at, 1);
  return at >= 0;
}

/** A text around what was searched for: every second part is it. */
export function partsOf(text: string, words: string): string[] {
  if (words === '') return [text];
  const parts: string[] = [];
  const lower = text.toLowerCase();
  const wanted = words.toLowerCase();
  // A letter that grows when it is made small (İ) would move all places behind it.
  if (lower.length !== text.length) return [text];
  let from = 0;
  for (let at = lower.indexOf(wanted); at >= 0; at = lower.indexOf(wanted, from)) {
    parts.push(text.slice(from, at), text.slice(at, at + wanted.length));
    from = at + wanted.length;
  }
  return [...parts, text.slice(from)];
}

/** The file that is saved: one line each, as `mcpd logs` prints them. */
export function fileOf(lines: readonly LogLine[]): string {
  return lines
    .map(({ at, source, level, text }) => `${new Date(at).toISOString()} ${source} ${level} ${text}\n`)
    .join('');
}

// — internal —

function sameLine(a: LogLine, b: LogLine): boolean {
  return a.at === b.at && a.source === b.source && a.level === b.level && a.text === b.text;
}

const WEIGHT: Record<LogLine['level'], number> = { info: 0, warn: 1, error: 2 };

function matches(line: LogLine, { words, level, source, protocol }: LogFilters): boolean {
  if (!protocol && line.source === 'protocol') return false;
  if (source !== 'all' && line.source !== source) return false;
  if (level !== 'all' && WEIGHT[line.level] < WEIGHT[level]) return false;
  return words === '' || line.text.toLowerCase().includes(words.toLowerCase());
}
