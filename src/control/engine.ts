/** How daemons are started and kept alive, as this folder needs it. `src/engine/pm2.ts` is one; the CLI hands it in. */
export interface Engine {
  /** Starts the daemon. Resolves when the attempt is over, whatever came of it: whether it runs, its socket says. @throws McpdError PM2_FAILED */
  start(): Promise<void>;
  /** Ends what keeps the daemon alive, and a daemon that it started; false when there is nothing. @throws McpdError PM2_FAILED */
  stop(): Promise<boolean>;
  /** Only one process at a time starts, stops or replaces the daemon. @throws McpdError DAEMON_START_FAILED when another takes too long */
  underLock<T>(work: () => Promise<T>): Promise<T>;
}
