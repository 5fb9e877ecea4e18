import type { ServerStatus } from '../core/model.ts';

/** What a person should know about it first: why it is off, why it is in its state, or what was found. */
export function remarkOf(server: ServerStatus): string {
  if (!server.enabled) return 'disabled';
  if (server.reason !== null) return server.reason;
  if (server.health === 'ok' || server.health === 'unknown') return '';
  const [finding] = server.findings;
  if (finding !== undefined) return finding;
  return server.state === 'running' || server.lastExit === null ? '' : `before: ${server.lastExit.cause}`;
}
