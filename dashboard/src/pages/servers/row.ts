import type { ServerFigures } from '../../../../src/api/contract/figures.ts';
import type { ServerStatus, SessionStatus } from '../../../../src/api/contract.ts';
import { durationText } from '../../duration.ts';
import type { Tone } from '../../ui/tone.ts';

/** Whether a person should look at it: it is down against what is wanted, or up and not well. */
export function isInTrouble(server: ServerStatus): boolean {
  return stateTone(server) === 'bad' || healthTone(server) === 'bad' || server.wantedReason === 'needs-auth';
}

export function stateTone({ state }: Pick<ServerStatus, 'state'>): Tone {
  switch (state) {
    case 'running':
      return 'good';
    case 'starting':
    case 'stopping':
      return 'busy';
    case 'stopped':
      return 'idle';
    case 'backoff':
    case 'failed':
      return 'bad';
  }
}

/** How it fares; null of one that does not run and has nothing wrong: it is neither well nor ill. */
export function healthText({ state, health }: ServerStatus): string | null {
  return state !== 'running' && (health === 'ok' || health === 'unknown') ? null : health;
}

export function healthTone({ state, health }: ServerStatus): Tone {
  switch (health) {
    case 'ok':
      return state === 'running' ? 'good' : 'idle';
    case 'degraded':
    case 'silent':
      return 'bad';
    case 'unknown':
      return 'idle';
  }
}

/** Why it is in its state, in words; null when there is nothing to say. `now` in milliseconds since 1970. */
export function stateNote(server: ServerStatus, now: number): string | null {
  if (server.state === 'backoff' && server.nextStartAt !== null) {
    const next = `next start in ${durationText(Math.max(0, server.nextStartAt - now))}`;
    return server.reason === null ? next : `${server.reason} · ${next}`;
  }
  if (server.reason !== null) return server.reason;
  const sleeps = server.state === 'stopped' && server.enabled && server.start === 'on-demand';
  return sleeps ? 'starts with its first call' : null;
}

/**
 * How it ended last without being asked to, for as long as that may be why somebody looks: most servers are up again within a second. Null
 * when that is long ago, or the state says it already.
 */
export function lastExitNote(server: ServerStatus, now: number): string | null {
  const exit = server.lastExit;
  if (exit === null || now - exit.at > EXIT_SHOWN_MS || server.reason === exit.cause) return null;
  return `ended ${durationText(now - exit.at)} ago: ${exit.cause}`;
}

/** How long it has been up; null while it is not. */
export function uptimeMs(server: ServerStatus, now: number): number | null {
  return server.state === 'running' ? now - server.since : null;
}

/** The hosts that use it, each once, in the order of the sessions. */
export function hostsOf(figures: ServerFigures | undefined, sessions: readonly SessionStatus[]): string[] {
  const using = new Set(figures?.sessions);
  return [...new Set(sessions.filter(({ id }) => using.has(id)).map(({ host }) => host))];
}

/** Memory and CPU of its processes at this moment; null while that is not known. */
export function treeOf(figures: ServerFigures | undefined): { rssBytes: number; cpuPercent: number | null } | null {
  return figures?.tree.state === 'measured' ? figures.tree.now : null;
}

// — internal —

/** After this an end that was got over is history. */
const EXIT_SHOWN_MS = 15 * 60_000;
