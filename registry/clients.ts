import type { Db } from './db.ts';

/** A client that may come in by HTTP. Its token is kept nowhere: only the sha-256 (hex) of it. */
export interface ClientRow {
  name: string;
  digest: string;
  /** Milliseconds since 1970. */
  addedAt: number;
}

export interface ClientTable {
  /** By name. */
  all(): ClientRow[];
  /** False when the name is taken; nothing changes then. */
  add(client: ClientRow): boolean;
  /** True when it was there. */
  remove(name: string): boolean;
}

export function clientTableOf(db: Db): ClientTable {
  const all = db.prepare<[], ClientRow>('SELECT name, digest, added_at AS addedAt FROM clients ORDER BY name');
  const add = db.prepare<[ClientRow]>(
    'INSERT INTO clients (name, digest, added_at) VALUES (@name, @digest, @addedAt) ON CONFLICT (name) DO NOTHING',
  );
  const remove = db.prepare<[string]>('DELETE FROM clients WHERE name = ?');
  return {
    all: () => all.all(),
    add: (client) => add.run(client).changes === 1,
    remove: (name) => remove.run(name).changes === 1,
  };
}
