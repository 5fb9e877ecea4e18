import type { LostRecording, RecordingState } from '../api/contract/recordings.ts';

/** Where the notes are kept: one JSON text. */
export interface NoteStore {
  read(): string | null;
  /** Null removes it. */
  write(text: string | null): void;
}

/**
 * A note of each recording, on disk as long as the recording has something to lose: what a daemon finds of an earlier one is what that one
 * took along. The messages themselves are never written.
 */
export class LostRecordings {
  readonly #store: NoteStore;
  /** Of earlier daemons. */
  readonly #lost: Map<string, LostRecording>;
  /** Of this one. */
  readonly #own = new Map<string, LostRecording>();

  constructor(store: NoteStore) {
    this.#store = store;
    this.#lost = notesIn(store.read());
  }

  of(server: string): LostRecording | null {
    return this.#lost.get(server) ?? null;
  }

  servers(): string[] {
    return [...this.#lost.keys()];
  }

  /** How a recording of this daemon is now. What was lost before is told no more when a new one has begun. */
  note({ server, on, startedAt, endsAt, frames }: RecordingState): void {
    const isLosable = startedAt !== null && (on || frames > 0);
    if (isLosable) {
      this.#own.set(server, { startedAt, endsAt, endedAt: null, frames: null });
      this.#lost.delete(server);
    } else this.#own.delete(server);
    this.#write();
  }

  /** Somebody has read what was lost of it, or the server is gone. */
  dismiss(server: string): void {
    if (this.#lost.delete(server)) this.#write();
  }

  /** The daemon ends in order, `at` this time, and knows what it takes along. */
  ending(states: readonly RecordingState[], at: number): void {
    for (const { server, on, frames } of states) {
      const note = this.#own.get(server);
      if (note === undefined) continue;
      if (on || frames > 0) this.#own.set(server, { ...note, endedAt: at, frames });
      else this.#own.delete(server);
    }
    this.#write();
  }

  #write(): void {
    const notes = Object.fromEntries([...this.#lost, ...this.#own]);
    this.#store.write(Object.keys(notes).length === 0 ? null : JSON.stringify(notes));
  }
}

// — internal —

/** Notes that read, by server. What something else wrote says nothing that could be told. */
function notesIn(text: string | null): Map<string, LostRecording> {
  if (text === null) return new Map();
  try {
    const notes = Object.entries(JSON.parse(text) as Record<string, unknown>);
    return new Map(
      notes.flatMap(([server, value]) => {
        const note = noteIn(value);
        return note === null ? [] : [[server, note] as const];
      }),
    );
  } catch {
    return new Map(); // not JSON, or no object
  }
}

function noteIn(value: unknown): LostRecording | null {
  if (typeof value !== 'object' || value === null) return null;
  const { startedAt, endsAt, endedAt, frames } = value as Record<string, unknown>;
  if (typeof startedAt !== 'number') return null;
  return { startedAt, endsAt: numberOr(endsAt), endedAt: numberOr(endedAt), frames: numberOr(frames) };
}

function numberOr(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
