import { join } from 'node:path';
import type { GatewayEvent } from '../../src/core/events.ts';
import {
  DEFAULT_LIMITS,
  type ExitReport,
  type LedgerRow,
  type ProcessLedger,
  type ServerDefinition,
  type ServerLimits,
  type StdioLaunch,
} from '../../src/core/model.ts';
import { pathsOf } from '../../src/paths.ts';
import { ServerMasks } from '../../src/servers/server-masks.ts';
import { createServerProcesses, type ServerProcesses } from '../../src/servers/server-processes.ts';
import type { TemporaryHome } from './home.ts';
import { until } from './until.ts';

type EventOf<T extends GatewayEvent['type']> = Extract<GatewayEvent, { type: T }>;

export interface ProcessBench {
  processes: ServerProcesses;
  events: GatewayEvent[];
  ledger: LedgerRow[];
  /** Where fake servers record, by RECORD_FILE. */
  recordFile: string;
  /** Starts one; resolves with its pid. */
  start(name: string, command: readonly string[], more?: Partial<Started>): Promise<number>;
  /** The exit report of the last spawn of that server. */
  exit(name: string): Promise<ExitReport>;
  /** Sends a request and resolves with its result. */
  ask(name: string, method: string, params?: unknown): Promise<Record<string, unknown>>;
  /** Sends a request without waiting. */
  tell(name: string, method: string, params?: unknown): void;
  of<T extends GatewayEvent['type']>(type: T): EventOf<T>[];
}

interface Started {
  cwd: string | null;
  env: Record<string, string>;
  limits: Partial<ServerLimits>;
}

export interface BenchOptions {
  nonce?: string;
  secrets?: Record<string, string>;
  inherited?: NodeJS.ProcessEnv;
  /** Shared by two benches: what one daemon wrote is read by the next. */
  ledger?: LedgerRow[];
}

/** The processes of one daemon in a temporary home, with everything they report. */
export function processBench(home: TemporaryHome, options: BenchOptions = {}): ProcessBench {
  const events: GatewayEvent[] = [];
  const ledger = options.ledger ?? [];
  const recordFile = join(home.root, 'records');
  const secrets = new Map(Object.entries(options.secrets ?? {}));
  const processes = createServerProcesses({
    paths: pathsOf(home.mcpdHome),
    nonce: options.nonce ?? 'nonce1',
    ledger: ledgerIn(ledger),
    report: (event) => events.push(event),
    now: () => performance.now(),
    secretsReady: async () => undefined,
    secretsOf: () => secrets,
    masks: new ServerMasks({ secretsOf: () => secrets }),
    inherited: options.inherited ?? home.env,
  });
  const generations = new Map<string, number>();
  let nextId = 1;

  const of: ProcessBench['of'] = (type) => events.filter((event): event is EventOf<typeof type> => event.type === type);
  const current = (name: string) => generations.get(name) ?? 0;

  async function start(name: string, command: readonly string[], more: Partial<Started> = {}): Promise<number> {
    const generation = current(name) + 1;
    generations.set(name, generation);
    const env = { RECORD_FILE: recordFile, ...more.env };
    processes.spawn({
      instance: name,
      generation,
      definition: definition(name, command, { ...more, env }),
    });
    const isOurs = (event: { instance: string; generation: number }) =>
      event.instance === name && event.generation === generation;
    const begun = await until(`${name} to start`, () => [...of('server-spawned'), ...of('server-exited')].find(isOurs));
    if (begun.type === 'server-exited') return 0;
    const pid = begun.pid ?? 0;
    home.track(pid);
    return pid;
  }

  async function exit(name: string): Promise<ExitReport> {
    const found = await until(`the exit of ${name}`, () =>
      of('server-exited').find((event) => event.instance === name && event.generation === current(name)),
    );
    return found.exit;
  }

  function send(name: string, method: string, params: unknown): string {
    const id = String(nextId++);
    const line = Buffer.from(`${JSON.stringify({ jsonrpc: '2.0', id: Number(id), method, params })}\n`);
    processes.write(name, current(name), [line]);
    return id;
  }

  async function ask(name: string, method: string, params: unknown = {}): Promise<Record<string, unknown>> {
    const id = send(name, method, params);
    const { frame } = await until(`the answer of ${name} to ${method}`, () =>
      of('server-message').find(
        (event) => event.instance === name && event.frame.envelope.kind === 'result' && event.frame.envelope.id === id,
      ),
    );
    const { result } = JSON.parse(Buffer.concat(frame.bytes).toString()) as { result: Record<string, unknown> };
    return result;
  }

  return { processes, events, ledger, recordFile, start, exit, ask, tell: send, of };
}

function definition(
  name: string,
  [command = '', ...args]: readonly string[],
  more: Partial<Started>,
): ServerDefinition {
  const launch: StdioLaunch = { kind: 'stdio', command, args, cwd: more.cwd ?? null, env: more.env ?? {} };
  return {
    name,
    description: '',
    launch,
    start: 'on-demand',
    sharing: 'auto',
    enabled: true,
    limits: {
      ...DEFAULT_LIMITS,
      ...more.limits,
    },
    source: { kind: 'command', ref: command },
    fingerprint: '',
    addedAt: 0,
  };
}

function ledgerIn(rows: LedgerRow[]): ProcessLedger {
  return {
    add: (row) => rows.push(row),
    remove: (instance, generation, nonce) => {
      const matches = (row: LedgerRow) =>
        row.instance === instance && row.generation === generation && (nonce === undefined || row.nonce === nonce);
      for (let at = rows.findIndex(matches); at >= 0; at = rows.findIndex(matches)) rows.splice(at, 1);
    },
    rows: () => [...rows],
  };
}
