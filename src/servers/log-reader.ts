import { constants } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { errnoOf } from '../errors.ts';
import { LOG_READ_BYTES_MAX, LOG_READ_LINES_MAX } from '../limits.ts';
import { logFiles } from './log-file.ts';
import type { LogLine } from './log-lines.ts';

export interface LogSelection {
  /** The last so many, at most LOG_READ_LINES_MAX. */
  lines: number;
  /** Not before this time, in milliseconds since 1970. */
  since: number | null;
}

/** Past lines of a log, oldest first, read from the end backwards over its older files. A line that was cut by a full disk is passed over. */
export async function readLog(path: string, { lines, since }: LogSelection): Promise<LogLine[]> {
  const wanted = Math.min(lines, LOG_READ_LINES_MAX);
  const found: LogLine[] = [];
  let bytes = 0;
  for (const file of logFiles(path)) {
    for await (const text of linesBackwards(file)) {
      const line = parse(text);
      if (line === null) continue;
      bytes += text.length;
      if (found.length >= wanted || bytes > LOG_READ_BYTES_MAX || (since !== null && line.at < since))
        return found.reverse();
      found.push(line);
    }
  }
  return found.reverse();
}

// — internal —

const BLOCK_BYTES = 256 * 1024;

async function* linesBackwards(path: string): AsyncGenerator<string> {
  const file = await openIfThere(path);
  if (file === null) return;
  try {
    let rest = Buffer.alloc(0);
    for (let end = (await file.stat()).size; end > 0; ) {
      const start = Math.max(0, end - BLOCK_BYTES);
      const block = Buffer.alloc(end - start);
      const { bytesRead } = await file.read(block, 0, block.length, start);
      const bytes = Buffer.concat([block.subarray(0, bytesRead), rest]);
      let to = bytes.length;
      for (
        let newline = bytes.lastIndexOf(0x0a);
        newline >= 0;
        newline = to > 0 ? bytes.lastIndexOf(0x0a, to - 1) : -1
      ) {
        if (newline + 1 < to) yield bytes.toString('utf8', newline + 1, to);
        to = newline;
      }
      rest = Buffer.from(bytes.subarray(0, to));
      end = start;
    }
    if (rest.length > 0) yield rest.toString('utf8');
  } finally {
    await file.close();
  }
}

/** Null when there is no such file, or it was rotated away a moment ago. */
async function openIfThere(path: string): Promise<FileHandle | null> {
  try {
    return await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  } catch (error) {
    if (errnoOf(error) === 'ENOENT') return null;
    throw error;
  }
}

function parse(text: string): LogLine | null {
  try {
    const line: unknown = JSON.parse(text);
    return isLogLine(line) ? line : null;
  } catch {
    return null; // half a line, left by a full disk or a power cut
  }
}

function isLogLine(value: unknown): value is LogLine {
  if (typeof value !== 'object' || value === null) return false;
  const { at, source, level, text } = value as Record<string, unknown>;
  return typeof at === 'number' && typeof source === 'string' && typeof level === 'string' && typeof text === 'string';
}
