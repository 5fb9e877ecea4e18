import type { ExposedName } from '../src/core/model.ts';
import { EXPOSED_NAMES_KEPT_PER_SERVER } from '../src/limits.ts';
import type { Db } from './db.ts';

export interface NameTable {
  /** All names ever exposed, oldest first. */
  all(): ExposedName[];
  /** One transaction. A name that is there already changes its owner and keeps its age. */
  save(names: readonly ExposedName[]): void;
}

type NameRow = ExposedName & { id: number };

export function nameTableOf(db: Db): NameTable {
  const all = db.prepare<[], NameRow>('SELECT id, kind, exposed, server, raw FROM exposed_names ORDER BY id');
  const forget = db.prepare<[number]>('DELETE FROM exposed_names WHERE id = ?');
  const save = db.prepare<[ExposedName]>(`
    INSERT INTO exposed_names (kind, exposed, server, raw) VALUES (@kind, @exposed, @server, @raw)
    ON CONFLICT (kind, exposed) DO UPDATE SET server = excluded.server, raw = excluded.raw`);
  const saveAll = db.transaction((names: readonly ExposedName[]) => {
    for (const name of names) save.run(name);
  });
  const forgetAll = db.transaction((rows: readonly NameRow[]) => {
    for (const row of rows) forget.run(row.id);
  });
  return {
    all: () => {
      const { kept, over } = shares(all.all());
      if (over.length > 0) forgetAll(over);
      return kept;
    },
    save: (names) => {
      saveAll(names);
    },
  };
}

// — internal —

/** Every server keeps its newest names up to its share. One that is forgotten too early is made again, most often the same. */
function shares(rows: readonly NameRow[]): { kept: ExposedName[]; over: NameRow[] } {
  const counts = new Map<string, number>();
  for (const { server } of rows) counts.set(server, (counts.get(server) ?? 0) + 1);
  const kept: ExposedName[] = [];
  const over: NameRow[] = [];
  for (const row of rows) {
    const count = counts.get(row.server) ?? 0;
    if (count > EXPOSED_NAMES_KEPT_PER_SERVER) {
      counts.set(row.server, count - 1);
      over.push(row);
    } else {
      kept.push({ kind: row.kind, exposed: row.exposed, server: row.server, raw: row.raw });
    }
  }
  return { kept, over };
}
