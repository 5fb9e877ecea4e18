import { isUtf8 } from 'node:buffer';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { GatewayEvent } from '../core/events.ts';
import type { ExitReport, InstanceKey, ServerDefinition } from '../core/model.ts';
import { asMcpdError, McpdError } from '../errors.ts';
import { JSON_DEPTH_MAX, NOISE_SAMPLE_BYTES, SERVER_LINE_BYTES_MAX, SWEEP_EVERY_MS } from '../limits.ts';
import type { Bytes } from '../protocol/frame.ts';
import { FrameReader } from '../protocol/framing.ts';
import type { Guardian } from './guardian.ts';
import { causeOf, type LaunchPlan } from './launch-plan.ts';
import type { ProcessLedger } from './ledger.ts';
import { crossedLimit, type MemoryLevel, memoryCause, memoryLevel } from './memory-watch.ts';
import { type ProcessScanner, startTimeOf } from './process-scan.ts';
import { type FamilyRoot, familyBytes, type ProcessRow, type ProcessTable } from './process-table.ts';
import type { ServerLog, StderrInput } from './server-log.ts';
import { groupExists, signalGroup, signalProcess } from './signals.ts';
import { spawnGroup } from './spawn.ts';
import { StdinQueue } from './stdin-queue.ts';
import { nextStage, STAGES, type StopSignal, type StopStage } from './stop.ts';

/** What a child needs of its surroundings. */
export interface ChildSurroundings {
  scanner: ProcessScanner;
  guardian: Guardian;
  ledger: ProcessLedger;
  log: ServerLog;
  /** Of the daemon. */
  nonce: string;
  /** Given to the process in its environment. */
  marker: string;
  umask: number;
  report(event: GatewayEvent): void;
  /** Monotonic milliseconds. */
  now(): number;
}

export interface ChildOrder {
  instance: InstanceKey;
  generation: number;
  definition: ServerDefinition;
}

/** The process, once it runs. */
interface Running {
  process: ChildProcessWithoutNullStreams;
  pid: number;
  startedAt: number;
  stdin: StdinQueue;
  stderr: StderrInput;
  /** Pipes from it that are not at their end: stdout and stderr. */
  openPipes: number;
  exit: { code: number | null; signal: NodeJS.Signals | null } | null;
  /** Why it ends, when its own exit does not say it. */
  why: string | null;
  root: FamilyRoot;
  memory: MemoryLevel;
  memoryBytes: number;
  /** Asked to end by the sweep already: a second SIGTERM means "at once" to some programs. */
  asked: Set<number>;
}

/**
 * One spawn of one instance, from the order to its exit report. `server-exited` is reported exactly once, and then nothing of its group
 * and none of its descendants lives, or they were given up. Nothing is reported from inside a call.
 */
export class ServerChild {
  readonly order: ChildOrder;
  /** Resolves after the exit report. */
  readonly ended: Promise<void>;
  readonly #own: ChildSurroundings;
  readonly #cancel = new AbortController();
  #resolveEnded: () => void = () => undefined;
  #running: Running | null = null;
  #stage: StopStage = 'serving';
  #timer: NodeJS.Timeout | null = null;
  #wake: () => void = () => undefined;

  constructor(order: ChildOrder, surroundings: ChildSurroundings) {
    this.order = order;
    this.#own = surroundings;
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
  }

  /** Spawns what `plan` comes to; a failure of either is reported as an exit. Never rejects. */
  async start(plan: Promise<LaunchPlan>): Promise<void> {
    const { signal } = this.#cancel;
    try {
      const ready = await Promise.race([plan, cancelled(signal)]);
      const onRetry = (errno: string) => this.#own.log.lifecycle('warn', `spawn ${errno}; trying again`);
      const child = await spawnGroup(ready, { umask: this.#own.umask, signal, onRetry });
      this.#began(child);
      if (signal.aborted) this.#signal('kill');
    } catch (error) {
      this.#stage = 'gone';
      const cause = causeOf(asMcpdError(error, 'SERVER_START_FAILED', 'spawn failed'));
      this.#reportExit({ uptimeMs: 0, code: null, signal: null, cause, stderrTail: [] });
    }
  }

  get pid(): number | null {
    const running = this.#running;
    return running === null || running.exit !== null ? null : running.pid;
  }

  /** For finding its processes in a table; null while there is none. */
  get family(): FamilyRoot | null {
    return this.#running?.root ?? null;
  }

  write(message: Bytes): 'ok' | 'full' | 'gone' {
    if (this.#stage !== 'serving' || this.#running === null) return 'gone';
    return this.#running.stdin.write(message);
  }

  flush(): void {
    this.#running?.stdin.flush();
  }

  stop(kill: boolean): void {
    if (this.#running === null) this.#cancel.abort();
    else this.#signal(kill ? 'kill' : 'stop');
  }

  /** Takes note of its processes and their memory, as a table without markers tells them. */
  observe(table: ProcessTable): void {
    const running = this.#running;
    if (running === null || running.exit !== null || running.root.leader.startTime === '') return;
    const rows = table.family(running.root);
    remember(running, rows);
    running.memoryBytes = familyBytes(rows);
    const level = memoryLevel(running.memoryBytes, this.order.definition.limits);
    const limit = crossedLimit(running.memory, level);
    running.memory = level;
    if (limit === null || this.#stage !== 'serving') return;
    this.#own.report({ type: 'server-memory', ...this.#stamp(), limit, bytes: running.memoryBytes });
  }

  #began(child: ChildProcessWithoutNullStreams): void {
    const { pid } = child;
    if (pid === undefined) throw new McpdError('INTERNAL', { what: 'a process was started without a pid' });
    const running: Running = {
      process: child,
      pid,
      startedAt: this.#own.now(),
      stdin: new StdinQueue(child.stdin, () => this.#pipeClosed('closed stdin')),
      stderr: this.#own.log.stderr(),
      openPipes: 2,
      exit: null,
      why: null,
      root: { leader: { pid, startTime: '' }, known: new Map(), marker: this.#own.marker },
      memory: 'under',
      memoryBytes: 0,
      asked: new Set(),
    };
    this.#running = running;
    this.#own.guardian.add(pid);
    const identified = this.#identify(running);
    this.#read(running);
    child.once('exit', (code, signal) => {
      running.exit = { code, signal };
      this.#signal('exited');
      void identified.then(() => this.#sweep(running));
    });
    this.#own.report({ type: 'server-spawned', ...this.#stamp(), pid });
  }

  async #identify(running: Running): Promise<void> {
    const startTime = (await startTimeOf(running.pid)) ?? '';
    running.root = { ...running.root, leader: { pid: running.pid, startTime } };
    const { instance, generation, definition } = this.order;
    const { ledger, marker, nonce, log } = this.#own;
    const { pid } = running;
    try {
      ledger.add({
        instance,
        generation,
        server: definition.name,
        pid,
        pgid: pid,
        startTime,
        marker,
        nonce,
        at: Date.now(),
      });
    } catch (error) {
      // Without this entry the marker alone finds it after a crash of the daemon: no reason not to run it.
      log.lifecycle('warn', `its process could not be recorded: ${String(error)}`);
    }
  }

  #read(running: Running): void {
    const { report, log } = this.#own;
    const reader = new FrameReader({
      lineBytesMax: this.order.definition.limits.lineBytesMax ?? SERVER_LINE_BYTES_MAX,
      depthMax: JSON_DEPTH_MAX,
      sampleBytesMax: NOISE_SAMPLE_BYTES,
      isUtf8,
      onFrame: (frame) => report({ type: 'server-message', ...this.#stamp(), frame }),
      onNoise: (noise) => {
        log.noise(noise);
        report({ type: 'server-noise', ...this.#stamp(), reason: noise.reason, id: noise.id, bytes: noise.bytes });
      },
    });
    const { stdout, stderr } = running.process;
    stdout.on('data', (chunk: Buffer) => reader.push(chunk));
    stdout.on('end', () => {
      reader.end();
      this.#pipeClosed('closed stdout');
    });
    stderr.on('data', (chunk: Buffer) => running.stderr.push(chunk));
    for (const pipe of [stdout, stderr]) {
      pipe.on('error', () => undefined); // a reset pipe closes next, which is what counts
      pipe.on('close', () => {
        running.openPipes--;
        this.#wake();
      });
    }
  }

  /** Counts only when the process goes on without that pipe: most often its exit follows at once, and says more. */
  #pipeClosed(why: string): void {
    const running = this.#running;
    if (running === null || running.exit !== null || this.#stage !== 'serving') return;
    running.why = why;
    this.#signal('pipe-closed');
  }

  #signal(signal: StopSignal): void {
    const stage = nextStage(this.#stage, signal);
    const running = this.#running;
    if (stage === this.#stage || running === null) return;
    if (this.#stage === 'mute' && signal === 'exited') running.why = null;
    if (signal === 'kill' && running.memory === 'hard') {
      running.why = memoryCause(running.memoryBytes, this.order.definition.limits);
    }
    this.#tell(stage, signal, running);
    this.#stage = stage;
    const entry = STAGES[stage];
    if (entry.closeStdin) running.stdin.end();
    if (entry.signal !== null && running.exit === null) signalGroup(running.pid, entry.signal);
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = entry.graceMs === null ? null : setTimeout(() => this.#signal('time-up'), entry.graceMs);
    this.#wake();
    if (stage === 'gone') this.#finish(running, signal === 'time-up' ? 'given-up' : 'gone');
  }

  /** What the core cannot know: how hard it had to be. */
  #tell(stage: StopStage, signal: StopSignal, running: Running): void {
    if (signal !== 'time-up') return;
    const what = running.exit === null ? 'it did not end' : 'it left processes that did not end';
    const { log } = this.#own;
    if (stage === 'terminating') log.lifecycle('warn', `${what} when its stdin was closed: SIGTERM`);
    if (stage === 'killing') log.lifecycle('warn', `${what} in time: SIGKILL`);
    if (stage === 'gone') log.lifecycle('error', `${what} by SIGKILL: given up`);
  }

  /** After the leader's exit: ends what it left behind, in its group or outside, until a look finds nothing. */
  async #sweep(running: Running): Promise<void> {
    while (this.#stage !== 'gone') {
      const table = await this.#own.scanner.fresh({ markers: true });
      const left = table?.family(running.root) ?? [];
      remember(running, left);
      const force = STAGES[this.#stage].signal;
      const blind = table === null && groupExists(running.pid);
      if (left.length === 0 && !blind && (running.openPipes === 0 || this.#stage === 'killing')) {
        this.#signal('empty');
        return;
      }
      // Nothing can be listed, but as long as the group has members its number belongs to it.
      if (blind && force !== null) signalGroup(running.pid, force);
      for (const { pid } of left) {
        if (force === 'kill' || (force === 'end' && !running.asked.has(pid))) signalProcess(pid, force);
        running.asked.add(pid);
      }
      await this.#pause(left.length === 0 && !blind);
    }
  }

  /** Until the next look: a while, or when a pipe closes or the stage changes. Without processes only those matter. */
  #pause(onlyWoken: boolean): Promise<void> {
    return new Promise((resolve) => {
      const timer = onlyWoken ? null : setTimeout(resolve, SWEEP_EVERY_MS);
      this.#wake = () => {
        if (timer !== null) clearTimeout(timer);
        resolve();
      };
    });
  }

  #finish(running: Running, outcome: 'gone' | 'given-up'): void {
    const { process: child, exit, stderr } = running;
    for (const pipe of [child.stdin, child.stdout, child.stderr]) pipe.destroy();
    stderr.end();
    if (outcome === 'gone') this.#release(running);
    else child.once('exit', () => this.#release(running));
    const own =
      exit === null
        ? 'did not end by SIGKILL'
        : exit.signal === null
          ? `exit code ${exit.code}`
          : `signal ${exit.signal}`;
    this.#reportExit({
      uptimeMs: Math.round(this.#own.now() - running.startedAt),
      code: exit?.code ?? null,
      signal: exit?.signal ?? null,
      cause: running.why ?? own,
      stderrTail: stderr.tail(),
    });
  }

  #release(running: Running): void {
    this.#own.guardian.remove(running.pid);
    const { instance, generation } = this.order;
    try {
      this.#own.ledger.remove(instance, generation, this.#own.nonce);
    } catch (error) {
      // The next start finds that the process is gone and forgets the entry.
      this.#own.log.lifecycle('warn', `its process could not be struck off the record: ${String(error)}`);
    }
  }

  #reportExit(exit: Omit<ExitReport, 'at'>): void {
    const cause = this.#own.log.masked(exit.cause);
    this.#own.report({ type: 'server-exited', ...this.#stamp(), exit: { at: Date.now(), ...exit, cause } });
    this.#resolveEnded();
  }

  #stamp(): { at: number; instance: InstanceKey; generation: number } {
    return { at: this.#own.now(), instance: this.order.instance, generation: this.order.generation };
  }
}

// — internal —

/** Only what lives is kept, so that a server which starts a thousand short processes costs nothing. */
function remember(running: Running, rows: readonly ProcessRow[]): void {
  running.root = { ...running.root, known: new Map(rows.map((row) => [row.pid, row.startTime])) };
}

function cancelled(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () =>
      reject(new McpdError('SERVER_STOPPED', { what: 'stopped before it was started' })),
    );
  });
}
