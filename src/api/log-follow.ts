import { LIVE_QUEUE_BYTES_MAX } from '../operation-limits.ts';
import type { LineSink } from './answer.ts';
import type { LogLine } from './contract.ts';
import type { DaemonControl } from './daemon-control.ts';

/**
 * Past lines first, as fast as they are read, then each new one: nothing between the two is lost or comes twice. Ends with the server.
 * Resolves with the way to stop.
 * @throws {McpdError} SERVER_UNKNOWN, before anything was written
 */
export async function followLog(
  control: DaemonControl,
  name: string,
  past: { lines: number; since: number | null },
  sink: Pick<LineSink, 'write' | 'send' | 'end' | 'cutOff'>,
): Promise<() => void> {
  /** New lines that wait for those before them; null once they are written as they come. */
  let fresh: LogLine[] | null = [];
  let freshChars = 0;
  let isGone = false;
  const take = (line: LogLine) => {
    if (fresh === null) return sink.write(line);
    fresh.push(line);
    freshChars += line.text.length;
    if (freshChars > LIVE_QUEUE_BYTES_MAX) sink.cutOff();
  };
  const stop = control.followLogs(name, take, () => {
    isGone = true;
    if (fresh === null) sink.end();
  });
  try {
    const before = await control.logs(name, past);
    let next = [...before, ...withoutOverlap(before, fresh)];
    while (next.length > 0) {
      fresh = [];
      freshChars = 0;
      for (const line of next) await sink.send(line);
      next = fresh;
    }
    fresh = null;
    if (isGone) sink.end();
    return stop;
  } catch (thrown) {
    stop();
    throw thrown;
  }
}

/** `fresh` without the lines at its start that are already the end of `past`. */
export function withoutOverlap(past: readonly LogLine[], fresh: readonly LogLine[]): LogLine[] {
  for (let count = Math.min(past.length, fresh.length); count > 0; count--) {
    const tail = past.slice(past.length - count);
    if (tail.every((line, i) => sameLine(line, fresh[i]))) return fresh.slice(count);
  }
  return [...fresh];
}

// — internal —

function sameLine(a: LogLine, b: LogLine | undefined): boolean {
  return a.at === b?.at && a.source === b.source && a.level === b.level && a.text === b.text;
}
