import { batch, computed, signal } from '@preact/signals';
import type { LiveEvent } from '../../../src/api/contract.ts';
import { onTokenRefused } from '../api.ts';
import { forgetToken } from '../session.ts';
import { keepLive } from './socket.ts';
import { afterEvent, NOTHING, type View } from './view.ts';

/** How the page stands with the daemon. `signed-out` needs a person with a terminal; all others end by themselves. */
export type Connection = 'connecting' | 'live' | 'reconnecting' | 'stopping' | 'signed-out';

export const connection = signal<Connection>('connecting');

const view = signal<View>(NOTHING);
/** Null before the first snapshot. */
export const status = computed(() => view.value.status);
/** By name, in the daemon's order. A server that did not change is the same object as before. */
export const servers = computed(() => view.value.servers);
export const sessions = computed(() => view.value.sessions);
/** Calls, latency, memory by server; a server has none until the daemon has looked. */
export const figures = computed(() => view.value.figures);
/** Of this moment, to the second: for uptimes and waits. Whoever shows one reads it in a component of its own. */
export const now = signal(Date.now());

/** Also gets each event as it comes, in the daemon's order; returns the way to stop. */
export function onLiveEvent(listener: (event: LiveEvent) => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Begins to follow the daemon; null is a page without a token. */
export function goLive(token: string | null): void {
  onTokenRefused(signOut);
  setInterval(() => (now.value = Date.now()), SECOND_MS);
  if (token === null) signOut();
  else keepLive(token, { event: onEvent, lost: onLost, refused: signOut });
}

// — internal —

const SECOND_MS = 1000;
/** A tab that nobody sees gets no frames; it takes what came this often. */
const HIDDEN_EVERY_MS = 1000;

const listeners = new Set<(event: LiveEvent) => void>();
/** What came since the page was last drawn is in it already: a hundred events of one frame are drawn once. */
let latest: View = NOTHING;
let isDue = false;
let isConnected = false;

function onEvent(event: LiveEvent): void {
  isConnected = true;
  latest = afterEvent(latest, event);
  if (!isDue) {
    isDue = true;
    if (document.hidden) setTimeout(publish, HIDDEN_EVERY_MS);
    else requestAnimationFrame(publish);
  }
  for (const listener of listeners) listener(event);
}

function publish(): void {
  isDue = false;
  batch(() => {
    view.value = latest;
    now.value = Date.now();
    if (isConnected) connection.value = latest.status?.state === 'stopping' ? 'stopping' : 'live';
  });
}

function onLost(): void {
  isConnected = false;
  connection.value = 'reconnecting';
}

function signOut(): void {
  isConnected = false;
  forgetToken();
  connection.value = 'signed-out';
}
