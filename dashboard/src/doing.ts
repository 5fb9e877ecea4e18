import type { ServerStatus } from '../../src/api/contract.ts';
import { patch, post } from './api.ts';
import { failed, told } from './ui/toasts.tsx';

/** What a page may do with a server by itself. Everything else is typed in a terminal. */
export type Doing = 'start' | 'stop' | 'restart' | 'enable' | 'disable';

export const DOINGS: Record<Doing, { label: string; done: string }> = {
  start: { label: 'Start', done: 'started' },
  stop: { label: 'Stop', done: 'stopped' },
  restart: { label: 'Restart', done: 'restarted' },
  enable: { label: 'Enable', done: 'enabled' },
  disable: { label: 'Disable', done: 'disabled' },
};

/** Resolves when the server is up, or stopped. @throws {ApiError} */
export function doTo(name: string, doing: Doing): Promise<ServerStatus> {
  if (doing === 'enable' || doing === 'disable') return patch(`/api/servers/${name}`, { enabled: doing === 'enable' });
  return post(`/api/servers/${name}/${doing}`);
}

/** To each of them, a few at once; says in a toast how many were done, and why others were not. */
export async function doToAll(names: readonly string[], doing: Doing): Promise<void> {
  const waiting = [...names];
  const done: string[] = [];
  const work = async () => {
    for (let name = waiting.shift(); name !== undefined; name = waiting.shift()) {
      try {
        await doTo(name, doing);
        done.push(name);
      } catch (thrown) {
        failed(thrown);
      }
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE_MAX }, work));
  const [only] = done;
  if (only !== undefined) told(`${done.length === 1 ? only : `${done.length} servers`} ${DOINGS[doing].done}`);
}

// — internal —

/** A browser has six connections to one address: the page itself needs the others. */
const AT_ONCE_MAX = 3;
