import type { Check } from '../api/contract/health.ts';
import type { RegistryStanding } from '../api/contract/search.ts';
import { note, ok, warning } from './check.ts';

const TOPIC = 'registry';

/** Servers whose versions their MCP registry has marked since they were installed. */
export function judgeStandings(standings: readonly RegistryStanding[]): Check[] {
  if (standings.length === 0) return [];
  const checks = standings.flatMap(judgeStanding);
  return checks.length > 0
    ? checks
    : [ok(TOPIC, 'every server that came from an MCP registry is in good standing there')];
}

// — internal —

function judgeStanding({ server, name, version, place, status, statusMessage, error }: RegistryStanding): Check[] {
  const unasked =
    error === null
      ? []
      : [note(TOPIC, `${server}: how ${name} stands could not be asked: ${error.what}`, error.fix ?? null)];
  if (status === null)
    return error === null
      ? [note(TOPIC, `${server}: no MCP registry that is asked has its version of ${name}`)]
      : unasked;
  if (status === 'active') return unasked;
  const why = statusMessage === null ? '' : `: ${statusMessage}`;
  const text = `${server}: ${name} ${version} is ${status} at ${place}${why}`;
  const fix =
    status === 'deleted'
      ? `mcpd uninstall ${server}, unless you know why; or mcpd update ${server}`
      : `mcpd update ${server}`;
  return [warning(TOPIC, text, fix), ...unasked];
}
