import type {
  LostRecording,
  RecordedFrame,
  RecordedFrames,
  RecordingState,
  RecordingSwitch,
} from '../api/contract/recordings.ts';
import type { Bytes, Frame } from '../protocol/frame.ts';
import {
  RECORDING_ANSWER_FRAMES,
  RECORDING_BYTES_MAX,
  RECORDING_FOR_MS,
  RECORDING_FRAMES_MAX,
  RECORDINGS_BYTES_MAX,
} from '../recorder-limits.ts';
import { descriptionOf, framesIn } from './description.ts';
import { keptName, keptOf, type Mask } from './keeping.ts';
import { FrameRing } from './ring.ts';
import { makeRoom } from './room.ts';

/** A message between mcpd and a process of a server. */
export interface PassedMessage {
  server: string;
  instance: string;
  generation: number;
  direction: RecordedFrame['direction'];
  /** A frame where somebody has read it already. */
  message: Frame | Bytes;
}

export interface RecorderOptions {
  /** Milliseconds since 1970. */
  now(): number;
  /** Hides the secrets that this server has at the moment. */
  maskOf(server: string): Mask;
  /** Whose call it is that has this id between mcpd and the server; asked while it is open. */
  sessionOf(instance: string, id: string): string | null;
  /** What an earlier daemon had recorded of it and took along. */
  lostOf(server: string): LostRecording | null;
  /** Called when this server's recording was switched, has gone off or was cleared, and `isKeeping` may be another. */
  changed(server: string): void;
  /** Memory of what is kept of all servers; RECORDINGS_BYTES_MAX unless given. */
  bytesMax?: number;
}

/** Which servers are recorded, and what is kept of each. */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #recordings = new Map<string, OneRecording>();
  #lastSeq = 0;

  constructor(options: RecorderOptions) {
    this.#options = options;
  }

  /** Of some server something is kept or will be: until then nobody needs to tell of messages. */
  get isKeeping(): boolean {
    return this.#recordings.size > 0;
  }

  state(server: string): RecordingState {
    const recording = this.#recordings.get(server);
    const ring = recording?.ring;
    return {
      server,
      on: recording?.timer != null,
      startedAt: recording?.startedAt ?? null,
      endsAt: recording?.timer == null ? null : recording.endsAt,
      frames: ring?.size ?? 0,
      bytes: ring?.bytes ?? 0,
      firstSeq: ring?.firstSeq ?? 0,
      lastSeq: ring?.lastSeq ?? 0,
      dropped: ring?.dropped ?? 0,
      droppedForOthers: ring?.droppedForOthers ?? 0,
      framesMax: RECORDING_FRAMES_MAX,
      bytesMax: RECORDING_BYTES_MAX,
      lost: this.#options.lostOf(server),
    };
  }

  /** Of which something is kept, or will be. */
  servers(): string[] {
    return [...this.#recordings.keys()];
  }

  /** Switched on again, it goes on behind what it has; only its end is another. */
  turn(server: string, { on, forMs = RECORDING_FOR_MS }: RecordingSwitch): RecordingState {
    this.#stop(server);
    if (on) {
      const startedAt = this.#options.now();
      const ring = this.#recordings.get(server)?.ring ?? new FrameRing(BOUNDS);
      const timer = setTimeout(() => this.turn(server, { on: false }), forMs);
      timer.unref();
      this.#recordings.set(server, { ring, startedAt, endsAt: startedAt + forMs, timer });
    }
    this.#options.changed(server);
    return this.state(server);
  }

  /** Forgets what is kept, and goes on if it is on. */
  clear(server: string): RecordingState {
    const recording = this.#recordings.get(server);
    recording?.ring.clear();
    if (recording?.timer === null) this.#recordings.delete(server);
    this.#options.changed(server);
    return this.state(server);
  }

  /** Of a server that is gone. */
  forget(server: string): void {
    this.#stop(server);
    this.#recordings.delete(server);
    this.#options.changed(server);
  }

  frames(
    server: string,
    { after = 0, limit = RECORDING_ANSWER_FRAMES }: { after?: number; limit?: number },
  ): RecordedFrames {
    const state = this.state(server);
    const frames = this.#recordings.get(server)?.ring.after(after, limit) ?? [];
    return { state, frames, more: (frames.at(-1)?.seq ?? state.lastSeq) < state.lastSeq };
  }

  passed({ server, instance, generation, direction, message }: PassedMessage): void {
    const recording = this.#recordings.get(server);
    if (recording === undefined || recording.timer === null) return;
    const { now, maskOf, sessionOf } = this.#options;
    const isFrame = 'envelope' in message;
    const bytes = isFrame ? message.bytes : message;
    const mask = maskOf(server);
    const named = (text: string | null) => (text === null ? null : keptName(text, mask));
    for (const { envelope, length, target } of (isFrame ? [message] : framesIn(message)).map(descriptionOf)) {
      const at = now();
      const { kind } = envelope;
      const id = named(kind === 'notification' ? null : envelope.id);
      const isAnswer = kind === 'result' || kind === 'error';
      const request = isAnswer ? recording.ring.answeredBy({ instance, generation, direction, id }) : null;
      const asked = kind === 'request' ? (direction === 'to-server' ? id : null) : (request?.id ?? null);
      this.#lastSeq++;
      recording.ring.add({
        seq: this.#lastSeq,
        at,
        direction,
        instance,
        generation,
        session: request?.session ?? (asked === null ? null : sessionOf(instance, asked)),
        kind,
        id,
        method: isAnswer ? (request?.method ?? null) : named(envelope.method),
        target: request?.target ?? named(target),
        answers: request?.seq ?? null,
        tookMs: request === null ? null : Math.max(0, at - request.at),
        bytes: length,
        ...keptOf(bytes, mask),
      });
      this.#makeRoom();
    }
  }

  /** Switches everything off; the daemon ends. */
  close(): void {
    for (const server of this.#recordings.keys()) this.#stop(server);
  }

  // — internal —

  #makeRoom(): void {
    const recordings = Array.from(this.#recordings.values(), ({ ring, timer }) => ({ ring, isOn: timer !== null }));
    makeRoom(recordings, this.#options.bytesMax ?? RECORDINGS_BYTES_MAX);
  }

  #stop(server: string): void {
    const recording = this.#recordings.get(server);
    if (recording?.timer == null) return;
    clearTimeout(recording.timer);
    recording.timer = null;
  }
}

const BOUNDS = { framesMax: RECORDING_FRAMES_MAX, bytesMax: RECORDING_BYTES_MAX };

interface OneRecording {
  ring: FrameRing;
  startedAt: number;
  endsAt: number;
  /** Until it goes off by itself; null while it is off. */
  timer: NodeJS.Timeout | null;
}
