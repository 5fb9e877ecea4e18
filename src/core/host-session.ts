import { member, text } from '../protocol/members.ts';
import { isLogLevel } from '../protocol/methods.ts';
import { MODERN_REVISION } from '../protocol/revisions.ts';
import type { ResumeFacts } from './events.ts';
import { type Door, LIST_KINDS } from './model.ts';
import { tellOfLists } from './notices.ts';
import type { Core, HostSession } from './state.ts';
import { TransientMap } from './transient-map.ts';

/** One connection of one host: how it begins, or goes on after the daemon it began with. */

export function newSession(core: Core, id: string, host: string, door: Door): HostSession {
  return {
    id,
    host,
    door,
    openedAt: core.now,
    era: null,
    protocolVersion: null,
    initialized: false,
    clientInfo: JSON.stringify(core.config.identity),
    logLevel: null,
    open: new TransientMap(),
    listens: new Map(),
    subscriptions: new Map(),
    stale: new Set(),
    calls: 0,
  };
}

/** A shim that outlived the daemon: its session goes on as it was, and the host is told only of lists that differ from what it saw. */
export function resumeSession(core: Core, session: HostSession, resume: ResumeFacts): void {
  session.era = resume.era;
  session.protocolVersion = resume.era === 'modern' ? MODERN_REVISION : resume.protocolVersion;
  session.initialized = resume.initialized;
  session.logLevel = isLogLevel(resume.logLevel) ? resume.logLevel : null;
  if (resume.initializeParams !== null) {
    const bytes = Buffer.from(resume.initializeParams);
    const info = member(bytes, { start: 0, end: bytes.length }, 'clientInfo');
    if (info !== null) takeClientInfo(session, text(bytes, info));
  }
  const era = resume.era ?? 'legacy';
  const stale = LIST_KINDS.filter((kind) => {
    const seen = resume.listDigests[kind];
    return seen !== undefined && seen !== core.config.digest(core.lists.result(kind, era, core.servers));
  });
  // A modern host is told on a listen, and its shim opens those again in a moment.
  if (era === 'modern') for (const kind of stale) session.stale.add(kind);
  else tellOfLists(core, session, stale);
}

/** `raw` is the JSON of what the host calls itself. */
export function takeClientInfo(session: HostSession, raw: string): void {
  const info: unknown = JSON.parse(raw);
  if (typeof info !== 'object' || info === null) return;
  session.clientInfo = raw;
  const { name } = info as { name?: unknown };
  if (session.host === '' && typeof name === 'string') session.host = name.slice(0, 100);
}
