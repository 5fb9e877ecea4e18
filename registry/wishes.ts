import type { ServerName, Wish } from '../src/core/model.ts';
import type { Db } from './db.ts';

/** What people said last by `start` or `stop`, in a column of `servers` that goes with its row and no definition replaces. */
export interface WishTable {
  /** Without those that have none. */
  all(): Map<ServerName, Wish>;
  save(server: ServerName, wish: Wish): void;
  forget(): void;
}

export function wishTableOf(db: Db): WishTable {
  const all = db.prepare<[], { name: string; wish: string }>('SELECT name, wish FROM servers WHERE wish IS NOT NULL');
  const save = db.prepare<[Wish, string]>('UPDATE servers SET wish = ? WHERE name = ?');
  const forget = db.prepare('UPDATE servers SET wish = NULL WHERE wish IS NOT NULL');
  return {
    all: () => new Map(all.all().map(({ name, wish }) => [name, wish === 'up' || wish === 'down' ? wish : null])),
    save: (server, wish) => {
      save.run(wish, server);
    },
    forget: () => {
      forget.run();
    },
  };
}
