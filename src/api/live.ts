import type { LiveEvent } from './contract.ts';
import type { DaemonControl } from './daemon-control.ts';

/** A snapshot, then every change; nothing falls between the two. Returns the way to stop. */
export function watchLive(control: DaemonControl, write: (event: LiveEvent) => void): () => void {
  write({ type: 'snapshot', status: control.status(), servers: control.servers(), sessions: control.sessions() });
  return control.watch(write);
}
