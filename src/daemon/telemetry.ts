import type { ScrapeToken, TelemetryRequest, TelemetryStatus } from '../api/contract/telemetry.ts';
import type { TelemetryControl } from '../api/daemon-control.ts';
import { keptToken, renewedToken, tokenIn } from '../api/token.ts';
import type { CallRecord, Transition } from '../core/model.ts';
import type { Look } from '../telemetry/measures.ts';
import { Telemetry } from '../telemetry/telemetry.ts';
import { VERSION } from '../version.ts';
import type { Parts } from './parts.ts';

/** Under which name the headers of exports are kept among the secrets: no server can have it. */
const HEADERS_SPACE = 'telemetry:otlp';
const SETTING = 'telemetry';

/** What the daemon tells other programs, joined to its parts. */
export class DaemonTelemetry implements TelemetryControl {
  readonly #parts: Parts;
  readonly #telemetry: Telemetry;
  /** Undefined as long as nobody has looked. */
  #token: string | null | undefined;

  constructor(parts: Parts, startedAt: number) {
    this.#parts = parts;
    const { registry, secrets } = parts;
    this.#telemetry = new Telemetry({
      version: VERSION,
      startedAt,
      environment: process.env,
      setting: () => registry.setting(SETTING),
      setSetting: (value) => registry.setSetting(SETTING, value),
      headers: () => secrets.mapOf(HEADERS_SPACE),
      setHeaders: (headers) => secrets.replace(HEADERS_SPACE, headers),
      look: () => this.#look(startedAt),
    });
  }

  recordCall(record: CallRecord): void {
    this.#telemetry.called(record);
  }

  recordTransition(transition: Transition): void {
    this.#telemetry.moved(transition);
  }

  metrics(): Promise<{ type: string; text: string }> {
    return this.#telemetry.text();
  }

  status(): TelemetryStatus {
    return { otlp: this.#telemetry.status(), scrape: { url: this.#url(), hasToken: this.scrapeToken() !== null } };
  }

  findings(): string[] {
    return this.#telemetry.findings();
  }

  async set(request: TelemetryRequest): Promise<TelemetryStatus> {
    await this.#telemetry.set(request);
    return this.status();
  }

  async off(): Promise<TelemetryStatus> {
    await this.#telemetry.off();
    return this.status();
  }

  scrapeToken(): string | null {
    if (this.#token === undefined) this.#token = tokenIn(this.#parts.paths.scrapeToken);
    return this.#token;
  }

  token({ renew }: { renew: boolean }): ScrapeToken {
    const file = this.#parts.paths.scrapeToken;
    const token = renew ? renewedToken(file) : keptToken(file);
    this.#token = token;
    return { token, file, url: this.#url() };
  }

  /** The secrets can be read now, or that has been given up. */
  readAgain(): Promise<void> {
    return this.#telemetry.readAgain();
  }

  close(): Promise<void> {
    return this.#telemetry.close();
  }

  #url(): string | null {
    const { port } = this.#parts.status();
    return port === null ? null : `http://127.0.0.1:${port}/metrics`;
  }

  async #look(startedAt: number): Promise<Look> {
    const { gateway, processes } = this.#parts;
    const { user, system } = process.cpuUsage();
    const { rss, heapUsed } = process.memoryUsage();
    return {
      version: VERSION,
      node: process.version,
      startedAt,
      servers: gateway.statuses(),
      sessions: gateway.view.sessions.size,
      // As they were last looked at, a few seconds ago at most: nobody looks for a reader alone.
      trees: processes.trees.seen(),
      daemon: {
        rssBytes: rss,
        heapBytes: heapUsed,
        cpuMs: (user + system) / 1000,
        busyMs: performance.eventLoopUtilization().active,
      },
    };
  }
}
