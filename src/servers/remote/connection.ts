import { setMaxListeners } from 'node:events';
import type { GatewayEvent } from '../../core/events.ts';
import type { HttpLaunch } from '../../core/model.ts';
import { CALL_TIMEOUT_MS, SERVER_LINE_BYTES_MAX } from '../../limits.ts';
import type { Bytes, RawId } from '../../protocol/frame.ts';
import type { Noise } from '../../protocol/framing.ts';
import type { Proxies } from '../../proxy.ts';
import { REMOTE_HEAD_TIMEOUT_MS } from '../../remote-limits.ts';
import type { RunningServer, ServerOrder } from '../running-server.ts';
import type { ServerLog } from '../server-log.ts';
import type { RemoteAuth } from './authorization.ts';
import { faultOf } from './fault.ts';
import { SseChannel } from './http-sse.ts';
import { type Outgoing, readOutgoing } from './outgoing.ts';
import { type Channel, type ChannelPorts, causeOfFault } from './ports.ts';
import { lockOf, Requester } from './requester.ts';
import { HttpSender } from './sender.ts';
import { StreamableChannel } from './streamable.ts';
import type { ToolHeaders } from './tool-headers.ts';

/** What a connection needs of its surroundings. */
export interface ConnectionSurroundings {
  launch: HttpLaunch;
  auth: RemoteAuth;
  proxies: Proxies;
  toolHeaders: ToolHeaders;
  log: ServerLog;
  /** @throws {McpdError} SECRETS_DAMAGED */
  secret(name: string): string | undefined;
  /** Makes ready what the launch refers to; returns the variables of it that are set. Never rejects. */
  values(): Promise<ReadonlyMap<string, string>>;
  report(event: GatewayEvent): void;
  /** Monotonic milliseconds. */
  now(): number;
}

/**
 * A connection to a server that runs elsewhere, in the place of a process: opened by a spawn, ended by a stop or when the server is gone.
 * Requests that fail are answered by errors, and end nothing.
 */
export class RemoteConnection implements RunningServer {
  readonly order: ServerOrder;
  readonly ended: Promise<void>;
  readonly pid = null;
  readonly family = null;
  readonly #own: ConnectionSurroundings;
  readonly #sender: HttpSender;
  readonly #closed = new AbortController();
  readonly #ports: ChannelPorts;
  #channel: Channel | null = null;
  #openedAt: number | null = null;
  #resolveEnded: () => void = () => undefined;

  constructor(order: ServerOrder, surroundings: ConnectionSurroundings) {
    this.order = order;
    this.#own = surroundings;
    this.#sender = new HttpSender(surroundings.proxies);
    // One for each open request.
    setMaxListeners(0, this.#closed.signal);
    this.#ports = this.#portsOf(order, surroundings);
    this.ended = new Promise((resolve) => {
      this.#resolveEnded = resolve;
    });
  }

  /** Looks whether the server can be reached; a failure is reported as an exit. Never rejects. */
  async start(): Promise<void> {
    const { requester, transport } = this.#ports;
    try {
      requester.give(await this.#own.values());
      const proxy = this.#own.proxies(requester.url);
      if (proxy !== null) this.#own.log.lifecycle('info', `it is reached through the proxy ${proxy.place}`);
      if (transport === 'sse') this.#channel = await SseChannel.open(this.#ports);
      else {
        await this.#sender.reach(requester.url, this.#closed.signal);
        this.#channel = new StreamableChannel(this.#ports);
      }
      if (this.#closed.signal.aborted) return;
      this.#openedAt = this.#own.now();
      this.#own.report({ type: 'server-spawned', ...this.#stamp(), pid: null });
    } catch (thrown) {
      if (this.#closed.signal.aborted) return;
      const fault = faultOf(thrown, requester.place);
      const lock = lockOf(fault, null);
      if (lock !== null) this.#ports.locked(lock);
      else this.#end(causeOfFault(fault));
    }
  }

  write(message: Bytes): 'ok' | 'full' | 'gone' {
    if (this.#channel === null || this.#closed.signal.aborted) return 'gone';
    return this.#channel.send(readOutgoing(message));
  }

  flush(): void {
    // Each message is a request of its own, and under way already.
  }

  stop(kill: boolean): void {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort();
    const goodbye = kill ? Promise.resolve() : (this.#channel?.leave() ?? Promise.resolve());
    void goodbye.then(() => this.#exit('disconnected'));
  }

  observe(): void {
    // Its processes, if it has any, are somebody else's.
  }

  #portsOf({ definition }: ServerOrder, own: ConnectionSurroundings): ChannelPorts {
    const { launch, auth, toolHeaders, secret, log } = own;
    const { name: server, limits } = definition;
    return {
      server,
      transport: launch.transport,
      requester: new Requester({ server, launch, sender: this.#sender, auth, secret }),
      toolHeaders,
      lineBytesMax: limits.lineBytesMax ?? SERVER_LINE_BYTES_MAX,
      callTimeoutMs: limits.callTimeoutMs ?? CALL_TIMEOUT_MS,
      headTimeoutMs: Math.min(REMOTE_HEAD_TIMEOUT_MS, limits.startTimeoutMs ?? REMOTE_HEAD_TIMEOUT_MS),
      closed: this.#closed.signal,
      deliver: (frame, about) =>
        this.#reportOpen({
          type: 'server-message',
          ...this.#stamp(),
          frame,
          about: about === null ? null : Number(about),
        }),
      noise: (noise, answered) => this.#noise(noise, answered),
      log: (level, text) => log.lifecycle(level, text),
      lost: (cause) => this.#end(cause),
      locked: (lock) => {
        const shown = { ...lock, reason: log.masked(lock.reason) };
        this.#reportOpen({ type: 'server-locked', at: own.now(), server, lock: shown });
        this.#end(lock.reason);
      },
      fallBack: (out) => this.#fallBack(out),
    };
  }

  async #fallBack(out: Outgoing): Promise<boolean> {
    if (this.#ports.transport !== 'auto') return false;
    try {
      this.#channel = await SseChannel.open(this.#ports);
    } catch (thrown) {
      // What the POST was answered says more than that there is no stream either.
      const { message } = faultOf(thrown, this.#ports.requester.place);
      this.#own.log.lifecycle('info', `HTTP+SSE was tried too: ${message}`);
      return false;
    }
    this.#own.log.lifecycle('info', 'it knows HTTP+SSE only');
    this.#channel.send(out);
    return true;
  }

  #noise(noise: Noise, answered: RawId | null): void {
    this.#own.log.noise(noise);
    const { reason, id, asks, bytes } = noise;
    const ids = asks ? { id: null, question: id } : { id: answered, question: null };
    this.#reportOpen({ type: 'server-noise', ...this.#stamp(), reason, ...ids, bytes });
  }

  #reportOpen(event: GatewayEvent): void {
    if (!this.#closed.signal.aborted) this.#own.report(event);
  }

  #end(cause: string): void {
    if (this.#closed.signal.aborted) return;
    this.#closed.abort();
    this.#exit(cause);
  }

  #exit(reason: string): void {
    this.#sender.close();
    const uptimeMs = this.#openedAt === null ? 0 : Math.round(this.#own.now() - this.#openedAt);
    const cause = this.#own.log.masked(reason);
    const exit = { at: Date.now(), uptimeMs, code: null, signal: null, cause, stderrTail: [] };
    this.#own.report({ type: 'server-exited', ...this.#stamp(), exit });
    this.#resolveEnded();
  }

  #stamp(): { at: number; instance: string; generation: number } {
    return { at: this.#own.now(), instance: this.order.instance, generation: this.order.generation };
  }
}
