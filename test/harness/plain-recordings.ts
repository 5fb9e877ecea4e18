import type { RecordedFrames, Recording, RecordingState, RecordingSwitch } from '../../src/api/contract/recordings.ts';
import type { RecordingControl } from '../../src/api/recording-control.ts';
import { ProtocolLines } from '../../src/recorder/protocol-lines.ts';
import { Recorder } from '../../src/recorder/recorder.ts';

/** A recorder to which messages are given by hand, for servers that are not there. */
export class PlainRecordings implements RecordingControl {
  readonly recorder = new Recorder({
    now: () => 1_000,
    maskOf: () => (text) => text,
    sessionOf: () => null,
    lostOf: () => null,
    changed: () => undefined,
  });
  readonly protocol = new ProtocolLines({
    now: () => 1_000,
    clock: () => 1_000,
    maskOf: () => (text) => text,
    openCall: () => null,
    changed: () => undefined,
  });
  readonly #check: (server: string) => void;

  /** @param check throws for a server that is not known */
  constructor(check: (server: string) => void) {
    this.#check = check;
  }

  all(): RecordingState[] {
    return this.recorder.servers().map((server) => this.recorder.state(server));
  }

  state(server: string): RecordingState {
    this.#check(server);
    return this.recorder.state(server);
  }

  turn(server: string, request: RecordingSwitch): RecordingState {
    this.#check(server);
    return this.recorder.turn(server, request);
  }

  clear(server: string): RecordingState {
    this.#check(server);
    return this.recorder.clear(server);
  }

  frames(server: string, range: { after: number; limit: number }): RecordedFrames {
    this.#check(server);
    return this.recorder.frames(server, range);
  }

  file(server: string): Recording {
    const { frames, state } = this.frames(server, { after: 0, limit: 100 });
    const head = { format: 'mcpd-recording', version: 1, mcpd: '0.1.0', savedAt: 1_000 } as const;
    return { ...head, server, launch: null, protocolVersion: null, dropped: state.dropped, frames };
  }

  async replay(...[server, , report]: Parameters<RecordingControl['replay']>): Promise<void> {
    this.#check(server);
    report({ type: 'done', durationMs: 1, equal: 0, different: 0, unanswered: 0, uncompared: 0, skipped: 0 });
  }
}
