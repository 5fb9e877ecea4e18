import { setTimeout as delay } from 'node:timers/promises';
import type { DaemonStatus } from '../api/contract.ts';
import { McpdError } from '../errors.ts';
import { CONTROL_POLL_MS } from '../operation-limits.ts';
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

/** @throws {McpdError} HOME_UNSAFE, HOME_UNWRITABLE, OUT_OF_FILES: the home itself is the problem */
export async function lookForDaemon(paths: Paths): Promise<Sighting> {
  try {
    return { kind: 'answers', status: await new DaemonClient(paths).status() };
  } catch (thrown) {
    if (isAbsent(thrown)) return { kind: 'absent' };
    if (!(thrown instanceof McpdError)) throw thrown;
    // It went away while it was asked: as good as gone.
    if (thrown.code === 'DAEMON_LOST') return { kind: 'absent' };
    if (thrown.code === 'DAEMON_UNREACHABLE') return { kind: 'hung', error: thrown };
    throw thrown;
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
