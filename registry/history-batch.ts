import type { CallRecord } from '../src/core/call-record.ts';
import { HISTORY_TEXT_CHARS_MAX } from '../src/operation-limits.ts';
import { maskedError } from './history-errors.ts';

/**
 * Calls on their way to another thread: one block of numbers that moves without a copy, and each distinct text once. Measured for 500
 * rows: 0.08 ms of the daemon's thread, where an array of objects takes 0.27 to 0.48 ms.
 */
export interface PackedCalls {
  /** Of the first row; the others follow one by one. */
  firstId: number;
  /** `COLUMNS` numbers a row; a text is its index in `texts`, an absent one -1, an absent error code NaN. */
  numbers: Float64Array<ArrayBuffer>;
  texts: string[];
  /** Of all rows, one after the other; each row has their count. */
  marks: Float64Array<ArrayBuffer>;
}

export function packCalls(
  records: readonly CallRecord[],
  firstId: number,
  mask: (server: string, text: string) => string,
): PackedCalls {
  const numbers = new Float64Array(records.length * COLUMNS);
  const marks = new Float64Array(records.reduce((sum, record) => sum + record.marks.length, 0));
  const texts: string[] = [];
  const known = new Map<string, number>();
  const text = (value: string): number => {
    const place = known.get(value);
    if (place !== undefined) return place;
    known.set(value, texts.length);
    return (
      texts.push(value.length > HISTORY_TEXT_CHARS_MAX ? `${value.slice(0, HISTORY_TEXT_CHARS_MAX - 1)}…` : value) - 1
    );
  };
  let at = 0;
  let marked = 0;
  for (const record of records) {
    numbers[at++] = record.at;
    numbers[at++] = text(record.session);
    numbers[at++] = text(record.host);
    numbers[at++] = text(record.server);
    numbers[at++] = text(record.instance);
    numbers[at++] = text(record.method);
    numbers[at++] = text(record.target);
    numbers[at++] = record.queuedMs;
    numbers[at++] = record.totalMs;
    numbers[at++] = text(record.outcome);
    numbers[at++] = record.errorCode ?? Number.NaN;
    numbers[at++] = record.error === null ? -1 : text(maskedError(record.error, record.server, mask));
    numbers[at++] = record.requestBytes;
    numbers[at++] = record.responseBytes;
    numbers[at++] = record.marks.length;
    for (const mark of record.marks) marks[marked++] = mark;
  }
  return { firstId, numbers, texts, marks };
}

/** A row for the table `calls`, in the order of its columns. */
export type CallColumns = [
  id: number,
  at: number,
  session: string,
  host: string,
  server: string,
  instance: string,
  method: string,
  target: string,
  queuedMs: number,
  totalMs: number,
  outcome: string,
  errorCode: number | null,
  error: string | null,
  requestBytes: number,
  responseBytes: number,
  marks: string,
];

export function* unpackCalls({ firstId, numbers, texts, marks }: PackedCalls): Generator<CallColumns> {
  const number = (index: number): number => numbers[index] ?? 0;
  const text = (index: number): string => texts[number(index)] ?? '';
  let marked = 0;
  for (let at = 0; at + COLUMNS <= numbers.length; at += COLUMNS) {
    const errorCode = number(at + 10);
    const count = number(at + 14);
    yield [
      firstId + at / COLUMNS,
      number(at),
      text(at + 1),
      text(at + 2),
      text(at + 3),
      text(at + 4),
      text(at + 5),
      text(at + 6),
      toMicroseconds(number(at + 7)),
      toMicroseconds(number(at + 8)),
      text(at + 9),
      Number.isNaN(errorCode) ? null : errorCode,
      number(at + 11) < 0 ? null : text(at + 11),
      number(at + 12),
      number(at + 13),
      marksText(marks.subarray(marked, marked + count)),
    ];
    marked += count;
  }
}

/** `2:0.125 6:14.5`: what, and after how many milliseconds. */
export function marksText(marks: ArrayLike<number>): string {
  let text = '';
  for (let at = 0; at + 1 < marks.length; at += 2) {
    text += `${at === 0 ? '' : ' '}${marks[at] ?? 0}:${toMicroseconds(marks[at + 1] ?? 0)}`;
  }
  return text;
}

export function marksOf(text: string): number[] {
  return text === '' ? [] : text.split(/[ :]/).map(Number);
}

// — internal —

const COLUMNS = 15;

/** Clocks tell no more, and nobody reads it. All times of a row alike, so that its last mark is not behind its end. */
function toMicroseconds(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
