/** One look at all processes of the machine, and what can be read from it. Pure. */

/** A pid alone is reused; with its start time it names one process for good. */
export interface ProcessId {
  pid: number;
  /** As the system tells it: ticks since boot on Linux, a date elsewhere. Only ever compared for equality. */
  startTime: string;
}

export interface ProcessRow extends ProcessId {
  ppid: number;
  pgid: number;
  /** A zombie still answers `kill(pid, 0)` and counts in its group, but it is gone. */
  zombie: boolean;
  rssBytes: number;
  /** Processor time of all its threads since it began, its ended children not counted; null where the system does not tell. */
  cpuMs: number | null;
  /** `MCPD_INSTANCE` of its environment; null when it has none, cannot be read, or was not asked for. */
  marker: string | null;
}

/** One server's processes, as far as earlier looks knew them. */
export interface FamilyRoot {
  /** Leader of the group that was spawned. */
  leader: ProcessId;
  /** pid → start time of every process once seen in this family: children whose parent ended hang on init and are found by this alone. */
  known: ReadonlyMap<number, string>;
  /** The marker given to the leader. */
  marker: string;
}

export class ProcessTable {
  readonly #rows: ReadonlyMap<number, ProcessRow>;
  readonly #children = new Map<number, ProcessRow[]>();
  readonly #groups = new Map<number, ProcessRow[]>();
  readonly #bearers = new Map<string, ProcessRow[]>();

  constructor(rows: Iterable<ProcessRow>) {
    this.#rows = new Map(Array.from(rows, (row) => [row.pid, row]));
    for (const row of this.#rows.values()) {
      listed(this.#children, row.ppid).push(row);
      listed(this.#groups, row.pgid).push(row);
      if (row.marker !== null) listed(this.#bearers, row.marker).push(row);
    }
  }

  rows(): Iterable<ProcessRow> {
    return this.#rows.values();
  }

  row(pid: number): ProcessRow | undefined {
    return this.#rows.get(pid);
  }

  /** The very process, not another one that got its number. */
  find(id: ProcessId): ProcessRow | undefined {
    const row = this.#rows.get(id.pid);
    return row?.startTime === id.startTime ? row : undefined;
  }

  childrenOf(pid: number): readonly ProcessRow[] {
    return this.#children.get(pid) ?? [];
  }

  /**
   * Living processes of one server: its leader, its group, descendants, and those that left the group, found by what earlier looks knew
   * or by the marker. When the leader's number belongs to another process by now, its group counts as foreign.
   */
  family(root: FamilyRoot): ProcessRow[] {
    const members = new Map<number, ProcessRow>();
    const leader = this.#rows.get(root.leader.pid);
    const groupIsOurs = leader === undefined || leader.startTime === root.leader.startTime;
    const seeds = [
      this.find(root.leader),
      ...(groupIsOurs ? (this.#groups.get(root.leader.pid) ?? []) : []),
      ...Array.from(root.known, ([pid, startTime]) => this.find({ pid, startTime })),
      ...(this.#bearers.get(root.marker) ?? []),
    ];
    const open = seeds.filter((row) => row !== undefined);
    for (let row = open.pop(); row !== undefined; row = open.pop()) {
      if (members.has(row.pid)) continue;
      members.set(row.pid, row);
      open.push(...this.childrenOf(row.pid));
    }
    return [...members.values()].filter((row) => !row.zombie);
  }

  /** `pid` and every process above it. */
  ancestorsOf(pid: number): Set<number> {
    const line = new Set<number>();
    for (let row = this.#rows.get(pid); row !== undefined && !line.has(row.pid); row = this.#rows.get(row.ppid)) {
      line.add(row.pid);
    }
    return line;
  }
}

/** Resident bytes of a whole family. Pages that its processes share are counted once per process, so this errs to the high side. */
export function familyBytes(rows: Iterable<ProcessRow>): number {
  let total = 0;
  for (const row of rows) total += row.rssBytes;
  return total;
}

// — internal —

function listed<K, V>(map: Map<K, V[]>, key: K): V[] {
  const present = map.get(key);
  if (present !== undefined) return present;
  const fresh: V[] = [];
  map.set(key, fresh);
  return fresh;
}
