import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RecordedFrame, ReplayEvent } from '../api/contract/recordings.ts';
import type { GatewayEvent } from '../core/events.ts';
import type { ServerDefinition } from '../core/model.ts';
import { McpdError } from '../errors.ts';
import { FreshProcess } from '../recorder/fresh-process.ts';
import { replay } from '../recorder/replay.ts';
import { launchWithDataIn } from '../recorder/replay-launch.ts';
import { planReplay } from '../recorder/replay-plan.ts';
import { REPLAYS_MAX } from '../recorder-limits.ts';
import type { ServerMasks } from '../servers/server-masks.ts';
import { VERSION } from '../version.ts';
import type { Parts } from './parts.ts';

interface ReplayOrder {
  definition: ServerDefinition;
  frames: readonly RecordedFrame[];
  protocolVersion: string | null;
  /** Number of the one request; null: all. */
  call: number | null;
}

/** Replays that are under way, each with a process that the core knows nothing of. */
export class Replays {
  readonly #parts: Parts;
  readonly #masks: ServerMasks;
  /** By instance. */
  readonly #running = new Map<string, FreshProcess>();
  readonly #changed: () => void;
  #lastNumber = 0;
  /** Counted from the question, not from the start of the process: more may be asked while its folder is made. */
  #underWay = 0;

  constructor(parts: Parts, masks: ServerMasks, changed: () => void) {
    this.#parts = parts;
    this.#masks = masks;
    this.#changed = changed;
  }

  get areRunning(): boolean {
    return this.#running.size > 0;
  }

  /** Whether it was about a process of a replay, which nobody else needs to hear of then. */
  takes(event: Extract<GatewayEvent, { instance: string }>): boolean {
    const fresh = this.#running.get(event.instance);
    fresh?.take(event);
    return fresh !== undefined;
  }

  /** @throws McpdError RECORDING_EMPTY, SERVER_BUSY, SERVER_START_FAILED, CALL_TIMEOUT, CALL_FAILED */
  async run(order: ReplayOrder, report: (event: ReplayEvent) => void, left: AbortSignal): Promise<void> {
    const { definition, protocolVersion } = order;
    const { name } = definition;
    const plan = planReplay(order.frames, order.call, { protocolVersion, identity: IDENTITY });
    if (plan.requests.length === 0) throw nothingToAsk(name, order.call);
    if (this.#underWay >= REPLAYS_MAX) {
      throw new McpdError('SERVER_BUSY', { what: `${REPLAYS_MAX} replays are under way`, fix: 'wait for one of them' });
    }
    this.#underWay++;
    try {
      const signal = AbortSignal.any([left, this.#parts.ending]);
      await this.#inFolder(async (dataDir) => {
        const instance = `${name}@replay-${++this.#lastNumber}`;
        const fresh = this.#freshProcess(instance, definition, dataDir, plan.answers, signal);
        await this.#during(instance, fresh, async () => {
          report({ type: 'started', server: name, requests: plan.requests.length, protocolVersion });
          await replay(plan, fresh, report, this.#parts.now);
        });
      });
    } finally {
      this.#underWay--;
    }
  }

  async #inFolder(work: (dataDir: string) => Promise<void>): Promise<void> {
    const dataDir = await mkdtemp(join(tmpdir(), 'mcpd-replay-'));
    try {
      await work(dataDir);
    } finally {
      await rm(dataDir, { recursive: true, force: true });
    }
  }

  async #during(instance: string, fresh: FreshProcess, work: () => Promise<void>): Promise<void> {
    this.#running.set(instance, fresh);
    this.#changed();
    try {
      await work();
    } finally {
      this.#parts.processes.stop(instance, GENERATION, false);
      await fresh.ended;
      this.#running.delete(instance);
      this.#changed();
    }
  }

  #freshProcess(
    instance: string,
    definition: ServerDefinition,
    dataDir: string,
    answers: ReadonlyMap<string, readonly string[]>,
    signal: AbortSignal,
  ): FreshProcess {
    const { processes } = this.#parts;
    const placed = { ...definition, launch: launchWithDataIn(definition.launch, dataDir) };
    return new FreshProcess({
      server: definition.name,
      mask: this.#masks.of(definition.name),
      answers,
      signal,
      port: {
        spawn: () => processes.spawn({ instance, generation: GENERATION, definition: placed, isAside: true }),
        write: (message) => processes.write(instance, GENERATION, message),
        stop: () => processes.stop(instance, GENERATION, true),
      },
    });
  }
}

// — internal —

/** A replay has one process. */
const GENERATION = 1;
const IDENTITY = { name: 'mcpd', title: 'mcpd', version: VERSION };

function nothingToAsk(server: string, call: number | null): McpdError {
  if (call === null) {
    return new McpdError('RECORDING_EMPTY', {
      what: `the recording of ${server} has no request that could be asked again`,
      fix: `mcpd record ${server} on, then use it`,
    });
  }
  return new McpdError('RECORDING_EMPTY', {
    what: `the recording of ${server} has no request with the number ${call}`,
    fix: `mcpd record ${server} show`,
  });
}
