/** The part of the contract about what servers went through. Times are milliseconds since 1970. */

/**
 * Where daemons of this home began and ended. `lost`: it was killed or crashed, and nobody wrote its end down; then `at` is when its
 * servers' guardian saw it, or that of its last record, as `reason` says.
 */
export interface DaemonMark {
  at: number;
  mark: 'began' | 'ended' | 'lost';
  /** For people. */
  reason: string;
}
