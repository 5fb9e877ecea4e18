import type { LogLine } from './contract/logs.ts';
import type {
  RecordedFrames,
  Recording,
  RecordingState,
  RecordingSwitch,
  ReplayEvent,
  ReplayRequest,
} from './contract/recordings.ts';

/** One line for each message that passes, for whoever watches. */
export interface ProtocolControl {
  /** The newest, oldest first; kept only while somebody watches that server. */
  lines(server: string): LogLine[];
  /** Calls `listener` with each from now on; returns the way to stop. */
  watch(server: string, listener: (line: LogLine) => void): () => void;
}

/** What the API needs of the flight recorder. All of it throws McpdError SERVER_UNKNOWN. */
export interface RecordingControl {
  readonly protocol: ProtocolControl;
  /** Of every server of which something is or was kept, by name. */
  all(): RecordingState[];
  state(server: string): RecordingState;
  /** @throws McpdError REQUEST_INVALID */
  turn(server: string, request: RecordingSwitch): RecordingState;
  /** Forgets what is kept. */
  clear(server: string): RecordingState;
  frames(server: string, range: { after: number; limit: number }): RecordedFrames;
  /** @throws McpdError RECORDING_EMPTY */
  file(server: string): Recording;
  /**
   * Resolves when the process is gone and the last event was given to `report`; an aborted `signal` calls it off.
   * @throws McpdError RECORDING_EMPTY, SERVER_START_FAILED, CALL_TIMEOUT, SERVER_BUSY
   */
  replay(
    server: string,
    request: ReplayRequest,
    report: (event: ReplayEvent) => void,
    signal: AbortSignal,
  ): Promise<void>;
}
