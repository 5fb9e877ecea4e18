import { signal } from '@preact/signals';
import type { TryAnswer, TryEvent, TryRequest } from '../../../src/api/contract/tries.ts';
import { linesOf, post, wasAborted } from '../api.ts';
import { after, IDLE, type Trial, without } from './trial.ts';

/** The tries of this page. They go on whatever it shows; closing it ends them. */

/** Where something is tried: its address on the page. */
export interface TryPlace {
  server: string;
  tab: 'tools' | 'prompts' | 'resources';
  /** The server's own name for it. */
  raw: string;
}

export interface Tried {
  readonly place: TryPlace;
  readonly trial: Trial;
  /** What came of it was looked at. */
  readonly isSeen: boolean;
}

/** By `keyOf`, the newest last. */
export const tries = signal<ReadonlyMap<string, Tried>>(new Map());

/** The one whose form the page shows. */
export const shownTry = signal<string | null>(null);

export function keyOf({ server, tab, raw }: TryPlace): string {
  return [server, tab, raw].join('\0');
}

/** What came of the last try there; idle where there was none. */
export function trialAt(place: TryPlace): Trial {
  return tries.value.get(keyOf(place))?.trial ?? IDLE;
}

/** Resolves at its end. One that is under way there is left alone. */
export async function begin(place: TryPlace, request: TryRequest): Promise<void> {
  const key = keyOf(place);
  if (running.has(key)) return;
  const mine: Running = { stop: new AbortController(), id: '' };
  running.set(key, mine);
  put(key, { place, trial: { ...IDLE, state: 'running' }, isSeen: false });
  try {
    const path = `/api/servers/${place.server}/tries`;
    const events = linesOf<TryEvent>(path, { method: 'POST', body: request, signal: mine.stop.signal });
    for await (const event of events) {
      if (event.type === 'started') mine.id = event.id;
      change(key, (before) => after(before, event));
    }
  } catch (thrown) {
    const isCancelled = wasAborted(thrown) || mine.stop.signal.aborted;
    change(key, (before) => ({ ...before, isCancelled, thrown: isCancelled ? null : thrown }));
  }
  running.delete(key);
  change(key, (before) => ({ ...before, state: 'done', questions: [] }));
}

export async function answer(place: TryPlace, question: string, given: TryAnswer): Promise<void> {
  const key = keyOf(place);
  await post(`/api/tries/${running.get(key)?.id}/answers/${question}`, given);
  change(key, (before) => without(before, question));
}

export function cancel(place: TryPlace): void {
  running.get(keyOf(place))?.stop.abort();
}

/** Nobody needs to be told of its end any more. */
export function see(place: TryPlace): void {
  const key = keyOf(place);
  const one = tries.value.get(key);
  if (one !== undefined && !one.isSeen) put(key, { ...one, isSeen: true });
}

// — internal —

interface Running {
  readonly stop: AbortController;
  /** Its name at the daemon, once that is known. */
  id: string;
}

/** That have ended: a result may have a megabyte. */
const ENDED_KEPT_MAX = 12;

const running = new Map<string, Running>();

function change(key: string, next: (before: Trial) => Trial): void {
  const one = tries.value.get(key);
  if (one !== undefined) put(key, { ...one, trial: next(one.trial) });
}

function put(key: string, one: Tried): void {
  const all = new Map(tries.value);
  // One that begins anew is the newest.
  if (one.trial.state === 'running' && all.get(key)?.trial.state === 'done') all.delete(key);
  all.set(key, one);
  const ended = [...all].filter(([, { trial }]) => trial.state === 'done').map(([old]) => old);
  for (const old of ended.slice(0, -ENDED_KEPT_MAX)) all.delete(old);
  tries.value = all;
}
