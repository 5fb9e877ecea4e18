import { HOST_TASK_LISTENS_MAX } from '../input-limits.ts';
import { parsedTaskId } from '../protocol/tasks.ts';
import { listen } from './listening.ts';
import { instancesOf } from './places.ts';
import type { Core, HostSession, Instance } from './state.ts';
import { watchKey } from './subscriptions.ts';
import { supportOf, taskPlace } from './tasks.ts';

/**
 * The tasks that modern hosts listen for: part of mcpd's own subscriptions/listen at the server. A server that does not run is not started
 * for them, since a task of its ended process has no news.
 */

/** Of the ids that a host asks for, those of its own tasks, or of such as only their server knows. */
export function grantedTasks(core: Core, session: HostSession, asked: unknown): Map<string, string> {
  const granted = new Map<string, string>();
  for (const id of Array.isArray(asked) ? asked : []) {
    if (granted.size >= HOST_TASK_LISTENS_MAX) break;
    const target = typeof id === 'string' ? targetOf(session, id) : null;
    if (target !== null && placeOf(core, session, target) !== null)
      granted.set(watchKey(target.server, target.raw), String(id));
  }
  return granted;
}

export function watchTasks(core: Core, session: HostSession, tasks: ReadonlyMap<string, string>): void {
  const touched = new Set<Instance>();
  for (const key of tasks.keys()) {
    const target = targetIn(key);
    const instance = placeOf(core, session, target);
    if (instance === null) continue;
    const sessions = instance.taskWatchers.get(target.raw);
    if (sessions === undefined) instance.taskWatchers.set(target.raw, new Set([session.id]));
    else sessions.add(session.id);
    touched.add(instance);
  }
  for (const instance of touched) alignTasks(core, instance);
}

/** A session gave these up, by `watchKey`; what it does not listen for in another way is given up at the servers. */
export function releaseTasks(core: Core, session: HostSession, keys: Iterable<string>): void {
  const touched = new Set<Instance>();
  for (const key of keys) {
    if ([...session.listens.values()].some(({ tasks }) => tasks.has(key))) continue;
    const { server, raw } = targetIn(key);
    for (const instance of instancesOf(core, server)) {
      const sessions = instance.taskWatchers.get(raw);
      if (sessions === undefined || !sessions.delete(session.id)) continue;
      if (sessions.size === 0) instance.taskWatchers.delete(raw);
      touched.add(instance);
    }
  }
  for (const instance of touched) alignTasks(core, instance);
}

// — internal —

interface TaskTarget {
  server: string;
  raw: string;
}

function targetOf({ door }: HostSession, id: string): TaskTarget | null {
  return door.scope.kind === 'server' ? { server: door.scope.server, raw: id } : parsedTaskId(id);
}

function targetIn(key: string): TaskTarget {
  const border = key.indexOf('\n');
  return { server: key.slice(0, border), raw: key.slice(border + 1) };
}

function placeOf(core: Core, session: HostSession, { server, raw }: TaskTarget): Instance | null {
  const known = core.servers.get(server);
  if (known === undefined || !known.definition.enabled) return null;
  const instance = taskPlace(core, session, known, raw);
  if (instance === null || instance === 'foreign') return null;
  return supportOf(instance, known)?.extension === true ? instance : null;
}

/** Tells a running server what it does not know yet of what hosts listen for. */
function alignTasks(core: Core, instance: Instance): void {
  const { link } = instance;
  if (link?.step !== 'ready' || link.era !== 'modern') return;
  const wanted = [...instance.taskWatchers.keys()];
  const isSame = wanted.length === link.subscribedTasks.size && wanted.every((raw) => link.subscribedTasks.has(raw));
  if (isSame) return;
  link.subscribedTasks.clear();
  for (const raw of wanted) link.subscribedTasks.add(raw);
  listen(core, instance, link);
}
