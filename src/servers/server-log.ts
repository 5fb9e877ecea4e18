import { rm } from 'node:fs/promises';
import {
  LOG_LINE_BYTES_MAX,
  LOG_MEMORY_BYTES_MAX,
  LOG_MEMORY_LINES,
  LOG_SETTLE_MS,
  NOISE_SAMPLE_BYTES,
  STDERR_TAIL_LINES,
} from '../limits.ts';
import type { NoiseReason } from '../protocol/frame.ts';
import { LogFile, logFiles } from './log-file.ts';
import { type CutLine, LineCutter, LineRing, type LogLine, RepeatFolder, withCutMark } from './log-lines.ts';
import { type LogSelection, readLog } from './log-reader.ts';
import { type Mask, maskOf } from './masking.ts';
import { levelOf } from './stderr-level.ts';

/** What one process prints on stderr: drained always, whatever becomes of the lines. */
export interface StderrInput {
  push(chunk: Buffer): void;
  /** Takes a last line without newline. */
  end(): void;
  /** The last STDERR_TAIL_LINES of this process, oldest first, masked. */
  tail(): string[];
}

/** The log of one server: what its processes print beside the protocol, and what mcpd does with them. */
export class ServerLog {
  readonly path: string;
  readonly #file: LogFile;
  readonly #ring = new LineRing(LOG_MEMORY_LINES, LOG_MEMORY_BYTES_MAX);
  readonly #folder = new RepeatFolder();
  readonly #listeners = new Set<(line: LogLine) => void>();
  readonly #cutters = new Set<LineCutter>();
  #timer: NodeJS.Timeout | null = null;
  #mask: Mask = maskOf([]);

  constructor(path: string) {
    this.path = path;
    this.#file = new LogFile(path);
  }

  /** Secrets that must not appear, from now on. */
  maskWith(mask: Mask): void {
    this.#mask = mask;
  }

  masked(text: string): string {
    return this.#mask(text);
  }

  lifecycle(level: LogLine['level'], text: string): void {
    this.#add('lifecycle', level, this.#mask(text));
  }

  /** A line on stdout that is no message. */
  noise(noise: { reason: NoiseReason; bytes: number; sample: Uint8Array }): void {
    const kept = Math.min(noise.sample.length, NOISE_SAMPLE_BYTES);
    const text = withCutMark(this.#mask(Buffer.from(noise.sample.subarray(0, kept)).toString()), noise.bytes - kept);
    this.#add('stdout', 'warn', noise.reason === 'not-json' ? text : `[${noise.reason}] ${text}`);
  }

  stderr(): StderrInput {
    const tail = new LineRing(STDERR_TAIL_LINES, LOG_MEMORY_BYTES_MAX);
    const cutter = new LineCutter(LOG_LINE_BYTES_MAX, ({ text, cutBytes }: CutLine) => {
      const masked = this.#mask(text);
      tail.push(this.#add('stderr', levelOf(masked), withCutMark(masked, cutBytes)));
    });
    this.#cutters.add(cutter);
    return {
      push: (chunk) => {
        cutter.push(chunk);
        if (cutter.unfinished) this.#armTimer();
      },
      end: () => {
        cutter.settle();
        this.#cutters.delete(cutter);
      },
      tail: () => tail.last(STDERR_TAIL_LINES, null).map((line) => line.text),
    };
  }

  /** Past lines, oldest first: from the files, or from memory when those cannot be written. */
  async lines(selection: LogSelection): Promise<LogLine[]> {
    this.#settle();
    await this.#file.idle();
    if (this.#file.finding() !== null) return this.#ring.last(selection.lines, selection.since);
    return readLog(this.path, selection);
  }

  /** Calls `listener` with each line from now on; returns the way to stop. */
  follow(listener: (line: LogLine) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  finding(): string | null {
    return this.#file.finding();
  }

  /** Writes what is waiting. The log can be used on. */
  async flush(): Promise<void> {
    this.#settle();
    await this.#file.idle();
  }

  /** For a server that is gone for good. */
  async deleteFiles(): Promise<void> {
    await this.flush();
    for (const file of logFiles(this.path)) await rm(file, { force: true });
  }

  #add(source: LogLine['source'], level: LogLine['level'], text: string): LogLine {
    const line: LogLine = { at: Date.now(), source, level, text };
    for (const passed of this.#folder.push(line)) this.#write(passed);
    if (this.#folder.unfinished) this.#armTimer();
    return line;
  }

  #write(line: LogLine): void {
    this.#ring.push(line);
    this.#file.append(line);
    for (const listener of this.#listeners) listener(line);
  }

  #armTimer(): void {
    if (this.#timer !== null) return;
    this.#timer = setTimeout(() => this.#settle(), LOG_SETTLE_MS);
    this.#timer.unref();
  }

  #settle(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
    // What may be the beginning of a secret waits for the rest, or it would be told in two halves.
    for (const cutter of this.#cutters) cutter.settle((text) => this.#mask.begun(text));
    for (const line of this.#folder.settle()) this.#write(line);
  }
}
