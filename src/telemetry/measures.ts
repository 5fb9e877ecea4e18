import type { Health, ServerName, State } from '../core/model.ts';
import { DURATION_BOUNDS_S } from '../telemetry-limits.ts';
import type { DurationTally, Tally } from './tally.ts';

/** What is told of the daemon, whoever asks and in whatever form: Prometheus and OTLP are given the same figures under the same names. */

export type Labels = Readonly<Record<string, string>>;

export type Measure = { name: string; help: string } & (
  | { kind: 'counter' | 'gauge'; points: { labels: Labels; value: number }[] }
  | { kind: 'histogram'; points: { labels: Labels; value: Durations }[] }
);

/** `counts` has one more than `bounds` (seconds), and is not cumulative. */
export interface Durations {
  bounds: readonly number[];
  counts: readonly number[];
  sum: number;
  count: number;
}

/** What is not counted but looked at. */
export interface Look {
  version: string;
  node: string;
  /** Milliseconds since 1970. */
  startedAt: number;
  servers: readonly { name: ServerName; state: State; health: Health; openCalls: number }[];
  sessions: number;
  /** Of all processes of a server together; `cpuMs` null where the system does not tell. */
  trees: readonly { server: ServerName; rssBytes: number; cpuMs: number | null }[];
  daemon: { rssBytes: number; heapBytes: number; cpuMs: number; busyMs: number };
}

/** Pure. */
export function measuresOf(tally: Tally, look: Look): Measure[] {
  return [...callMeasures(tally), ...serverMeasures(tally, look), ...daemonMeasures(look)];
}

// — internal —

const STATES: readonly State[] = ['stopped', 'starting', 'running', 'stopping', 'backoff', 'failed'];
const HEALTHS: readonly Health[] = ['ok', 'degraded', 'silent', 'unknown'];

function callMeasures({ servers }: Tally): Measure[] {
  const all = [...servers];
  return [
    {
      name: 'mcpd_calls_total',
      help: 'Calls of hosts that have ended, by how they ended.',
      kind: 'counter',
      points: all.flatMap(([server, { methods }]) =>
        [...methods].flatMap(([method, series]) =>
          [...series].map(([outcome, value]) => ({ labels: { server, method, outcome }, value })),
        ),
      ),
    },
    {
      name: 'mcpd_tool_calls_total',
      help: 'Calls of tools that have ended, by how they ended.',
      kind: 'counter',
      points: all.flatMap(([server, { tools }]) =>
        [...tools].flatMap(([tool, series]) =>
          [...series].map(([outcome, value]) => ({ labels: { server, tool, outcome }, value })),
        ),
      ),
    },
    {
      name: 'mcpd_call_duration_seconds',
      help: 'From the arrival of a call to its answer.',
      kind: 'histogram',
      points: all.flatMap(([server, { duration }]) => durationPoint(server, duration)),
    },
    {
      name: 'mcpd_call_queue_seconds',
      help: 'How much of it a call waited for the start of its server, or for its turn there.',
      kind: 'histogram',
      points: all.flatMap(([server, { queue }]) => durationPoint(server, queue)),
    },
  ];
}

function durationPoint(server: ServerName, { counts, sumMs }: DurationTally): { labels: Labels; value: Durations }[] {
  const count = counts.reduce((sum, one) => sum + one, 0);
  // Of a server that has only been started.
  if (count === 0) return [];
  const value = { bounds: DURATION_BOUNDS_S, counts: Array.from(counts), sum: sumMs / 1000, count };
  return [{ labels: { server }, value }];
}

function serverMeasures({ servers: tallies }: Tally, { servers, trees }: Look): Measure[] {
  const oneOf = <T extends string>(all: readonly T[], label: string, of: (server: Look['servers'][number]) => T) =>
    servers.flatMap((server) =>
      all.map((one) => ({ labels: { server: server.name, [label]: one }, value: of(server) === one ? 1 : 0 })),
    );
  const counted = (value: (server: ServerName) => number) =>
    servers.map(({ name }) => ({ labels: { server: name }, value: value(name) }));
  return [
    {
      name: 'mcpd_server_state',
      help: 'The state of a server: 1 for the one it is in.',
      kind: 'gauge',
      points: oneOf(STATES, 'state', ({ state }) => state),
    },
    {
      name: 'mcpd_server_health',
      help: 'The health of a server: 1 for the one it has.',
      kind: 'gauge',
      points: oneOf(HEALTHS, 'health', ({ health }) => health),
    },
    {
      name: 'mcpd_server_open_calls',
      help: 'Calls that are not answered yet.',
      kind: 'gauge',
      points: servers.map(({ name, openCalls }) => ({ labels: { server: name }, value: openCalls })),
    },
    {
      name: 'mcpd_server_starts_total',
      help: 'Starts of processes of a server.',
      kind: 'counter',
      points: counted((name) => tallies.get(name)?.starts.starts ?? 0),
    },
    {
      name: 'mcpd_server_restarts_total',
      help: 'Starts after an end that nobody wanted, and by a person who restarts.',
      kind: 'counter',
      points: counted((name) => tallies.get(name)?.starts.restarts ?? 0),
    },
    {
      name: 'mcpd_server_rss_bytes',
      help: 'Resident memory of all processes of a server.',
      kind: 'gauge',
      points: trees.map(({ server, rssBytes }) => ({ labels: { server }, value: rssBytes })),
    },
    {
      name: 'mcpd_server_cpu_seconds_total',
      help: 'CPU time of all processes that a server was seen to have.',
      kind: 'counter',
      points: trees.flatMap(({ server, cpuMs }) =>
        cpuMs === null ? [] : [{ labels: { server }, value: cpuMs / 1000 }],
      ),
    },
  ];
}

function daemonMeasures({ sessions, version, node, startedAt, daemon }: Look): Measure[] {
  const one = (value: number, labels: Labels = {}) => [{ labels, value }];
  return [
    { name: 'mcpd_sessions', help: 'Connected hosts.', kind: 'gauge', points: one(sessions) },
    {
      name: 'mcpd_daemon_info',
      help: 'Versions; always 1.',
      kind: 'gauge',
      points: one(1, { version, node }),
    },
    {
      name: 'mcpd_daemon_start_time_seconds',
      help: 'When the daemon started, in seconds since 1970; counters count from then.',
      kind: 'gauge',
      points: one(startedAt / 1000),
    },
    {
      name: 'mcpd_daemon_cpu_seconds_total',
      help: 'CPU time of the daemon itself.',
      kind: 'counter',
      points: one(daemon.cpuMs / 1000),
    },
    {
      name: 'mcpd_daemon_busy_seconds_total',
      help: "Time in which the daemon's loop was at work.",
      kind: 'counter',
      points: one(daemon.busyMs / 1000),
    },
    {
      name: 'mcpd_daemon_rss_bytes',
      help: 'Resident memory of the daemon itself.',
      kind: 'gauge',
      points: one(daemon.rssBytes),
    },
    {
      name: 'mcpd_daemon_heap_bytes',
      help: 'What its JavaScript objects take of that.',
      kind: 'gauge',
      points: one(daemon.heapBytes),
    },
  ];
}
