import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { DaemonClient } from '../src/control/client.ts';
import type { Engine } from '../src/control/engine.ts';
import { ensureDaemon, findDaemon, type StopOptions, stopDaemon } from '../src/control/ensure-daemon.ts';
import { prepareHome } from '../src/home.ts';
import type { Paths } from '../src/paths.ts';
import { VERSION } from '../src/version.ts';
import type { Output } from './output.ts';

/** The way to the daemon of one home. */
export interface Connection {
  /** The running daemon; starts it when there is none. */
  daemon(): Promise<DaemonClient>;
  /** The daemon if it runs; never starts it. */
  runningDaemon(): Promise<DaemonClient | null>;
  /** False when there was none. */
  stopDaemon(options: StopOptions): Promise<boolean>;
}

/** `dist` is the folder of the built files. What starts the daemon is loaded only when it must be started or stopped. */
export function connectionTo(paths: Paths, dist: string, env: NodeJS.ProcessEnv, output: Output): Connection {
  const say = (text: string) => output.say(output.sayPaint.dim(text));
  const engine = async (): Promise<Engine> => {
    // What it warns of stands in the daemon's own status too, and is told there.
    prepareHome(paths.home, { probe: false });
    const { daemonEngine } = await import('../src/engine/engine.ts');
    return daemonEngine({ paths, script: join(dist, 'daemon.cjs'), args: [], env });
  };
  return {
    daemon: () => ensureDaemon({ paths, version: VERSION, engine, say }),
    runningDaemon: () => findDaemon(paths),
    stopDaemon: async (options) => existsSync(paths.home) && stopDaemon({ paths, engine, ...options }),
  };
}
