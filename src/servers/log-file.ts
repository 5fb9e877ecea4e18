import { constants } from 'node:fs';
import { type FileHandle, mkdir, open, rename, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { errnoOf } from '../errors.ts';
import {
  LOG_FILE_BYTES_MAX,
  LOG_FILES_KEPT,
  LOG_GATHER_BYTES,
  LOG_GATHER_MS,
  LOG_QUEUE_BYTES_MAX,
  LOG_RETRY_MS,
} from '../limits.ts';
import type { LogLine } from './log-lines.ts';

/** The file being written and its older ones, newest first: `weather.log`, `weather.log.1` … */
export function logFiles(path: string): string[] {
  return Array.from({ length: LOG_FILES_KEPT }, (_, age) => (age === 0 ? path : `${path}.${age}`));
}

/**
 * Lines of JSON in a file of at most LOG_FILE_BYTES_MAX, and LOG_FILES_KEPT of them. Nothing here throws and nothing waits: what the
 * disk does not take in time, or at all, is dropped and counted. The file is open only while it is written, so that fifty idle servers
 * hold no descriptors.
 */
export class LogFile {
  readonly #path: string;
  #waiting: string[] = [];
  /** Bytes that wait and bytes that are being written. */
  #bytes = 0;
  #dropped = 0;
  #fault: string | null = null;
  /** After a failure: no attempt before this time, of `performance.now()`. */
  #retryAt = 0;
  #writing: Promise<void> | null = null;
  #endGathering: () => void = () => undefined;

  constructor(path: string) {
    this.#path = path;
  }

  append(line: LogLine): void {
    const blocked = this.#fault !== null && performance.now() < this.#retryAt;
    if (blocked || this.#bytes + line.text.length > LOG_QUEUE_BYTES_MAX) {
      this.#dropped++;
      return;
    }
    const text = `${JSON.stringify(line)}\n`;
    this.#waiting.push(text);
    this.#bytes += Buffer.byteLength(text);
    this.#writing ??= this.#pump();
    if (this.#bytes > LOG_GATHER_BYTES) this.#endGathering();
  }

  /** Resolves when all that was appended is on its way to the disk, or was dropped. */
  async idle(): Promise<void> {
    this.#endGathering();
    await this.#writing;
  }

  /** Why lines are being lost; null when all is well. */
  finding(): string | null {
    return this.#fault;
  }

  #gather(): Promise<void> {
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, LOG_GATHER_MS);
      this.#endGathering = () => {
        clearTimeout(timer);
        resolve();
      };
    });
  }

  async #pump(): Promise<void> {
    await this.#gather();
    while (this.#waiting.length > 0 || (this.#dropped > 0 && this.#fault === null)) {
      const lines = this.#waiting;
      const bytes = this.#bytes;
      const dropped = this.#dropped;
      this.#waiting = [];
      const loss = dropped === 0 ? '' : lossLine(dropped);
      // What a full queue refused came after what is in it; what a failure lost came before, and may have left half a line.
      const batch = this.#fault === null ? lines.join('') + loss : `\n${loss}${lines.join('')}`;
      try {
        await write(this.#path, Buffer.from(batch));
        this.#fault = null;
        this.#dropped -= dropped;
        this.#bytes -= bytes;
      } catch (error) {
        // A log is never a reason to stop a server: the finding is shown by its health, the count is written once there is room again.
        this.#fault = `its log cannot be written: ${errnoOf(error) ?? String(error)} (${this.#path})`;
        this.#retryAt = performance.now() + LOG_RETRY_MS;
        this.#dropped += lines.length + this.#waiting.length;
        this.#waiting = [];
        this.#bytes = 0;
      }
    }
    this.#writing = null;
  }
}

// — internal —

const FILE_MODE = 0o600;

function lossLine(count: number): string {
  const text = `[${count} ${count === 1 ? 'line was' : 'lines were'} not written: they came faster than the disk took them, or it had no room]`;
  const line: LogLine = { at: Date.now(), source: 'lifecycle', level: 'warn', text };
  return `${JSON.stringify(line)}\n`;
}

async function write(path: string, batch: Buffer): Promise<void> {
  let file = await openForAppending(path);
  try {
    const { size } = await file.stat();
    if (size > 0 && size + batch.length > LOG_FILE_BYTES_MAX) {
      await file.close();
      await rotate(path);
      file = await openForAppending(path);
    }
    await file.appendFile(batch);
  } finally {
    await file.close();
  }
}

async function openForAppending(path: string): Promise<FileHandle> {
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | (constants.O_NOFOLLOW ?? 0);
  try {
    return await open(path, flags, FILE_MODE);
  } catch (error) {
    if (errnoOf(error) !== 'ENOENT') throw error;
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return open(path, flags, FILE_MODE);
  }
}

async function rotate(path: string): Promise<void> {
  const files = logFiles(path).reverse();
  const [oldest = path, ...newer] = files;
  await rm(oldest, { force: true });
  for (const [index, file] of newer.entries()) {
    await rename(file, files[index] ?? oldest).catch((error: unknown) => {
      if (errnoOf(error) !== 'ENOENT') throw error; // fewer files than may be kept
    });
  }
}
