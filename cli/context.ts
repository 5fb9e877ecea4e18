import type { Paths } from '../src/paths.ts';
import type { Command } from './command.ts';
import type { Connection } from './daemon.ts';
import type { Output, Sink } from './output.ts';
import type { Keyboard } from './prompt/ask.ts';
import type { PipedInput } from './prompt/piped.ts';

/** What a command is given. It reads no global state, so that it can be run twice in one process. */
export interface Context extends Connection {
  env: NodeJS.ProcessEnv;
  cwd: string;
  paths: Paths;
  /** The folder of mcpd's built files: `stdio.cjs`, `daemon.cjs`. */
  dist: string;
  output: Output;
  /** Standard error, for live lines. */
  screen: Sink;
  input: PipedInput;
  /** Null when nobody can be asked: standard input is no terminal. */
  keyboard: Keyboard | null;
  /** Aborted by the first Ctrl-C. */
  signal: AbortSignal;
  /** Lets Ctrl-C go to whoever runs in this process next (the daemon). */
  releaseSignals(): void;
  commands: readonly Command[];
}
