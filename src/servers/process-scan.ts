import { execFile } from 'node:child_process';
import { closeSync, openSync, readdirSync, readFileSync, readSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { errnoOf } from '../errors.ts';
import { PROCESS_SCAN_SLICE_MS, PS_TIMEOUT_MS } from '../limits.ts';
import { MARKER_VARIABLE } from './marker.ts';
import { type ProcessRow, ProcessTable } from './process-table.ts';

/**
 * Looks at all processes: /proc on Linux, `ps` on other Unix systems. On Windows there is no table: the family of a server is ended by
 * `taskkill /T` (signals.ts), which walks the tree itself.
 */
export interface ProcessScanner {
  /**
   * A table that was begun after this call. Callers that ask while one is being made share the next one, so fifty servers stopping at
   * once cost two scans. Never rejects: null means that nothing can be known, and `finding()` says why.
   */
  fresh(options: { markers: boolean }): Promise<ProcessTable | null>;
  finding(): string | null;
}

export function createProcessScanner(platform: NodeJS.Platform = process.platform): ProcessScanner {
  return new Scanner(platform);
}

/** The start time of one process, as the tables give it; null when it is gone or the system does not tell. */
export async function startTimeOf(pid: number, platform: NodeJS.Platform = process.platform): Promise<string | null> {
  if (platform === 'win32') return null;
  try {
    if (platform === 'linux') return parseStat(readFileSync(`/proc/${pid}/stat`, 'latin1'), 1)?.startTime ?? null;
    return parsePs(await ps(['-o', PS_FORMAT, '-p', String(pid)]), new Map())[0]?.startTime ?? null;
  } catch {
    return null; // it has ended already: there is nothing left to tell apart
  }
}

/** Command lines of some processes, arguments joined by blanks; what has ended in the meantime is left out. */
export async function commandLinesOf(
  pids: readonly number[],
  platform: NodeJS.Platform = process.platform,
): Promise<Map<number, string>> {
  const lines = new Map<number, string>();
  if (pids.length === 0 || platform === 'win32') return lines;
  if (platform !== 'linux')
    return parseCommands(await ps(['-o', 'pid=,command=', '-p', pids.join(',')]).catch(() => ''));
  for (const pid of pids) {
    const text = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => ''); // ended in the meantime
    if (text !== '') lines.set(pid, text.replace(/\0+$/, '').replaceAll('\0', ' '));
  }
  return lines;
}

/** The kernel tells processor time in USER_HZ, which is 100 a second on every architecture that Node 20 runs on. */
const TICK_MS = 10;

/** One line of /proc/PID/stat, or null when it is none. The name in brackets may hold blanks and brackets itself. */
export function parseStat(text: string, pageBytes: number): Omit<ProcessRow, 'marker'> | null {
  const open = text.indexOf(' (');
  const close = text.lastIndexOf(') ');
  if (open < 0 || close < 0) return null;
  // proc_pid_stat(5): the state is field 3, here 0; user and system time are 14 and 15, start time is field 22, resident pages field 24.
  const fields = text.slice(close + 2).split(' ');
  const [state, ppid, pgid] = fields;
  const startTime = fields[19];
  const pages = fields[21];
  if (startTime === undefined || pages === undefined) return null;
  return {
    pid: Number(text.slice(0, open)),
    ppid: Number(ppid),
    pgid: Number(pgid),
    startTime,
    zombie: state === 'Z' || state === 'X',
    rssBytes: Number(pages) * pageBytes,
    cpuMs: (Number(fields[11]) + Number(fields[12])) * TICK_MS,
  };
}

/** The marker in a block of `NAME=value` strings that end in NUL. */
export function markerIn(environment: Buffer): string | null {
  const needle = Buffer.from(`\0${MARKER_VARIABLE}=`);
  const atStart = environment.subarray(0, needle.length - 1).equals(needle.subarray(1));
  const before = atStart ? -1 : environment.indexOf(needle);
  if (before < 0 && !atStart) return null;
  const from = before + needle.length;
  const end = environment.indexOf(0, from);
  return environment.toString('utf8', from, end < 0 ? environment.length : end);
}

/** Output of `ps -o pid=,ppid=,pgid=,stat=,rss=,time=,lstart=`: resident size in KiB, start time in five words. */
export function parsePs(text: string, markers: ReadonlyMap<number, string>): ProcessRow[] {
  const rows: ProcessRow[] = [];
  for (const line of text.split('\n')) {
    const match = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\d+)\s+(\S+)\s+(\S.*?)\s*$/.exec(line);
    if (match === null) continue;
    const [, pid, ppid, pgid, state = '', kib, time = '', startTime = ''] = match;
    rows.push({
      pid: Number(pid),
      ppid: Number(ppid),
      pgid: Number(pgid),
      startTime,
      zombie: state.startsWith('Z'),
      rssBytes: Number(kib) * 1024,
      cpuMs: parseCpuTime(time),
      marker: markers.get(Number(pid)) ?? null,
    });
  }
  return rows;
}

const MARKED_LINE = new RegExp(`^\\s*(\\d+)\\s.*\\s${MARKER_VARIABLE}=(\\S+)`);

/** Output of `ps -o pid=,command=` with the environment behind the command (`-E`): pid → marker. */
export function parsePsMarkers(text: string): Map<number, string> {
  const markers = new Map<number, string>();
  for (const line of text.split('\n')) {
    const match = MARKED_LINE.exec(line);
    if (match?.[2] !== undefined) markers.set(Number(match[1]), match[2]);
  }
  return markers;
}

// — internal —

interface Turn {
  markers: boolean;
  table: Promise<ProcessTable | null>;
}

class Scanner implements ProcessScanner {
  readonly #platform: NodeJS.Platform;
  #last: Promise<unknown> = Promise.resolve();
  /** The scan that has not begun: who asks now may share it. */
  #next: Turn | null = null;
  #fault: string | null = null;

  constructor(platform: NodeJS.Platform) {
    this.#platform = platform;
  }

  fresh({ markers }: { markers: boolean }): Promise<ProcessTable | null> {
    if (this.#next !== null) {
      this.#next.markers ||= markers;
      return this.#next.table;
    }
    const turn: Turn = { markers, table: Promise.resolve(null) };
    turn.table = this.#last.then(() => {
      this.#next = null;
      return this.#scan(turn.markers);
    });
    this.#next = turn;
    this.#last = turn.table;
    return turn.table;
  }

  finding(): string | null {
    return this.#fault;
  }

  async #scan(markers: boolean): Promise<ProcessTable | null> {
    if (this.#platform === 'win32') return null;
    try {
      const table = new ProcessTable(await (this.#platform === 'linux' ? readProc(markers) : readPs(markers)));
      this.#fault = null;
      return table;
    } catch (error) {
      this.#fault = `processes cannot be listed: ${error instanceof Error ? error.message : String(error)}`;
      return null;
    }
  }
}

const PS_FORMAT = 'pid=,ppid=,pgid=,stat=,rss=,time=,lstart=';
const READ_BYTES = 64 * 1024;

/** In slices: after PROCESS_SCAN_SLICE_MS the loop goes round once, so that no call waits for a scan. */
async function readProc(markers: boolean): Promise<ProcessRow[]> {
  const rows: ProcessRow[] = [];
  const page = pageBytes();
  const scratch = Buffer.allocUnsafe(READ_BYTES);
  let sliceEnd = performance.now() + PROCESS_SCAN_SLICE_MS;
  for (const name of readdirSync('/proc')) {
    const first = name.charCodeAt(0);
    if (first < 0x30 || first > 0x39) continue;
    const stat = readWhole(`/proc/${name}/stat`, scratch);
    const row = stat === null ? null : parseStat(stat.toString('latin1'), page);
    if (row !== null) {
      const environment = markers && !row.zombie ? readWhole(`/proc/${name}/environ`, scratch) : null;
      rows.push({ ...row, marker: environment === null ? null : markerIn(environment) });
    }
    if (performance.now() > sliceEnd) {
      await nextTurn();
      sliceEnd = performance.now() + PROCESS_SCAN_SLICE_MS;
    }
  }
  return rows;
}

/** Null when the process has ended, or belongs to somebody else. The result lives in `scratch` unless it is larger. */
function readWhole(path: string, scratch: Buffer): Buffer | null {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if (errnoOf(error) === 'EMFILE' || errnoOf(error) === 'ENFILE') throw error;
    return null;
  }
  try {
    const length = readSync(file, scratch, 0, scratch.length, 0);
    if (length < scratch.length) return scratch.subarray(0, length);
    const pieces = [Buffer.from(scratch)];
    for (let at = length; ; ) {
      const piece = Buffer.alloc(READ_BYTES);
      const more = readSync(file, piece, 0, piece.length, at);
      if (more === 0) return Buffer.concat(pieces);
      pieces.push(piece.subarray(0, more));
      at += more;
    }
  } catch {
    return null; // ended between opening and reading (ESRCH), or its memory may not be read (EACCES)
  } finally {
    closeSync(file);
  }
}

/** The kernel counts in pages, and Node tells the same figure of this process in bytes. */
function pageBytes(): number {
  const pages = parseStat(readFileSync('/proc/self/stat', 'latin1'), 1)?.rssBytes ?? 0;
  if (pages === 0) return 4096;
  return 2 ** Math.round(Math.log2(process.memoryUsage.rss() / pages));
}

async function readPs(markers: boolean): Promise<ProcessRow[]> {
  const found = markers ? parsePsMarkers(await ps(['-axwwE', '-o', 'pid=,command='])) : new Map<number, string>();
  return parsePs(await ps(['-ax', '-o', PS_FORMAT]), found);
}

/** `[[days-]hours:]minutes:seconds`, on macOS with hundredths; null when it is none. */
function parseCpuTime(text: string): number | null {
  const match = /^(?:(?:(\d+)-)?(\d+):)?(\d+):(\d+(?:\.\d+)?)$/.exec(text);
  if (match === null) return null;
  const [days, hours, minutes, seconds] = match.slice(1).map((part = '0') => Number(part)) as [
    number,
    number,
    number,
    number,
  ];
  return Math.round((((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000);
}

function parseCommands(text: string): Map<number, string> {
  const lines = new Map<number, string>();
  for (const line of text.split('\n')) {
    const match = /^\s*(\d+)\s+(.*?)\s*$/.exec(line);
    if (match?.[2] !== undefined) lines.set(Number(match[1]), match[2]);
  }
  return lines;
}

function ps(args: readonly string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    // LC_ALL: dates in one spelling. A large buffer: with the environments it is some KiB per process.
    const options = {
      env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
      timeout: PS_TIMEOUT_MS,
      maxBuffer: 64 * 1024 * 1024,
    };
    execFile('ps', args, options, (error, stdout) => {
      if (error === null) resolve(stdout);
      else reject(error);
    });
  });
}
