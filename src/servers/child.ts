import { isUtf8 } from 'node:buffer';
import type { ChildProcessWithoutNullStreams } from 'node:child_process';
import type { GatewayEvent } from '../core/events.ts';
import type { ExitReport, InstanceKey, ProcessLedger } from '../core/model.ts';
import { asMcpdError, McpdError } from '../errors.ts';
import {
  BATCH_ELEMENTS_MAX,
  JSON_DEPTH_MAX,
  NOISE_SAMPLE_BYTES,
  SERVER_LINE_BYTES_MAX,
  SWEEP_EVERY_MS,
} from '../limits.ts';
import { splitBatch } from '../protocol/batch.ts';
import type { BatchLine, Bytes } from '../protocol/frame.ts';
import { FrameReader, type FrameReaderOptions } from '../protocol/framing.ts';
import { Family } from './family.ts';
import type { Guardian } from './guardian.ts';
import { causeOf, type LaunchPlan } from './launch-plan.ts';
import { record, strikeOff } from './ledger.ts';
import { type ProcessScanner, startTimeOf } from './process-scan.ts';
import type { FamilyRoot, ProcessTable } from './process-table.ts';
import type { RunningServer, ServerOrder } from './running-server.ts';
import type { ServerLog, StderrInput } from './server-log.ts';
import { signalGroup } from './signals.ts';
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

/** The process, once it runs. */
interface Running {
  process: ChildProcessWithoutNullStreams;
  family: Family;
  startedAt: number;
  stdin: StdinQueue;
  stderr: StderrInput;
  /** Pipes from it that are not at their end: stdout and stderr. */
  openPipes: number;
  exit: { code: number | null; signal: NodeJS.Signals | null } | null;
  /** Why it ends, when its own exit does not say it. */
  why: string | null;
}

/**
 * One spawn of one instance, from the order to its exit report. `server-exited` is reported exactly once, and then nothing of its group
 * and none of its descendants lives, or they were given up. Nothing is reported from inside a call.
 */
export class ServerChild implements RunningServer {
  readonly order: ServerOrder;
  /** Resolves after the exit report. */
  readonly ended: Promise<void>;
  readonly #own: ChildSurroundings;
  readonly #cancel = new AbortController();
  #resolveEnded: () => void = () => undefined;
  #running: Running | null = null;
  #stage: StopStage = 'serving';
  #timer: NodeJS.Timeout | null = null;
  #wake: () => void = () => undefined;

  constructor(order: ServerOrder, surroundings: ChildSurroundings) {
    this.order = order;
    this.#own = surroundings;
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
  }

  /** Spawns what `plan` comes to, unless it is stopped before; a failure is reported as an exit. Never rejects. */
  async start(plan: (signal: AbortSignal) => Promise<LaunchPlan>): Promise<void> {
    const { signal } = this.#cancel;
    try {
      const onRetry = (errno: string) => this.#own.log.lifecycle('warn', `spawn ${errno}; trying again`);
      const child = await spawnGroup(plan(signal), { umask: this.#own.umask, signal, onRetry });
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
    return running === null || running.exit !== null ? null : running.family.pid;
  }

  /** For finding its processes in a table; null while there is none. */
  get family(): FamilyRoot | null {
    return this.#running?.family.root ?? null;
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

  /** Takes note of its processes and their memory. */
  observe(table: ProcessTable): void {
    const running = this.#running;
    if (running === null || running.exit !== null || this.#stage !== 'serving') return;
    const crossed = running.family.measure(table, this.order.definition.limits);
    if (crossed !== null) this.#own.report({ type: 'server-memory', ...this.#stamp(), ...crossed });
  }

  #began(child: ChildProcessWithoutNullStreams): void {
    const { pid } = child;
    if (pid === undefined) throw new McpdError('INTERNAL', { what: 'a process was started without a pid' });
    const running: Running = {
      process: child,
      family: new Family(pid, this.#own.marker),
      startedAt: this.#own.now(),
      stdin: new StdinQueue(child.stdin, () => this.#pipeClosed('closed stdin')),
      stderr: this.#own.log.stderr(),
      openPipes: 2,
      exit: null,
      why: null,
    };
    this.#running = running;
    this.#own.guardian.add(pid);
    const identified = this.#identify(running.family);
    this.#read(running);
    child.once('exit', (code, signal) => {
      running.exit = { code, signal };
      this.#own.report({ type: 'server-deaf', ...this.#stamp() });
      this.#signal('exited');
      void identified.then(() => this.#sweep(running));
    });
    this.#own.report({ type: 'server-spawned', ...this.#stamp(), pid });
  }

  async #identify(family: Family): Promise<void> {
    const { pid } = family;
    const startTime = (await startTimeOf(pid)) ?? '';
    family.identify(startTime);
    const { instance, generation } = this.order;
    const server = this.order.definition.name;
    const { ledger, marker, nonce, log } = this.#own;
    const row = { instance, generation, server, pid, pgid: pid, startTime, marker, nonce, at: Date.now() };
    record(ledger, row, (fault) => log.lifecycle('warn', fault));
  }

  #read(running: Running): void {
    const { report, log, now } = this.#own;
    const { instance, generation } = this.order;
    const takes: Pick<FrameReaderOptions, 'onFrame' | 'onNoise'> = {
      // Written out, as it runs for every message: a spread would make a hidden class of its own each time.
      onFrame: (frame) => report({ type: 'server-message', at: now(), instance, generation, frame, about: null }),
      onNoise: (noise) => {
        log.noise(noise);
        const { reason, id, asks, bytes } = noise;
        const ids = asks ? { id: null, question: id } : { id, question: null };
        report({ type: 'server-noise', ...this.#stamp(), reason, ...ids, bytes });
      },
    };
    const bounds = { depthMax: JSON_DEPTH_MAX, sampleBytesMax: NOISE_SAMPLE_BYTES, elementsMax: BATCH_ELEMENTS_MAX };
    const lineBytesMax = this.order.definition.limits.lineBytesMax ?? SERVER_LINE_BYTES_MAX;
    const onBatch = (line: BatchLine) => splitBatch(line, bounds, takes);
    const reader = new FrameReader({ ...bounds, ...takes, lineBytesMax, isUtf8, onBatch });
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
    this.#own.report({ type: 'server-deaf', ...this.#stamp() });
    this.#signal('pipe-closed');
  }

  #signal(signal: StopSignal): void {
    const stage = nextStage(this.#stage, signal);
    const running = this.#running;
    if (stage === this.#stage || running === null) return;
    if (this.#stage === 'mute' && signal === 'exited') running.why = null;
    if (signal === 'kill') running.why ??= running.family.memoryCause(this.order.definition.limits);
    this.#tell(stage, signal, running);
    this.#stage = stage;
    const entry = STAGES[stage];
    if (entry.closeStdin) running.stdin.end();
    if (entry.signal !== null && running.exit === null) signalGroup(running.family.pid, entry.signal);
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

  /** After the leader's exit: ends what it left behind, until a look finds nothing. */
  async #sweep(running: Running): Promise<void> {
    while (this.#stage !== 'gone') {
      const table = await this.#own.scanner.fresh({ markers: true });
      const left = running.family.end(table, STAGES[this.#stage].signal);
      if (left === 'empty' && (running.openPipes === 0 || this.#stage === 'killing')) this.#signal('empty');
      else await this.#pause(left === 'alive' ? SWEEP_EVERY_MS : null);
    }
  }

  /** Until a pipe closes, the stage changes, or it is time for the next look. */
  #pause(forMs: number | null): Promise<void> {
    return new Promise((resolve) => {
      const timer = forMs === null ? null : setTimeout(resolve, forMs);
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
    this.#reportExit({
      uptimeMs: Math.round(this.#own.now() - running.startedAt),
      code: exit?.code ?? null,
      signal: exit?.signal ?? null,
      cause: running.why ?? causeOfExit(exit),
      stderrTail: stderr.tail(),
    });
  }

  #release(running: Running): void {
    this.#own.guardian.remove(running.family.pid);
    const { ledger, nonce, log } = this.#own;
    strikeOff(ledger, { ...this.order, nonce }, (fault) => log.lifecycle('warn', fault));
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

function causeOfExit(exit: Running['exit']): string {
  if (exit === null) return 'did not end by SIGKILL';
  return exit.signal === null ? `exit code ${exit.code}` : `signal ${exit.signal}`;
}
