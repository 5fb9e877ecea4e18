import { PROTOCOL_QUEUE_BYTES_MAX } from '../recorder-limits.ts';
import { amount } from '../shown.ts';
import type { LogLine } from './contract/logs.ts';

/** Protocol lines for a reader that may be behind: he gets fewer instead of a queue, and is told how many were left out. Pure. */
export class OwedProtocol {
  #leftOut = 0;

  /** What may be written now. `waitingBytes` were given to the reader and are not taken. */
  take(line: LogLine, waitingBytes: number): LogLine[] {
    if (waitingBytes <= PROTOCOL_QUEUE_BYTES_MAX) return [...this.owed(line.at, waitingBytes), line];
    this.#leftOut++;
    return [];
  }

  /** What a reader that has caught up is told, `at` this time. */
  owed(at: number, waitingBytes: number): LogLine[] {
    if (this.#leftOut === 0 || waitingBytes > PROTOCOL_QUEUE_BYTES_MAX) return [];
    const text = `(${amount(this.#leftOut, 'message')} left out here: they came faster than they were read)`;
    this.#leftOut = 0;
    return [{ at, source: 'protocol', level: 'warn', text }];
  }
}
