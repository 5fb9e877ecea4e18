import type { ServerStatus } from '../../../../src/api/contract.ts';
import { StateDot } from '../../ui/state-dot.tsx';
import { healthText, healthTone } from './row.ts';

/** How a server fares, in a word; a dash while it does not run. */
export function HealthOf({ server }: { server: ServerStatus }) {
  const text = healthText(server);
  if (text !== null) return <StateDot tone={healthTone(server)}>{text}</StateDot>;
  return (
    <span title="does not run">
      –<span class="unseen"> does not run</span>
    </span>
  );
}
