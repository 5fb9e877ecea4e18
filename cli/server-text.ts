import type { ServerStatus } from '../src/api/contract.ts';
import { PACKAGE_KINDS } from '../src/core/model.ts';
import { shownVersion } from '../src/shown.ts';
import type { Palette } from './output.ts';
import type { Paint } from './table.ts';

const STATE_COLOURS: Record<ServerStatus['state'], keyof Palette> = {
  running: 'green',
  starting: 'cyan',
  stopping: 'cyan',
  stopped: 'dim',
  backoff: 'yellow',
  failed: 'red',
};
const HEALTH_COLOURS: Record<ServerStatus['health'], keyof Palette> = {
  ok: 'green',
  degraded: 'yellow',
  silent: 'red',
  unknown: 'dim',
};

export function statePaint(server: Pick<ServerStatus, 'state'>, palette: Palette): Paint {
  return palette[STATE_COLOURS[server.state]];
}

/** How it fares; null of one that does not run and has nothing wrong: it is neither well nor ill. */
export function healthText({ state, health }: Pick<ServerStatus, 'state' | 'health'>): string | null {
  return state !== 'running' && (health === 'ok' || health === 'unknown') ? null : health;
}

export function healthPaint(server: Pick<ServerStatus, 'state' | 'health'>, palette: Palette): Paint {
  return palette[healthText(server) === null ? 'dim' : HEALTH_COLOURS[server.health]];
}

/** `catalog: weather`, `npm: @acme/mcp@1.4.2`, `file: /repo/mcpd.json (@acme/mcp@1.4.2)`, `folder: /home/me/x`. */
export function sourceText({ source }: Pick<ServerStatus, 'source'>): string {
  const installed = 'package' in source ? (source.package ?? null) : null;
  if (installed === null) return `${source.kind}: ${source.ref}`;
  const exact = `${installed.identifier}@${shownVersion(installed.version)}`;
  // The reference of a package that somebody named is what was asked for, and says less.
  const isNamed = PACKAGE_KINDS.some((kind) => kind === source.kind);
  return `${source.kind}: ${isNamed ? exact : `${source.ref} (${exact})`}`;
}
