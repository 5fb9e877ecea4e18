import { NO_ABILITIES, readAbilities } from '../protocol/abilities.ts';
import { member, text } from '../protocol/members.ts';
import { isLogLevel } from '../protocol/methods.ts';
import { featuresOf, MODERN_REVISION } from '../protocol/revisions.ts';
import type { ResumeFacts } from './events.ts';
import { audienceOf } from './listing.ts';
import { type Door, type Era, LIST_KINDS } from './model.ts';
import { tellOfLists } from './notices.ts';
import type { Core, HostSession } from './state.ts';
import { TransientMap } from './transient-map.ts';

/** One connection of one host: how it begins, or goes on after the daemon it began with. */

export function newSession(core: Core, id: string, host: string, door: Door): HostSession {
  return {
    id,
    host,
    door,
    holder: door.lasts === 'connection' ? id : door.principal,
    openedAt: core.now,
    era: null,
    protocolVersion: null,
    initialized: false,
    clientInfo: core.ownInfo,
    abilities: NO_ABILITIES,
    audience: audienceOf('legacy', NO_ABILITIES, featuresOf(null).tasks, door.scope),
    places: new Map(),
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
    const whole = { start: 0, end: bytes.length };
    const info = member(bytes, whole, 'clientInfo');
    if (info !== null) takeClientInfo(session, text(bytes, info));
    const capabilities = member(bytes, whole, 'capabilities');
    takeAbilities(session, 'legacy', capabilities === null ? '{}' : text(bytes, capabilities));
  } else if (resume.era === 'modern') {
    takeAbilities(session, 'modern', session.abilities.raw);
  }
  const stale = LIST_KINDS.filter((kind) => {
    const seen = resume.listDigests[kind];
    return seen !== undefined && seen !== core.config.digest(core.lists.result(kind, session.audience, core.servers));
  });
  // A modern host is told on a listen, and its shim opens those again in a moment.
  if (resume.era === 'modern') for (const kind of stale) session.stale.add(kind);
  else tellOfLists(core, session, stale);
}

/** What the host can be asked, and so which lists it gets. `raw` is the JSON of its capabilities. */
export function takeAbilities(session: HostSession, era: Era, raw: string): void {
  const tasks = era === 'legacy' && featuresOf(session.protocolVersion).tasks;
  const { declared } = session.abilities;
  if (session.abilities.raw !== raw) session.abilities = readAbilities(raw);
  else if (session.audience.era === era && session.audience.tasks === tasks) return;
  // Where it was placed was decided by what it could be asked.
  if (session.abilities.declared !== declared) session.places.clear();
  session.audience = audienceOf(era, session.abilities, tasks, session.door.scope);
}

/** `raw` is the JSON of what the host calls itself. */
export function takeClientInfo(session: HostSession, raw: string): void {
  if (!raw.startsWith('{')) return;
  session.clientInfo = raw;
  if (session.host !== '') return;
  const { name } = JSON.parse(raw) as { name?: unknown };
  if (typeof name === 'string') session.host = name.slice(0, 100);
}
