import type { ServerLimits } from '../core/model.ts';
import { crossedLimit, type MemoryLevel, memoryCause, memoryLevel } from './memory-watch.ts';
import { type FamilyRoot, familyBytes, type ProcessRow, type ProcessTable } from './process-table.ts';
import { type Force, groupExists, signalGroup, signalProcess } from './signals.ts';

/** All processes of one spawn: its leader, its group, and descendants wherever they went. */
export class Family {
  readonly pid: number;
  #root: FamilyRoot;
  #memory: MemoryLevel = 'under';
  #memoryBytes = 0;
  /** Told to end already: a second SIGTERM means "at once" to some programs. */
  readonly #told = new Set<number>();

  constructor(leader: number, marker: string) {
    this.pid = leader;
    this.#root = { leader: { pid: leader, startTime: '' }, known: new Map(), marker };
  }

  get root(): FamilyRoot {
    return this.#root;
  }

  /** Empty where the system does not tell: then nothing is ever found in a table. */
  identify(startTime: string): void {
    this.#root = { ...this.#root, leader: { pid: this.pid, startTime } };
  }

  /** Takes note of descendants and memory. Returns the limit that was crossed since the last look, and the bytes. */
  measure(table: ProcessTable, limits: ServerLimits): { limit: 'soft' | 'hard'; bytes: number } | null {
    const rows = table.family(this.#root);
    this.#remember(rows);
    const before = this.#memory;
    this.#memoryBytes = familyBytes(rows);
    this.#memory = memoryLevel(this.#memoryBytes, limits);
    const limit = crossedLimit(before, this.#memory);
    return limit === null ? null : { limit, bytes: this.#memoryBytes };
  }

  /** The reason for a kill, when memory is one. */
  memoryCause(limits: ServerLimits): string | null {
    return this.#memory === 'hard' ? memoryCause(this.#memoryBytes, limits) : null;
  }

  /** After the leader's exit: signals what is left of it. Tells whether nothing was. */
  end(table: ProcessTable | null, force: Force | null): 'empty' | 'alive' {
    if (table === null) return this.#endUnseen(force);
    const rows = table.family(this.#root);
    this.#remember(rows);
    for (const { pid } of rows) {
      if (force === 'kill' || (force === 'end' && !this.#told.has(pid))) signalProcess(pid, force);
      if (force !== null) this.#told.add(pid);
    }
    return rows.length === 0 ? 'empty' : 'alive';
  }

  /** Nothing can be listed; but as long as the group has members, its number belongs to it. */
  #endUnseen(force: Force | null): 'empty' | 'alive' {
    if (!groupExists(this.pid)) return 'empty';
    if (force !== null) signalGroup(this.pid, force);
    return 'alive';
  }

  /** Only what lives is kept, so that a server which starts a thousand short processes costs nothing. */
  #remember(rows: readonly ProcessRow[]): void {
    this.#root = { ...this.#root, known: new Map(rows.map((row) => [row.pid, row.startTime])) };
  }
}
