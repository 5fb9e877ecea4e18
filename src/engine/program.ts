import type { Paths } from '../paths.ts';

/** The daemon as a program: what is started, for which home, from which environment. */
export interface DaemonProgram {
  paths: Paths;
  /** Absolute path of the script that node runs, and its arguments. */
  script: string;
  args: string[];
  /** Of whoever starts it; only a named part reaches the daemon. */
  env: NodeJS.ProcessEnv;
}
