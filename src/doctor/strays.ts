import type { Check } from '../api/contract/health.ts';
import type { ProcessTree } from '../api/contract.ts';
import { note } from './check.ts';

/** Processes that a server has left outside its tree: they end with it, and are worth knowing. */
export function judgeStrays({ servers }: Pick<ProcessTree, 'servers'>): Check[] {
  return servers.flatMap(({ instance, root, strays }) => {
    if (strays.length === 0) return [];
    const whose = root === null ? `${instance}, which has ended` : instance;
    const pids = strays.map(({ pid }) => pid).join(', ');
    return [note('processes', `outside the tree of ${whose}: ${pids}`, 'mcpd ps --tree')];
  });
}
