import type { GatewayEvent } from '../../src/core/events.ts';
import { DEFAULT_LIMITS, type ExitReport, type HttpLaunch, type ServerLimits } from '../../src/core/model.ts';
import { pathsOf } from '../../src/paths.ts';
import { line } from '../../src/protocol/bytes.ts';
import type { RemoteAuth } from '../../src/servers/remote/authorization.ts';
import { ServerMasks } from '../../src/servers/server-masks.ts';
import { createServerProcesses, type ServerProcesses } from '../../src/servers/server-processes.ts';
import { textOf } from '../simulated/messages.ts';
import type { TemporaryHome } from './home.ts';
import { LEGACY, MODERN } from './stand-in-server.ts';
import { until } from './until.ts';

type EventOf<T extends GatewayEvent['type']> = Extract<GatewayEvent, { type: T }>;

interface Opened {
  transport: HttpLaunch['transport'];
  headers: Record<string, string>;
  limits: Partial<ServerLimits>;
}

export interface RemoteBench {
  processes: ServerProcesses;
  events: GatewayEvent[];
  /** Opens the one connection of this bench; false when it ended at once. */
  open(url: string, more?: Partial<Opened>): Promise<boolean>;
  /** Writes a request; its id. `params` may be text, for bytes that JSON.stringify would not make. */
  send(method: string, params?: unknown, era?: 'legacy' | 'modern'): number;
  /** Writes a request and resolves with the text of its answer. */
  ask(method: string, params?: unknown, era?: 'legacy' | 'modern'): Promise<string>;
  tell(method: string, params?: unknown): void;
  write(text: string): string;
  /** `initialize` and `initialized`. */
  handshake(): Promise<string>;
  answerTo(id: number): Promise<string>;
  /** What came that is no answer. */
  unasked(): { text: string; about: number | null }[];
  exit(): Promise<ExitReport>;
  stop(): Promise<ExitReport>;
  of<T extends GatewayEvent['type']>(type: T): EventOf<T>[];
}

/** A connection to a remote server as the daemon has it, with everything it reports, and a test in the place of the core. */
export function remoteBench(
  home: TemporaryHome,
  options: { auth?: RemoteAuth; secrets?: Record<string, string> } = {},
): RemoteBench {
  const events: GatewayEvent[] = [];
  const secrets = new Map(Object.entries(options.secrets ?? {}));
  const processes = createServerProcesses({
    paths: pathsOf(home.mcpdHome),
    nonce: 'nonce1',
    ledger: { add: () => undefined, remove: () => undefined, rows: () => [] },
    report: (event) => events.push(event),
    now: () => performance.now(),
    secretsReady: async () => undefined,
    secretsOf: () => secrets,
    masks: new ServerMasks({ secretsOf: () => secrets }),
    inherited: home.env,
    ...(options.auth === undefined ? {} : { auth: options.auth }),
  });
  let generation = 0;
  let nextId = 1;
  const of: RemoteBench['of'] = (type) => events.filter((event): event is EventOf<typeof type> => event.type === type);
  const exitNow = () => of('server-exited').find((event) => event.generation === generation)?.exit;
  const messages = () =>
    of('server-message')
      .filter((event) => event.generation === generation)
      .map(({ frame, about }) => ({ text: textOf(frame.bytes), about, envelope: frame.envelope }));

  const bench: RemoteBench = {
    processes,
    events,
    of,
    async open(url, more = {}) {
      generation++;
      const launch: HttpLaunch = {
        kind: 'http',
        url,
        transport: more.transport ?? 'auto',
        headers: more.headers ?? {},
      };
      processes.spawn({
        instance: NAME,
        generation,
        definition: definitionOf(launch, more.limits ?? {}),
      });
      await until(
        'the connection',
        () => of('server-spawned').some((event) => event.generation === generation) || exitNow(),
      );
      return exitNow() === undefined;
    },
    write: (text) => processes.write(NAME, generation, line(text)),
    send(method, params = {}, era = 'legacy') {
      const id = nextId++;
      const given = typeof params === 'string' ? params : JSON.stringify(params);
      const withMeta = era === 'legacy' ? given : `${given.slice(0, -1)}${given === '{}' ? '' : ','}"_meta":${META}}`;
      bench.write(`{"jsonrpc":"2.0","id":${id},"method":"${method}","params":${withMeta}}`);
      return id;
    },
    ask: (method, params, era) => bench.answerTo(bench.send(method, params, era)),
    tell: (method, params = {}) => void bench.write(JSON.stringify({ jsonrpc: '2.0', method, params })),
    async handshake() {
      const answer = await bench.ask('initialize', {
        protocolVersion: LEGACY,
        capabilities: {},
        clientInfo: { name: 'mcpd', version: '1' },
      });
      bench.tell('notifications/initialized');
      return answer;
    },
    answerTo: (id) =>
      until(`the answer to ${id}`, () => {
        const found = messages().find(
          ({ envelope }) => 'id' in envelope && envelope.id === String(id) && !('method' in envelope),
        );
        return found?.text ?? (exitNow() === undefined ? null : `exited: ${exitNow()?.cause}`);
      }),
    unasked: () =>
      messages()
        .filter(({ envelope }) => 'method' in envelope)
        .map(({ text, about }) => ({ text, about })),
    exit: () => until('the exit', exitNow),
    stop() {
      processes.stop(NAME, generation, false);
      return bench.exit();
    },
  };
  return bench;
}

// — internal —

const NAME = 'far';
const META = JSON.stringify({
  'io.modelcontextprotocol/protocolVersion': MODERN,
  'io.modelcontextprotocol/clientInfo': { name: 'mcpd', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
});

function definitionOf(launch: HttpLaunch, limits: Partial<ServerLimits>) {
  return {
    name: NAME,
    description: '',
    launch,
    start: 'on-demand' as const,
    sharing: 'auto' as const,
    enabled: true,
    limits: {
      ...DEFAULT_LIMITS,
      ...limits,
    },
    source: { kind: 'url' as const, ref: launch.url },
    fingerprint: 'f'.repeat(64),
    addedAt: 0,
  };
}
