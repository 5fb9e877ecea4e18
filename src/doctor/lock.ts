import type { Check } from '../api/contract/health.ts';
import type { LockState } from '../api/contract/lock.ts';
import { ok, warning } from './check.ts';

/** Servers that are not what a person agreed to: an update that nobody asked for, or tools that say something else by now. */
export function judgeLock(states: readonly Pick<LockState, 'server' | 'differences'>[]): Check[] {
  if (states.length === 0) return [];
  const found = states.flatMap(({ server, differences }) =>
    differences.map((text) =>
      warning(
        'lock',
        `${server}: ${text}`,
        `look at it (mcpd lock ${server}), and when it is well: mcpd lock ${server} --agree`,
      ),
    ),
  );
  return found.length > 0 ? found : [ok('lock', 'every server is what mcpd.lock says')];
}
