import type {
  LostRecording,
  RecordedFrame,
  RecordedFrames,
  Recording,
  RecordingState,
  RecordingSwitch,
  ReplayEvent,
  ReplayRequest,
} from '../api/contract/recordings.ts';
import type { ProtocolControl, RecordingControl } from '../api/recording-control.ts';
import type { Effect, GatewayEvent } from '../core/events.ts';
import type { ServerDefinition } from '../core/model.ts';
import { asMcpdError, McpdError } from '../errors.ts';
import { LostRecordings } from '../recorder/lost-recordings.ts';
import { ProtocolLines } from '../recorder/protocol-lines.ts';
import { type PassedMessage, Recorder } from '../recorder/recorder.ts';
import { launchWithoutSecrets } from '../recorder/secret-fields.ts';
import { RECORDING_FOR_MS_MAX, RECORDING_FRAMES_MAX } from '../recorder-limits.ts';
import type { ServerMasks } from '../servers/server-masks.ts';
import { unknownServer } from '../unknown-server.ts';
import { VERSION } from '../version.ts';
import type { Parts } from './parts.ts';
import { Replays } from './replays.ts';
import type { Tap } from './runtime.ts';

/**
 * The flight recorder and the lines of the protocol, at work in this daemon. Loaded by the first who asks for one of them; what passes is
 * looked at while there is something to keep or somebody who watches.
 */
export class Recordings implements RecordingControl, Tap {
  readonly protocol: ProtocolControl;
  readonly #parts: Parts;
  readonly #masks: ServerMasks;
  readonly #lost: LostRecordings;
  readonly #recorder: Recorder;
  readonly #protocol: ProtocolLines;
  readonly #replays: Replays;
  #isNeeded = false;

  constructor(parts: Parts) {
    this.#parts = parts;
    this.#masks = parts.masks;
    this.#replays = new Replays(parts, this.#masks, () => this.#attach());
    this.#lost = new LostRecordings({
      read: () => parts.registry.setting(LOST_SETTING),
      write: (text) => parts.registry.setSetting(LOST_SETTING, text),
    });
    this.#recorder = new Recorder({
      now: () => Math.round((performance.timeOrigin + performance.now()) * 100) / 100,
      maskOf: (server) => this.#masks.of(server),
      sessionOf: (instance, id) =>
        parts.gateway.view.instances.get(instance)?.link?.calls.get(Number(id))?.session ?? null,
      lostOf: (server) => this.#lostOf(server),
      changed: (server) => {
        this.#attach();
        this.#noted(server, () => this.#lost.note(this.#recorder.state(server)));
      },
    });
    this.#protocol = new ProtocolLines({
      now: () => Date.now(),
      clock: parts.now,
      maskOf: (server) => this.#masks.of(server),
      openCall: (...which) => openCall(parts, ...which),
      changed: () => this.#attach(),
    });
    this.protocol = {
      lines: (server) => this.#protocol.lines(this.#known(server).name),
      watch: (server, listener) => this.#protocol.watch(this.#known(server).name, listener),
    };
    parts.ending.addEventListener('abort', () => this.#end(), { once: true });
  }

  all(): RecordingState[] {
    const servers = new Set([...this.#recorder.servers(), ...this.#lost.servers()]);
    const states = [...servers].sort().map((server) => this.#recorder.state(server));
    return states.filter(({ on, frames, lost }) => on || frames > 0 || lost !== null);
  }

  state(server: string): RecordingState {
    this.#known(server);
    return this.#recorder.state(server);
  }

  turn(server: string, request: RecordingSwitch): RecordingState {
    this.#known(server);
    if ((request.forMs ?? 0) > RECORDING_FOR_MS_MAX) {
      throw new McpdError('REQUEST_INVALID', {
        what: `a recording lasts at most ${RECORDING_FOR_MS_MAX / 3_600_000} h`,
        fix: `mcpd record ${server} on --for 24h`,
      });
    }
    return this.#recorder.turn(server, request);
  }

  clear(server: string): RecordingState {
    this.#known(server);
    this.#noted(server, () => this.#lost.dismiss(server));
    return this.#recorder.clear(server);
  }

  frames(server: string, range: { after: number; limit: number }): RecordedFrames {
    this.#known(server);
    return this.#recorder.frames(server, range);
  }

  file(server: string): Recording {
    const { launch } = this.#known(server);
    const { frames, state } = this.#recorder.frames(server, { limit: RECORDING_FRAMES_MAX });
    if (frames.length === 0) throw empty(state);
    return {
      format: 'mcpd-recording',
      version: 1,
      mcpd: VERSION,
      savedAt: Date.now(),
      server,
      launch: launchWithoutSecrets(launch, this.#masks.of(server)),
      protocolVersion: this.#parts.gateway.status(server)?.protocolVersion ?? null,
      dropped: state.dropped,
      frames,
    };
  }

  async replay(
    server: string,
    { call, recording }: ReplayRequest,
    report: (event: ReplayEvent) => void,
    signal: AbortSignal,
  ): Promise<void> {
    const definition = this.#known(server);
    const { frames, protocolVersion } = recording ?? this.file(server);
    await this.#replays.run({ definition, frames, protocolVersion, call: call ?? null }, report, signal);
  }

  takes(event: GatewayEvent): boolean {
    if ('instance' in event && this.#replays.takes(event)) return true;
    if (event.type === 'server-removed') {
      this.#recorder.forget(event.server);
      this.#noted(event.server, () => this.#lost.dismiss(event.server));
      this.#protocol.forget(event.server);
      this.#masks.forget(event.server);
    }
    if (event.type === 'server-message') this.#passed('from-server', event, event.frame);
    return false;
  }

  wrote(effect: Extract<Effect, { type: 'to-server' }>): void {
    this.#passed('to-server', effect, effect.bytes);
  }

  #passed(
    direction: RecordedFrame['direction'],
    { instance, generation }: { instance: string; generation: number },
    message: PassedMessage['message'],
  ): void {
    const server = this.#parts.gateway.view.instances.get(instance)?.server;
    if (server === undefined) return;
    const passed = { server, instance, generation, direction, message };
    this.#recorder.passed(passed);
    this.#protocol.passed(passed);
  }

  #end(): void {
    const states = this.#recorder.servers().map((server) => this.#recorder.state(server));
    const [first] = states;
    if (first !== undefined) this.#noted(first.server, () => this.#lost.ending(states, Date.now()));
    this.#recorder.close();
  }

  /** Not of another server that had that name before. */
  #lostOf(server: string): LostRecording | null {
    const lost = this.#lost.of(server);
    const known = this.#parts.gateway.view.servers.get(server);
    return lost === null || known === undefined || lost.startedAt < known.definition.addedAt ? null : lost;
  }

  /** A disk that is full keeps nobody from recording, but then nobody is told afterwards. */
  #noted(server: string, write: () => void): void {
    try {
      write();
    } catch (thrown) {
      const { message } = asMcpdError(thrown, 'INTERNAL', 'the registry could not be written');
      this.#parts.processes
        .log(server)
        .lifecycle('warn', `should mcpd end, it will not say that a recording was lost: ${message}`);
    }
  }

  #attach(): void {
    const isNeeded = this.#recorder.isKeeping || this.#protocol.isWatched || this.#replays.areRunning;
    if (isNeeded === this.#isNeeded) return;
    this.#isNeeded = isNeeded;
    this.#parts.runtime.attach(isNeeded ? this : null);
  }

  #known(server: string): ServerDefinition {
    const { servers } = this.#parts.gateway.view;
    const known = servers.get(server);
    if (known !== undefined) return known.definition;
    throw unknownServer(server, [...servers.keys()]);
  }
}

// — internal —

/** A call of a host that the server has, by its id between mcpd and the server. */
function openCall({ gateway }: Parts, instance: string, generation: number, id: string) {
  const known = gateway.view.instances.get(instance);
  const call = known?.generation === generation ? known.link?.calls.get(Number(id)) : undefined;
  if (call?.phase.name !== 'sent') return null;
  return { method: call.method, tool: call.method === 'tools/call' ? call.target : null, at: call.phase.sentAt };
}

/** Under which name the registry keeps what would be lost. */
const LOST_SETTING = 'recordings';

function empty({ server, lost }: RecordingState): McpdError {
  const off = 'recording is off until somebody switches it on, and a daemon that restarts forgets what it had';
  return new McpdError('RECORDING_EMPTY', {
    what: `nothing of ${server} is recorded`,
    why: lost === null ? off : 'what was recorded was in memory, and was lost when the daemon ended',
    fix: `mcpd record ${server} on`,
  });
}
