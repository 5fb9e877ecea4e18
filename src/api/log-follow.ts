import { LIVE_QUEUE_BYTES_MAX } from '../operation-limits.ts';
import type { LineSink } from './answer.ts';
import type { LogLine } from './contract.ts';
import type { DaemonControl } from './daemon-control.ts';
import { OwedProtocol } from './protocol-owed.ts';
import type { ProtocolControl } from './recording-control.ts';

/** Which past lines: the last so many, not before that time. */
export interface PastLines {
  lines: number;
  since: number | null;
}

export interface LogWatch {
  /** The reader has taken something of what he was given. */
  taken(): void;
  stop(): void;
}

/** Past lines, oldest first, with those of the protocol among them that somebody's watching has kept. */
export async function pastLog(
  control: DaemonControl,
  protocol: ProtocolControl | null,
  name: string,
  past: PastLines,
): Promise<LogLine[]> {
  const log = await control.logs(name, past);
  return protocol === null ? log : lastOf(inOrder(log, sinceThen(protocol.lines(name), past)), past.lines);
}

/**
 * Past lines first, as fast as they are read, then each new one: nothing between the two is lost or comes twice. Ends with the server.
 * Lines of the protocol (null: they are not wanted) are left out for a reader that is behind, and counted.
 * @throws {McpdError} SERVER_UNKNOWN, before anything was written
 */
export async function followLog(
  control: DaemonControl,
  protocol: ProtocolControl | null,
  name: string,
  past: PastLines,
  sink: Pick<LineSink, 'write' | 'send' | 'end' | 'cutOff' | 'waitingBytes'>,
): Promise<LogWatch> {
  /** New lines that wait for those before them; null once they are written as they come. */
  let fresh: LogLine[] | null = [];
  let freshChars = 0;
  let isGone = false;
  const owed = new OwedProtocol();
  const put = (line: LogLine) => {
    if (fresh === null) return sink.write(line);
    fresh.push(line);
    freshChars += line.text.length;
    if (freshChars > LIVE_QUEUE_BYTES_MAX) sink.cutOff();
  };
  const waiting = () => freshChars + sink.waitingBytes();
  const stopLog = control.followLogs(name, put, () => {
    isGone = true;
    if (fresh === null) sink.end();
  });
  const stopProtocol = protocol?.watch(name, (line) => owed.take(line, waiting()).forEach(put));
  const stop = () => {
    stopLog();
    stopProtocol?.();
  };
  try {
    const told = sinceThen(protocol?.lines(name) ?? [], past);
    const before = await control.logs(name, past);
    const freshTold = fresh.filter(isOfProtocol);
    const freshLog = withoutOverlap(
      before,
      fresh.filter((line) => !isOfProtocol(line)),
    );
    const all = inOrder([...before, ...freshLog], [...told, ...freshTold]);
    let next = lastOf(all, past.lines + freshLog.length + freshTold.length);
    while (next.length > 0) {
      fresh = [];
      freshChars = 0;
      for (const line of next) await sink.send(line);
      next = fresh;
    }
    fresh = null;
    freshChars = 0;
    if (isGone) sink.end();
    const taken = () => owed.owed(Date.now(), sink.waitingBytes()).forEach(put);
    taken();
    return { taken, stop };
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

/** Both together by their time; each stays in its own order, which is the one in which it came. */
export function inOrder(log: readonly LogLine[], told: readonly LogLine[]): LogLine[] {
  const all: LogLine[] = [];
  let at = 0;
  for (const line of log) {
    for (let next = told[at]; next !== undefined && next.at < line.at; next = told[at]) {
      all.push(next);
      at++;
    }
    all.push(line);
  }
  return [...all, ...told.slice(at)];
}

// — internal —

function isOfProtocol({ source }: LogLine): boolean {
  return source === 'protocol';
}

function sinceThen(lines: readonly LogLine[], { since }: PastLines): LogLine[] {
  return lines.filter(({ at }) => since === null || at >= since);
}

function lastOf(all: LogLine[], count: number): LogLine[] {
  return all.slice(Math.max(0, all.length - count));
}

function sameLine(a: LogLine, b: LogLine | undefined): boolean {
  return a.at === b?.at && a.source === b.source && a.level === b.level && a.text === b.text;
}
