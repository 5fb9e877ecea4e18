import type { Instance } from '../../src/core/state.ts';
import type { World } from './world.ts';

/** What holds at every moment, whatever happened: each timer belongs to something alive, and no map holds what is gone. */
export function checkInvariants(world: World, where: string): void {
  const core = world.gateway.view;
  const open = Array.from(core.sessions.values(), ({ id }) => id)
    .sort()
    .join();
  ensure(open === [...world.hosts.keys()].sort().join(), where, `sessions are ${open}`);
  for (const timer of world.timers.keys())
    ensure(isOfSomethingAlive(world, timer), where, `the timer ${timer} belongs to nothing`);
  for (const key of core.startQueue)
    ensure(core.instances.get(key)?.phase === 'queued', where, `${key} waits to start`);
  for (const key of core.startSlots) ensure(core.instances.get(key)?.link !== null, where, `${key} has a start slot`);
  for (const instance of core.instances.values()) checkInstance(world, instance, where);
  for (const session of core.sessions.values()) {
    for (const call of session.open.values()) {
      const instance = core.instances.get(call.instance);
      const { phase } = call;
      const atServer =
        phase.name === 'sent'
          ? instance?.link?.calls.get(phase.upstreamId) === call
          : (phase.name === 'queued' ? instance?.queue : instance?.asking)?.has(call);
      ensure(atServer === true, where, `call ${call.idKey} of ${session.id} is not at ${call.instance}`);
    }
  }
}

/** What holds when all is answered, besides. */
export function checkNothingOpen(world: World, where: string): void {
  const core = world.gateway.view;
  for (const { id, open } of core.sessions.values()) ensure(open.size === 0, where, `${id} has open calls`);
  ensure(core.taskListings.size === 0, where, 'tasks are still being listed');
  ensure(core.questions.size === 0, where, 'hosts are still asked something');
  ensure(core.parked.size === 0, where, 'calls are still parked');
  for (const { key, purpose, queue, asking, link } of core.instances.values()) {
    ensure(purpose.kind === 'serve', where, `the trial ${key} is still there`);
    ensure(queue.size + asking.size + (link?.calls.size ?? 0) === 0, where, `${key} has open calls`);
    ensure((link?.asked.size ?? 0) + (link?.needy ?? 0) === 0, where, `${key} still asks`);
  }
}

/** What holds some time after the last host has left, besides. */
export function checkNothingOwned(world: World, where: string): void {
  for (const { key, holder, phase } of world.gateway.view.instances.values())
    ensure(holder === null || phase === 'failed', where, `${key} is there for nobody`);
}

/** What holds when no host is left, besides. */
export function checkNothingWatched(world: World, where: string): void {
  for (const { key, subscriptions, taskWatchers } of world.gateway.view.instances.values())
    ensure(subscriptions.size + taskWatchers.size === 0, where, `${key} is watched by nobody`);
}

// — internal —

const UP: readonly string[] = ['starting', 'running', 'draining', 'stopping'];
/** The probe, initialize, four lists, a health probe and a listen: more of mcpd's own is never open. */
const OWN_REQUESTS_MAX = 8;

/** Cheaper than `expect`, which would take most of the test's time. */
function ensure(holds: boolean, where: string, otherwise: string): void {
  if (!holds) throw new RangeError(`${where}: ${otherwise}`);
}

function checkInstance(world: World, instance: Instance, where: string): void {
  const core = world.gateway.view;
  const { key, link, phase, purpose, subscriptions } = instance;
  const isUp = UP.includes(phase);
  ensure(world.processes.has(key) === isUp && (link !== null) === isUp, where, `${key} in ${phase}, process or link`);
  // The second process of a trial waits for its start as the first did.
  const isTrial = purpose.kind === 'trial' || (purpose.kind === 'compare' && core.instances.has(purpose.for));
  ensure(isTrial || core.servers.has(instance.server) || isUp, where, `${key} is uninstalled`);
  for (const [raw, sessions] of subscriptions) {
    ensure(sessions.size > 0, where, `nobody watches ${raw} of ${key}`);
    for (const id of sessions) ensure(core.sessions.has(id), where, `${id} watches ${raw} of ${key}`);
  }
  for (const call of [...instance.queue, ...instance.asking, ...(link?.calls.values() ?? [])]) {
    const waiting = core.sessions.get(call.session)?.open.get(call.idKey) === call;
    const isWithHost = call.parked?.stage === 'with-host';
    ensure(waiting !== isWithHost, where, `${waiting ? 'somebody' : 'nobody'} waits for ${call.id} at ${key}`);
    ensure(!isWithHost || core.parked.get(call.parked?.id ?? '') === call.parked, where, `${call.id} is not parked`);
  }
  const needy = [...(link?.calls.values() ?? [])].filter(({ need }) => need !== 'no').length;
  ensure((link?.needy ?? 0) === needy, where, `${key} counts ${link?.needy} needy calls, and has ${needy}`);
  if (link === null) return;
  ensure(link.abandoned.size <= 256, where, `${key} has ${link.abandoned.size} abandoned requests`);
  const own = [...link.pending.values()].filter(({ kind }) => kind !== 'tasks').length;
  ensure(own <= OWN_REQUESTS_MAX, where, `${key} has ${own} requests of mcpd's own`);
}

const OF_PROCESS: ReadonlySet<string> = new Set([
  ...['start', 'probe', 'learn', 'check', 'health', 'listen', 'flow', 'deadline', 'idle', 'drain', 'memory', 'poll'],
  ...['list', 'relist', 'recheck'],
]);

function isOfSomethingAlive(world: World, timer: string): boolean {
  const core = world.gateway.view;
  if (timer === 'notice:lists') return core.listNews.armed;
  if (timer.startsWith('question:')) return core.questions.has(JSON.stringify(timer.slice('question:'.length)));
  if (timer.startsWith('park:')) return core.parked.has(timer.slice('park:'.length));
  if (timer.startsWith('tasks:')) return core.taskListings.has(Number(timer.slice('tasks:'.length)));
  const [kind = '', rest = ''] = timer.split(':');
  const instance = core.instances.get(rest.split('/')[0] ?? '');
  if (instance === undefined) return false;
  if (OF_PROCESS.has(kind)) return instance.link !== null;
  if (kind === 'turn' || kind === 'again') return true;
  if (kind === 'slot') return core.startSlots.has(instance.key);
  return kind === 'backoff' && (instance.phase === 'backoff' || instance.phase === 'failed');
}
