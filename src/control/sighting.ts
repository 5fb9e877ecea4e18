import { setTimeout as delay } from 'node:timers/promises';
import type { DaemonStatus } from '../api/contract.ts';
import { McpdError } from '../errors.ts';
import { CONTROL_CLOSED_MS, CONTROL_POLL_MS } from '../operation-limits.ts';
import type { Paths } from '../paths.ts';
import { compareVersions } from '../version.ts';
import { DaemonClient } from './client.ts';
import { isAbsent } from './exchange.ts';

/** What is found where the daemon should be. */
export type Sighting =
  | { kind: 'absent' }
  | { kind: 'answers'; status: DaemonStatus }
  /** Something listens and does not answer. */
  | { kind: 'hung'; error: McpdError };

/** What a command that needs the daemon does about it. */
export type Move = 'use' | 'start' | 'wait' | 'replace' | 'give-up';

/**
 * Absent is only what nobody listens for: who takes that for granted may end a daemon that has much to do.
 * @throws {McpdError} HOME_UNSAFE, HOME_UNWRITABLE, OUT_OF_FILES: the home itself is the problem
 */
export async function lookForDaemon(paths: Paths): Promise<Sighting> {
  const until = performance.now() + CONTROL_CLOSED_MS;
  for (;;) {
    const sighting = await look(paths);
    if (sighting !== 'closed') return sighting;
    if (performance.now() >= until) return { kind: 'hung', error: turnsAway() };
    await delay(CONTROL_POLL_MS);
  }
}

/** Only a strictly newer mcpd replaces a daemon, so that two installed versions do not take turns. */
export function moveFor(sighting: Sighting, version: string): Move {
  switch (sighting.kind) {
    case 'absent':
      return 'start';
    case 'hung':
      return 'give-up';
    case 'answers':
      if (sighting.status.state === 'stopping') return 'wait';
      return compareVersions(version, sighting.status.version) > 0 ? 'replace' : 'use';
  }
}

/**
 * Looks every CONTROL_POLL_MS until `enough` says so.
 * @returns the last sighting, also when the time is over
 */
export async function watchForDaemon(
  paths: Paths,
  timeoutMs: number,
  enough: (sighting: Sighting) => boolean,
): Promise<Sighting> {
  const until = performance.now() + timeoutMs;
  for (;;) {
    const sighting = await lookForDaemon(paths);
    if (enough(sighting) || performance.now() >= until) return sighting;
    await delay(CONTROL_POLL_MS);
  }
}

// — internal —

/** `closed`: it hung up without an answer. It ends, or it has no room for one more connection; only another look tells which. */
async function look(paths: Paths): Promise<Sighting | 'closed'> {
  try {
    return { kind: 'answers', status: await new DaemonClient(paths).status() };
  } catch (thrown) {
    if (isAbsent(thrown)) return { kind: 'absent' };
    if (!(thrown instanceof McpdError)) throw thrown;
    if (thrown.code === 'DAEMON_LOST') return 'closed';
    if (thrown.code === 'DAEMON_UNREACHABLE') return { kind: 'hung', error: thrown };
    throw thrown;
  }
}

function turnsAway(): McpdError {
  return new McpdError('DAEMON_UNREACHABLE', {
    what: 'the daemon hangs up on every request',
    why: 'too many programs watch it, or it has no file descriptor left',
    fix: 'end some of those programs (mcpd logs -f, pages), or give it more (ulimit -n) by: mcpd down && mcpd up',
  });
}
