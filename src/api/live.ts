import type { LiveEvent } from './contract.ts';
import type { DaemonControl } from './daemon-control.ts';
import { HeldFigures } from './live-figures.ts';

/** Where live events go. */
export interface LiveReader {
  write(event: LiveEvent): void;
  /** Bytes that it was given and has not taken. */
  waitingBytes(): number;
}

export interface LiveWatch {
  /** The reader has taken something of what it was given. */
  taken(): void;
  stop(): void;
}

/** A snapshot with the figures of all servers, then every change; nothing falls between the two. */
export function watchLive(control: DaemonControl, reader: LiveReader): LiveWatch {
  const held = new HeldFigures();
  reader.write({
    type: 'snapshot',
    status: control.status(),
    servers: control.servers(),
    sessions: control.sessions(),
  });
  const figures = control.figures.all();
  if (figures.length > 0) reader.write({ type: 'figures', figures });
  const stopChanges = control.watch((event) => {
    if (event.type === 'server-removed') held.removed(event.name);
    reader.write(event);
  });
  const stopFigures = control.figures.watch((event) => {
    const due = held.take(event, reader.waitingBytes());
    if (due !== null) reader.write(due);
  });
  return {
    taken: () => {
      for (const event of held.owed(reader.waitingBytes())) reader.write(event);
    },
    stop: () => {
      stopChanges();
      stopFigures();
    },
  };
}
