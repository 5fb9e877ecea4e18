import type { ServerStatus } from '../../src/api/contract.ts';
import { durationText } from './duration.ts';

/** Colour of a word: fine, under way, at rest, needs a person. The word itself always says it too. */
export type Tone = 'good' | 'busy' | 'idle' | 'bad';

export interface Cell {
  text: string;
  tone: Tone | null;
  /** Smaller, below. */
  note: string | null;
  /** What a person can type, below the note. */
  command: string | null;
}

/** One server as the table shows it, column by column. */
export interface Row {
  server: Cell;
  wanted: Cell;
  state: Cell;
  health: Cell;
  uptime: Cell;
  calls: Cell;
  errors: Cell;
  tools: Cell;
}

/** In the order of the table's head. */
export const COLUMNS: readonly { key: keyof Row; label: string; number: boolean }[] = [
  { key: 'server', label: 'Server', number: false },
  { key: 'wanted', label: 'Wanted', number: false },
  { key: 'state', label: 'State', number: false },
  { key: 'health', label: 'Health', number: false },
  { key: 'uptime', label: 'Uptime', number: true },
  { key: 'calls', label: 'Calls', number: true },
  { key: 'errors', label: 'Errors', number: true },
  { key: 'tools', label: 'Tools', number: true },
];

/** `now` in milliseconds since 1970, by the clock of this machine, which is the daemon's too. */
export function rowOf(server: ServerStatus, now: number): Row {
  return {
    server: cell(server.name, { note: server.description }),
    wanted: cell(server.wanted, { note: server.wantedReason }),
    state: cell(server.state, { tone: stateTone(server), note: stateNote(server, now), command: server.fix }),
    health: cell(server.health, { tone: healthTone(server), note: server.findings.join(' · ') }),
    uptime: cell(server.state === 'running' ? durationText(now - server.since) : '–'),
    calls: cell(String(server.calls), { note: server.openCalls > 0 ? `${server.openCalls} open` : null }),
    errors: cell(String(server.errors), { tone: server.errors > 0 ? 'bad' : null }),
    tools: cell(server.listed ? String(server.counts.tools) : '?', { note: server.listed ? null : 'not read yet' }),
  };
}

// — internal —

function cell(text: string, more: Partial<Omit<Cell, 'text'>> = {}): Cell {
  return { text, tone: more.tone ?? null, note: more.note || null, command: more.command ?? null };
}

function stateTone(server: ServerStatus): Tone {
  switch (server.state) {
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

function stateNote(server: ServerStatus, now: number): string | null {
  if (server.state === 'backoff' && server.nextStartAt !== null) {
    const next = `next start in ${durationText(Math.max(0, server.nextStartAt - now))}`;
    return server.reason === null ? next : `${server.reason} · ${next}`;
  }
  if (server.reason !== null) return server.reason;
  const sleeps = server.state === 'stopped' && server.enabled && server.start === 'on-demand';
  return sleeps ? 'starts with its first call' : null;
}

function healthTone(server: ServerStatus): Tone {
  switch (server.health) {
    case 'ok':
      return 'good';
    case 'degraded':
    case 'silent':
      return 'bad';
    case 'unknown':
      return 'idle';
  }
}
