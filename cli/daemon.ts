/** What the commands ask of the daemon, whoever carries it there. */
export interface Daemon {
  /** One answer of the control API. @throws McpdError as the daemon reported it */
  request<T>(method: 'GET' | 'POST' | 'PATCH' | 'DELETE', path: string, body?: unknown): Promise<T>;
  /** An answer of several lines, one JSON value each; ends with the answer or when `signal` is aborted. */
  lines<T>(method: 'GET' | 'POST', path: string, body: unknown, signal: AbortSignal): AsyncIterable<T>;
}
