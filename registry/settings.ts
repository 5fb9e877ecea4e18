import type { Db } from './db.ts';

/** What was set for mcpd as a whole, by name; each value is one JSON text. */
export interface SettingTable {
  of(name: string): string | null;
  /** Null removes it. */
  set(name: string, value: string | null): void;
}

export function settingTableOf(db: Db): SettingTable {
  const of = db.prepare<[string], { value: string }>('SELECT value FROM settings WHERE name = ?');
  const put = db.prepare<[string, string]>(
    'INSERT INTO settings (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value',
  );
  const remove = db.prepare<[string]>('DELETE FROM settings WHERE name = ?');
  return {
    of: (name) => of.get(name)?.value ?? null,
    set: (name, value) => {
      if (value === null) remove.run(name);
      else put.run(name, value);
    },
  };
}
