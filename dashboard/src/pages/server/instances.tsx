import type { ServerStatus } from '../../../../src/api/contract.ts';
import { StateDot } from '../../ui/state-dot.tsx';
import { stateTone } from '../servers/row.ts';

type Instance = ServerStatus['instances'][number];

/** Whether some host or folder has a process of its own. */
export function hasOwn({ instances }: ServerStatus): boolean {
  return instances.some(({ hosts }) => hosts !== null);
}

/** Which process serves which hosts. */
export function Instances({ instances }: { instances: readonly Instance[] }) {
  return (
    <div class="table-box">
      <table aria-label="Processes">
        <thead>
          <tr>
            <th scope="col">For</th>
            <th scope="col">State</th>
            <th scope="col" class="number">
              Process
            </th>
          </tr>
        </thead>
        <tbody>
          {instances.map(({ instance, state, pid, hosts, folder }) => (
            <tr key={instance}>
              <th scope="row" class="text">
                {hosts === null ? 'all hosts' : hosts.map((name) => name || 'a host without a name').join(', ')}
                {folder === null ? null : <span class="note">in {folder}</span>}
              </th>
              <td>
                <StateDot tone={stateTone({ state })}>{state}</StateDot>
              </td>
              <td class="number">{pid ?? '–'}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
