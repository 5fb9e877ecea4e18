import type { GatewayEvent } from '../../core/events.ts';
import type { HttpLaunch, ServerDefinition, ServerName } from '../../core/model.ts';
import { type Proxies, proxiesOf } from '../../proxy.ts';
import type { RunningServer, ServerOrder } from '../running-server.ts';
import type { ServerLog } from '../server-log.ts';
import type { RemoteAuth } from './authorization.ts';
import { RemoteConnection } from './connection.ts';
import { NO_LOGINS } from './requester.ts';
import { ToolHeaders } from './tool-headers.ts';

export interface ConnectionsOptions {
  /** Nobody holds logins unless given. */
  auth?: RemoteAuth | undefined;
  /** Makes ready what the launch refers to; returns the variables of it that are set. Never rejects. */
  values(definition: ServerDefinition): Promise<ReadonlyMap<string, string>>;
  /** @throws {McpdError} SECRETS_DAMAGED, SECRETS_LOCKED */
  secretsOf(server: ServerName): ReadonlyMap<string, string>;
  /** Monotonic milliseconds. */
  now(): number;
  /** The daemon's own environment, which names proxies. */
  inherited: NodeJS.ProcessEnv;
}

/** Opens connections to servers that run elsewhere, and keeps what is known of each beyond one of them. */
export class Connections {
  readonly #options: ConnectionsOptions;
  readonly #proxies: Proxies;
  /** Lists are remembered, and not read again before a call; so is what they say of its headers. */
  readonly #toolHeaders = new Map<ServerName, { fingerprint: string; headers: ToolHeaders }>();

  constructor(options: ConnectionsOptions) {
    this.#options = options;
    this.#proxies = proxiesOf(options.inherited);
  }

  open(order: ServerOrder, launch: HttpLaunch, log: ServerLog, report: (event: GatewayEvent) => void): RunningServer {
    const { auth = NO_LOGINS, secretsOf, values, now } = this.#options;
    const { definition } = order;
    const connection = new RemoteConnection(order, {
      launch,
      auth,
      proxies: this.#proxies,
      toolHeaders: this.#toolHeadersOf(definition),
      log,
      now,
      report,
      secret: (name) => secretsOf(definition.name).get(name),
      values: () => values(definition),
    });
    void connection.start();
    return connection;
  }

  #toolHeadersOf({ name, fingerprint }: ServerDefinition): ToolHeaders {
    const known = this.#toolHeaders.get(name);
    if (known?.fingerprint === fingerprint) return known.headers;
    const headers = new ToolHeaders();
    this.#toolHeaders.set(name, { fingerprint, headers });
    return headers;
  }
}
