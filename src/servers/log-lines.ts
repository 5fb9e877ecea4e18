/** From the bytes a server prints to the lines of its log. Pure. */

/** One line of a server's log; the API shows it in the same shape. */
export interface LogLine {
  /** Milliseconds since 1970. */
  at: number;
  source: 'stderr' | 'stdout' | 'lifecycle';
  level: 'info' | 'warn' | 'error';
  text: string;
}

export interface CutLine {
  /** At most the cutter's maximum in bytes, whole characters. */
  text: string;
  /** Bytes of the line that were left out. */
  cutBytes: number;
}

/** Splits chunks into lines and keeps no more than the beginning of each: an endless line costs what a long one costs. */
export class LineCutter {
  readonly #bytesMax: number;
  readonly #onLine: (line: CutLine) => void;
  /** Beginning of the line that has no newline yet. */
  #kept: Buffer[] = [];
  #keptBytes = 0;
  #bytes = 0;

  constructor(bytesMax: number, onLine: (line: CutLine) => void) {
    this.#bytesMax = bytesMax;
    this.#onLine = onLine;
  }

  push(chunk: Buffer): void {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      this.#take(chunk.subarray(from, end), 'lend');
      this.#finish();
      from = end + 1;
    }
    if (from < chunk.length) this.#take(chunk.subarray(from), 'copy');
  }

  /** Bytes without a newline are waiting. */
  get unfinished(): boolean {
    return this.#bytes > 0;
  }

  /** Takes what is waiting as a line, but for as many characters at its end as `held` says of it: these are the beginning of the next one. */
  settle(held: (text: string) => number = () => 0): void {
    if (this.#bytes === 0) return;
    const text = Buffer.concat(this.#kept).toString();
    const count = this.#bytes === this.#keptBytes ? held(text) : 0;
    if (count === 0) return this.#finish();
    const rest = Buffer.from(text.slice(-count));
    if (count < text.length) {
      this.#kept = [Buffer.from(text.slice(0, -count))];
      this.#bytes = this.#keptBytes = this.#kept[0]?.length ?? 0;
      this.#finish();
    }
    this.#kept = [rest];
    this.#bytes = this.#keptBytes = rest.length;
  }

  /** What stays beyond this chunk is copied, or a few bytes would hold the whole chunk. */
  #take(piece: Buffer, memory: 'lend' | 'copy'): void {
    this.#bytes += piece.length;
    const room = this.#bytesMax - this.#keptBytes;
    if (room <= 0) return;
    const kept = piece.subarray(0, room);
    this.#kept.push(memory === 'copy' ? Buffer.from(kept) : kept);
    this.#keptBytes += kept.length;
  }

  #finish(): void {
    const [first] = this.#kept;
    const head = first !== undefined && this.#kept.length === 1 ? first : Buffer.concat(this.#kept);
    const whole = this.#bytes === this.#keptBytes;
    const text = head.toString('utf8', 0, whole ? head.length : wholeCharacters(head));
    this.#onLine({ text: text.endsWith('\r') ? text.slice(0, -1) : text, cutBytes: this.#bytes - this.#keptBytes });
    this.#kept = [];
    this.#keptBytes = 0;
    this.#bytes = 0;
  }
}

export function withCutMark(text: string, cutBytes: number): string {
  return cutBytes === 0 ? text : `${text} … [cut, ${cutBytes} more bytes]`;
}

/** Lets the first of several equal lines pass and counts the others. */
export class RepeatFolder {
  #last: LogLine | null = null;
  #repeats = 0;

  /** The lines to write now: the count of what was folded before, and this line unless it is folded itself. */
  push(line: LogLine): LogLine[] {
    const last = this.#last;
    if (last !== null && last.text === line.text && last.source === line.source && last.level === line.level) {
      this.#repeats++;
      last.at = line.at;
      return [];
    }
    const lines = [...this.settle(), line];
    this.#last = { ...line };
    return lines;
  }

  get unfinished(): boolean {
    return this.#repeats > 0;
  }

  /** The count of what was folded. Equal lines that follow are folded again. */
  settle(): LogLine[] {
    if (this.#last === null || this.#repeats === 0) return [];
    const { at, source, level } = this.#last;
    const text = `… [the line above ${this.#repeats === 1 ? 'once' : `${this.#repeats} times`} more]`;
    this.#repeats = 0;
    return [{ at, source, level, text }];
  }
}

/** A bounded memory of the last lines. */
export class LineRing {
  readonly #linesMax: number;
  readonly #bytesMax: number;
  #lines: LogLine[] = [];
  #bytes = 0;

  constructor(linesMax: number, bytesMax: number) {
    this.#linesMax = linesMax;
    this.#bytesMax = bytesMax;
  }

  push(line: LogLine): void {
    this.#lines.push(line);
    this.#bytes += line.text.length;
    while (this.#lines.length > this.#linesMax || (this.#bytes > this.#bytesMax && this.#lines.length > 1)) {
      this.#bytes -= this.#lines.shift()?.text.length ?? 0;
    }
  }

  /** Oldest first. */
  last(count: number, since: number | null): LogLine[] {
    if (count <= 0) return [];
    return this.#lines.filter((line) => since === null || line.at >= since).slice(-count);
  }
}

// — internal —

const NEWLINE = 0x0a;

/** Length of `bytes` without a character that was cut in its middle. */
function wholeCharacters(bytes: Buffer): number {
  let start = bytes.length;
  for (let back = 1; back <= 4 && back <= bytes.length; back++) {
    const byte = bytes[bytes.length - back] ?? 0;
    if ((byte & 0xc0) === 0x80) continue;
    const width = byte < 0x80 ? 1 : byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
    if (back < width) start = bytes.length - back;
    break;
  }
  return start;
}
