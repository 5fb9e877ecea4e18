import { expect, test } from 'vitest';
import type { ServerFigures } from '../../../../src/api/contract/figures.ts';
import type { ServerStatus, SessionStatus } from '../../../../src/api/contract.ts';
import { serverStatus } from '../../../../test/harness/server-status.ts';
import { durationText } from '../../duration.ts';
import { filtered, orderAfterClick, sorted } from './order.ts';
import {
  healthText,
  healthTone,
  hostsOf,
  isInTrouble,
  lastExitNote,
  stateNote,
  stateTone,
  treeOf,
  uptimeMs,
} from './row.ts';
import { suggestionsFor } from './suggestion.ts';

const NOW = 1_700_000_000_000;

/** One that runs for a minute. */
function server(changes: Partial<ServerStatus> = {}): ServerStatus {
  const running = { wanted: 'up', state: 'running', health: 'ok', since: NOW - 61_000, pid: 7, era: 'legacy' } as const;
  const used = { calls: 12, starts: 1, counts: { tools: 2, prompts: 0, resources: 0, templates: 0 }, listed: true };
  return serverStatus('weather', { description: 'Weather by Open-Meteo', ...running, ...used, ...changes });
}

const figuresOf = (changes: Partial<ServerFigures>): ServerFigures => ({
  name: 'weather',
  perMinute: { lastAt: NOW, calls: [], errors: [] },
  latency: { count: 0, p50: null, p95: null, p99: null },
  tree: { state: 'unknown', reason: 'it does not run', samples: { at: [], rssBytes: [], cpuPercent: [] } },
  restarts: 0,
  sessions: [],
  openCalls: 0,
  calls: 0,
  errors: 0,
  ...changes,
});

test('a running server is well and has an uptime; one that sleeps says what wakes it', () => {
  expect([stateTone(server()), uptimeMs(server(), NOW)]).toEqual(['good', 61_000]);
  const asleep = server({ state: 'stopped', wanted: 'down' });
  expect([stateTone(asleep), stateNote(asleep, NOW), uptimeMs(asleep, NOW)]).toEqual([
    'idle',
    'starts with its first call',
    null,
  ]);
});

test('the health of a server that does not run is neither good nor bad, unless something is wrong with it', () => {
  const health = (changes: Partial<ServerStatus>) => [healthText(server(changes)), healthTone(server(changes))];
  expect(health({})).toEqual(['ok', 'good']);
  for (const state of ['stopped', 'starting', 'stopping'] as const) expect(health({ state })).toEqual([null, 'idle']);
  expect(health({ state: 'stopped', enabled: false, health: 'unknown' })).toEqual([null, 'idle']);
  expect(health({ state: 'starting', health: 'degraded' })).toEqual(['degraded', 'bad']);
});

test('a disabled server does not claim that a call would wake it, and can be enabled', () => {
  const disabled = server({ state: 'stopped', wanted: 'down', wantedReason: 'disabled', enabled: false });
  expect(stateNote(disabled, NOW)).toBeNull();
  expect(suggestionsFor(disabled)).toEqual([{ kind: 'do', doing: 'enable' }]);
});

test('a server in trouble says why, when it is tried again, and offers to try now or to see its log', () => {
  const backoff = server({
    state: 'backoff',
    reason: 'exit code 1',
    nextStartAt: NOW + 4000,
    fix: 'mcpd logs weather; then mcpd start weather',
  });
  expect(stateNote(backoff, NOW)).toBe('exit code 1 · next start in 4 s');
  expect(isInTrouble(backoff)).toBe(true);
  expect(suggestionsFor(backoff)).toEqual([
    { kind: 'go', href: '#/servers/weather/logs', label: 'See its log' },
    { kind: 'do', doing: 'start' },
  ]);
});

test('a server that is up again still says how it ended, for a while and not twice', () => {
  const exit = { at: NOW - 5000, uptimeMs: 1, code: null, signal: 'SIGKILL', cause: 'signal SIGKILL', stderrTail: [] };
  expect(lastExitNote(server({ lastExit: exit }), NOW)).toBe('ended 5 s ago: signal SIGKILL');
  expect(lastExitNote(server({ lastExit: exit, reason: 'signal SIGKILL' }), NOW)).toBeNull();
  expect(lastExitNote(server({ lastExit: exit }), NOW + 3_600_000)).toBeNull();
});

test('a login begins on the page, what only a terminal may do is a command to copy, and a server that is well needs nothing', () => {
  const remote = server({ state: 'stopped', wantedReason: 'needs-auth', fix: 'mcpd auth weather' });
  expect(suggestionsFor(remote)).toEqual([{ kind: 'login' }]);
  const elsewhere = server({ state: 'stopped', wantedReason: 'needs-auth', fix: 'mcpd add --help' });
  expect(suggestionsFor(elsewhere)).toEqual([{ kind: 'type', command: 'mcpd add --help' }]);
  expect(suggestionsFor(server())).toEqual([]);
});

test('a secret that is missing is asked for, before another start', () => {
  const locked = server({ state: 'failed', fix: 'mcpd secret set weather API_KEY' });
  expect(suggestionsFor(locked)).toEqual([
    { kind: 'secret', secret: 'API_KEY' },
    { kind: 'do', doing: 'restart' },
  ]);
  const others = server({ state: 'stopped', fix: 'mcpd secret set other API_KEY' });
  expect(suggestionsFor(others)).toEqual([{ kind: 'type', command: 'mcpd secret set other API_KEY' }]);
});

test('a silent server can be restarted once, also when its fix says the same', () => {
  const silent = server({ health: 'silent', fix: 'mcpd restart weather' });
  expect(suggestionsFor(silent)).toEqual([{ kind: 'do', doing: 'restart' }]);
});

test('the hosts of a server are those of its sessions, each once', () => {
  const session = (id: string, host: string) => ({ id, host }) as SessionStatus;
  const all = [session('1', 'vscode'), session('2', 'claude'), session('3', 'vscode'), session('4', 'zed')];
  expect(hostsOf(figuresOf({ sessions: ['1', '2', '3'] }), all)).toEqual(['vscode', 'claude']);
  expect(hostsOf(undefined, all)).toEqual([]);
});

test('a filter needs all words, in the name or the description', () => {
  const all = [server(), server({ name: 'todo', description: 'A list', state: 'stopped' })];
  const names = (words: string, shown: Parameters<typeof filtered>[2]) =>
    filtered(all, words, shown).map(({ name }) => name);
  expect([names('meteo WEA', 'all'), names('weather list', 'all'), names('', 'stopped')]).toEqual([
    ['weather'],
    [],
    ['todo'],
  ]);
});

test('what is sorted by a figure has those without it last, either way', () => {
  const measured = (rssBytes: number) => {
    const now = { at: NOW, processes: 1, rssBytes, cpuPercent: null };
    return figuresOf({
      tree: { state: 'measured', now, samples: { at: [NOW], rssBytes: [rssBytes], cpuPercent: [null] } },
    });
  };
  const all = ['a', 'b', 'c'].map((name) => server({ name }));
  const figures = new Map([
    ['a', measured(10)],
    ['c', measured(20)],
  ]);
  const names = (descending: boolean) => sorted(all, figures, { by: 'memory', descending }).map(({ name }) => name);
  expect([names(true), names(false)]).toEqual([
    ['c', 'a', 'b'],
    ['a', 'c', 'b'],
  ]);
  expect(treeOf(figures.get('b'))).toBeNull();
});

test('a second click on a column turns it around; numbers begin with the largest', () => {
  const first = orderAfterClick({ by: 'name', descending: false }, 'errors');
  expect([first, orderAfterClick(first, 'errors')]).toEqual([
    { by: 'errors', descending: true },
    { by: 'errors', descending: false },
  ]);
});

test('durations are told in their two largest units and are never negative', () => {
  const minute = 60_000;
  const texts = [-5, Number.NaN, 999, 4000, 61_000, 125 * minute, 120 * minute, 25 * 60 * minute].map(durationText);
  expect(texts).toEqual(['0 s', '0 s', '0 s', '4 s', '1 min', '2 h 5 min', '2 h', '1 d 1 h']);
});
