import { expect, test } from 'vitest';
import type { ServerStatus } from '../../src/api/contract.ts';
import { DEFAULT_LIMITS } from '../../src/core/model.ts';
import { durationText } from './duration.ts';
import { COLUMNS, rowOf } from './row.ts';

const NOW = 1_700_000_000_000;

function server(changes: Partial<ServerStatus> = {}): ServerStatus {
  return {
    name: 'weather',
    description: 'Weather by Open-Meteo',
    start: 'on-demand',
    sharing: 'auto',
    enabled: true,
    wanted: 'up',
    wantedReason: null,
    state: 'running',
    reason: null,
    fix: null,
    health: 'ok',
    findings: [],
    since: NOW - 61_000,
    pid: 7,
    era: 'legacy',
    protocolVersion: null,
    openCalls: 0,
    calls: 12,
    errors: 0,
    starts: 1,
    lastExit: null,
    nextStartAt: null,
    counts: { tools: 2, prompts: 0, resources: 0, templates: 0 },
    listed: true,
    source: { kind: 'catalog', ref: 'weather', package: null },
    launch: { kind: 'stdio', command: 'node', args: [], cwd: null, env: {} },
    limits: DEFAULT_LIMITS,
    fingerprint: '0',
    addedAt: 0,
    ...changes,
  };
}

const textsOf = (changes: Partial<ServerStatus>) => {
  const row = rowOf(server(changes), NOW);
  return COLUMNS.map(({ key }) => row[key].text);
};

test('a running server shows its uptime and its counts', () => {
  expect(textsOf({})).toEqual(['weather', 'up', 'running', 'ok', '1 min', '12', '0', '2']);
});

test('a server that sleeps is at rest, and says what wakes it', () => {
  const row = rowOf(server({ state: 'stopped', wanted: 'down' }), NOW);
  expect(row.state).toEqual({ text: 'stopped', tone: 'idle', note: 'starts with its first call', command: null });
  expect(row.uptime.text).toBe('–');
});

test('a disabled server does not claim that a call would wake it', () => {
  const row = rowOf(server({ state: 'stopped', wanted: 'down', wantedReason: 'disabled', enabled: false }), NOW);
  expect([row.wanted.note, row.state.note]).toEqual(['disabled', null]);
});

test('a server in trouble shows why, when it is tried again and what to type', () => {
  const backoff = {
    state: 'backoff',
    reason: 'exit code 1',
    nextStartAt: NOW + 4000,
    fix: 'mcpd logs weather',
  } as const;
  expect(rowOf(server(backoff), NOW).state).toEqual({
    text: 'backoff',
    tone: 'bad',
    note: 'exit code 1 · next start in 4 s',
    command: 'mcpd logs weather',
  });
});

test('findings stand behind the health, and lists that were never read are not zero', () => {
  const row = rowOf(
    server({ health: 'degraded', findings: ['noise on stdout', '1 tool dropped'], listed: false }),
    NOW,
  );
  expect(row.health).toMatchObject({ tone: 'bad', note: 'noise on stdout · 1 tool dropped' });
  expect(row.tools).toMatchObject({ text: '?', note: 'not read yet' });
});

test('durations are told in their two largest units and are never negative', () => {
  const minute = 60_000;
  const texts = [-5, Number.NaN, 999, 4000, 61_000, 125 * minute, 120 * minute, 25 * 60 * minute].map(durationText);
  expect(texts).toEqual(['0 s', '0 s', '0 s', '4 s', '1 min', '2 h 5 min', '2 h', '1 d 1 h']);
});
