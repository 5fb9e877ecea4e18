import { COMMAND_SHOWN_CHARS } from '../limits.ts';
import type { FamilyRoot, ProcessRow, ProcessTable } from './process-table.ts';

/** One process and those below it, as people see them. */
interface ProcessNode {
  pid: number;
  command: string;
  rssBytes: number;
  children: ProcessNode[];
}

export interface FamilyTree {
  /** Null when its leader is gone. */
  root: ProcessNode | null;
  /** Members of the family that do not hang below the leader: handed to init, or in a group of their own. */
  strays: ProcessNode[];
}

/** A family as trees. `commandOf` gives the text to show; secrets are masked in it already. */
export function treeOf(table: ProcessTable, family: FamilyRoot, commandOf: (pid: number) => string): FamilyTree {
  const open = new Map(table.family(family).map((row) => [row.pid, row]));
  const leader = table.find(family.leader);
  const root = leader !== undefined && open.has(leader.pid) ? node(leader) : null;
  const strays: ProcessNode[] = [];
  // A stray below another stray is shown there: begin with those whose parent is not of the family.
  for (const row of [...open.values()].sort((a, b) => Number(open.has(a.ppid)) - Number(open.has(b.ppid)))) {
    if (open.has(row.pid)) strays.push(node(row));
  }
  return { root, strays };

  function node(row: ProcessRow): ProcessNode {
    open.delete(row.pid);
    const below = table.childrenOf(row.pid).filter((child) => open.has(child.pid));
    const command = commandOf(row.pid);
    return {
      pid: row.pid,
      command: command.length > COMMAND_SHOWN_CHARS ? `${command.slice(0, COMMAND_SHOWN_CHARS)}…` : command,
      rssBytes: row.rssBytes,
      children: below.map(node),
    };
  }
}
