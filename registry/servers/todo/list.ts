import type Database from 'better-sqlite3';
import { ToolFailure } from '../tool-failure.ts';
import { explaining, openDatabase } from './database.ts';
import { ITEMS_MAX, type Item, type ItemChanges, type NewItem, type Priority, type Status } from './schemas.ts';

interface Row {
  id: number;
  text: string;
  priority: Priority;
  due: string | null;
  created_at: string;
  completed_at: string | null;
}

const WHERE: Record<Status, string> = {
  open: 'WHERE completed_at IS NULL',
  done: 'WHERE completed_at IS NOT NULL',
  all: '',
};

/** What is urgent first: open before done, then priority, then the nearer day, then the older item; done ones by when they were done. */
const ORDER = `ORDER BY completed_at IS NOT NULL, completed_at DESC,
  CASE priority WHEN 'high' THEN 0 WHEN 'normal' THEN 1 ELSE 2 END, due IS NULL, due, id`;

/**
 * The list in one SQLite file, opened at the first use: so a broken file is the answer to a call and not a server that cannot start.
 * Every method throws a ToolFailure when the file cannot be used, and for an id that is not there.
 */
export class TodoList {
  readonly file: string;
  private database: Database.Database | undefined;

  constructor(file: string) {
    this.file = file;
  }

  add({ text, priority, due }: NewItem): Item {
    const day = due === undefined || due === '' ? null : realDay(due);
    return this.writing((database) => {
      const { count } = database.prepare<[], { count: number }>('SELECT count(*) AS count FROM items').get() ?? {
        count: 0,
      };
      if (count >= ITEMS_MAX)
        throw new ToolFailure({
          what: `The list is full: it holds ${count} items`,
          fix: 'remove_todo_item for items that are done',
        });
      const insert = database.prepare('INSERT INTO items (text, priority, due, created_at) VALUES (?, ?, ?, ?)');
      return this.get(Number(insert.run(text, priority, day, now()).lastInsertRowid));
    });
  }

  get(id: number): Item {
    const item = this.find(id);
    if (item === undefined)
      throw new ToolFailure({ what: `There is no todo item ${id}`, fix: 'list_todo_items shows the numbers' });
    return item;
  }

  find(id: number): Item | undefined {
    const row = this.reading((database) => database.prepare<[number], Row>('SELECT * FROM items WHERE id = ?').get(id));
    return row && itemOf(row);
  }

  list(status: Status, limit = ITEMS_MAX): { items: Item[]; total: number } {
    return this.reading((database) => {
      const rows = database.prepare<[number], Row>(`SELECT * FROM items ${WHERE[status]} ${ORDER} LIMIT ?`).all(limit);
      const total =
        database.prepare<[], { total: number }>(`SELECT count(*) AS total FROM items ${WHERE[status]}`).get()?.total ??
        0;
      return { items: rows.map(itemOf), total };
    });
  }

  /** What `changes` leaves out stays. Completing an item that is done keeps the time at which it was. */
  update(id: number, changes: ItemChanges): Item {
    const due = changes.due === undefined || changes.due === '' ? changes.due : realDay(changes.due);
    return this.writing((database) => {
      const item = this.get(id);
      const completedAt =
        changes.done === undefined ? item.completed_at : changes.done ? (item.completed_at ?? now()) : null;
      database
        .prepare('UPDATE items SET text = ?, priority = ?, due = ?, completed_at = ? WHERE id = ?')
        .run(
          changes.text ?? item.text,
          changes.priority ?? item.priority,
          due === undefined ? item.due : due || null,
          completedAt,
          id,
        );
      return this.get(id);
    });
  }

  remove(id: number): Item {
    return this.writing((database) => {
      const item = this.get(id);
      database.prepare('DELETE FROM items WHERE id = ?').run(id);
      return item;
    });
  }

  counts(): { open: number; done: number } {
    return { open: this.list('open', 0).total, done: this.list('done', 0).total };
  }

  // — internal —

  private reading<T>(work: (database: Database.Database) => T): T {
    return explaining(this.file, () => {
      this.database ??= openDatabase(this.file);
      return work(this.database);
    });
  }

  /** The lock is taken at the beginning: what was read stays true until it is written. */
  private writing<T>(work: (database: Database.Database) => T): T {
    return this.reading((database) => database.transaction(() => work(database)).immediate());
  }
}

function now(): string {
  return new Date().toISOString();
}

/** @throws {ToolFailure} the calendar has no such day. */
function realDay(day: string): string {
  const date = new Date(`${day}T00:00:00Z`);
  if (Number.isNaN(date.getTime()) || date.toISOString().slice(0, 10) !== day) {
    throw new ToolFailure({ what: `${day} is not a day of the calendar`, fix: 'a day as YYYY-MM-DD' });
  }
  return day;
}

function itemOf({ id, text, priority, due, created_at, completed_at }: Row): Item {
  return { id, text, done: completed_at !== null, priority, due, created_at, completed_at };
}
