import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { HTTP_QUEUED_MAX } from '../../http-limits.ts';

/** The answers of a connection whose turn has not come: requests may be sent before those in front of them are answered. */
const QUEUED = new WeakMap<Socket, Set<ServerResponse>>();

/**
 * Puts an answer that has no connection yet behind the others of its own, and has it told when that ends: Node tells only the one that is
 * being written. False: too many wait there.
 */
export function queue(outgoing: ServerResponse, socket: Socket): boolean {
  const queued = QUEUED.get(socket) ?? queueOf(socket);
  const fits = queued.size < HTTP_QUEUED_MAX;
  queued.add(outgoing);
  outgoing.once('close', () => queued.delete(outgoing));
  return fits;
}

// — internal —

function queueOf(socket: Socket): Set<ServerResponse> {
  const queued = new Set<ServerResponse>();
  QUEUED.set(socket, queued);
  socket.once('close', () => {
    for (const outgoing of [...queued].filter((one) => one.socket === null)) {
      outgoing.destroy();
      outgoing.emit('close');
    }
  });
  return queued;
}
