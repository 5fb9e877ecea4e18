import { randomUUID } from 'node:crypto';
import type { OtlpStatus, TelemetryRequest } from '../api/contract/telemetry.ts';
import type { CallRecord } from '../core/call-record.ts';
import type { Transition } from '../core/model.ts';
import { asMcpdError, McpdError } from '../errors.ts';
import { OtlpFeed } from './feed.ts';
import { type Look, type Measure, measuresOf } from './measures.ts';
import {
  checkedEndpoint,
  checkedHeaders,
  intervalsIn,
  type OtlpSettings,
  parsedSettings,
  settingsIn,
} from './settings.ts';
import { Tally } from './tally.ts';

export interface TelemetryPorts {
  version: string;
  /** Milliseconds since 1970. */
  startedAt: number;
  /** The daemon's own. */
  environment: NodeJS.ProcessEnv;
  /** What was set: JSON text, or null. */
  setting(): string | null;
  setSetting(value: string | null): void;
  /** Values of the headers, kept with the secrets. @throws McpdError SECRETS_DAMAGED */
  headers(): ReadonlyMap<string, string>;
  /** Replaces all of them, or leaves all as they are. @throws McpdError SECRETS_DAMAGED, DISK_FULL, HOME_UNWRITABLE */
  setHeaders(headers: ReadonlyMap<string, string>): Promise<void>;
  look(): Promise<Look>;
}

/** Figures for other programs: counted always, written and sent only when somebody asks. */
export class Telemetry {
  readonly #ports: TelemetryPorts;
  readonly #tally = new Tally();
  readonly #instance = randomUUID();
  #feed: { feed: OtlpFeed; status: Omit<OtlpStatus, 'traces' | 'metrics'> } | null = null;
  #finding: string | null = null;
  /** Changes come one after the other. Never rejects. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(ports: TelemetryPorts) {
    this.#ports = ports;
    this.#begin();
  }

  called(record: CallRecord): void {
    this.#tally.called(record);
    this.#feed?.feed.called(record);
  }

  moved(transition: Transition): void {
    this.#tally.moved(transition);
  }

  /** In the form of Prometheus, with its media type. */
  async text(): Promise<{ type: string; text: string }> {
    const [measures, { prometheusText }] = await Promise.all([this.#measures(), import('./prometheus.ts')]);
    return prometheusText(measures);
  }

  status(): OtlpStatus | null {
    if (this.#feed === null) return null;
    const { feed, status } = this.#feed;
    return { ...status, traces: copied(feed.traces), metrics: copied(feed.metrics) };
  }

  /** What people should know of it; at most one sentence. */
  findings(): string[] {
    if (this.#finding !== null) return [this.#finding];
    const status = this.status();
    if (status === null) return [];
    const fault = status.traces?.fault ?? status.metrics?.fault ?? null;
    const lost = status.traces?.lost ?? 0;
    const calls = lost === 0 ? '' : `; ${lost} ${lost === 1 ? 'call was' : 'calls were'} not told`;
    if (fault !== null)
      return [`telemetry cannot be sent to ${status.endpoint}: ${fault}${calls} (mcpd telemetry status)`];
    return lost === 0
      ? []
      : [`telemetry: more calls came than ${status.endpoint} took${calls} (mcpd telemetry status)`];
  }

  /** @throws {McpdError} INPUT_INVALID, SECRETS_DAMAGED, DISK_FULL, HOME_UNWRITABLE */
  set(request: TelemetryRequest): Promise<void> {
    const settings: OtlpSettings = {
      endpoint: checkedEndpoint(request.endpoint),
      traces: request.traces ?? true,
      metrics: request.metrics ?? true,
    };
    const headers = checkedHeaders(request.headers ?? {});
    if (!settings.traces && !settings.metrics) {
      const fix = 'mcpd telemetry off';
      throw new McpdError('INPUT_INVALID', { what: 'neither traces nor metrics would be sent', fix });
    }
    return this.#change(() => this.#write(settings, headers));
  }

  /** @throws {McpdError} SECRETS_DAMAGED, DISK_FULL, HOME_UNWRITABLE */
  off(): Promise<void> {
    return this.#change(async () => {
      this.#ports.setSetting(null);
      await this.#ports.setHeaders(new Map());
    });
  }

  /** Begins anew with what is set: its headers were not to be had before. Never rejects. */
  readAgain(): Promise<void> {
    return this.#change(async () => undefined).catch(() => undefined); // `#begin` keeps what is wrong as a finding
  }

  async close(): Promise<void> {
    await this.#last;
    await this.#end();
  }

  /** Either both are new or neither: the old receiver must not get what is meant for the new one, nor the new one the old one's. */
  async #write(settings: OtlpSettings, headers: ReadonlyMap<string, string>): Promise<void> {
    const before = new Map(this.#ports.headers());
    await this.#ports.setHeaders(headers);
    try {
      this.#ports.setSetting(JSON.stringify(settings));
    } catch (thrown) {
      await this.#ports.setHeaders(before);
      throw thrown;
    }
  }

  #change(write: () => Promise<void>): Promise<void> {
    const change = this.#last.then(async () => {
      await write();
      try {
        await this.#end();
      } finally {
        // What was set takes effect, also when the old connections could not be closed.
        this.#begin();
      }
    });
    this.#last = change.catch(() => undefined); // whoever asked for it has the error
    return change;
  }

  async #end(): Promise<void> {
    const ended = this.#feed;
    this.#feed = null;
    await ended?.feed.close();
  }

  #begin(): void {
    const { environment, startedAt, version } = this.#ports;
    this.#finding = null;
    const found = this.#found();
    if (found === null) return;
    const { settings, headers, from } = found;
    const feed = new OtlpFeed({
      address: {
        endpoint: settings.endpoint,
        headers: Object.fromEntries(headers),
        version,
        instance: this.#instance,
      },
      traces: settings.traces,
      metrics: settings.metrics,
      intervals: intervalsIn(environment),
      measures: () => this.#measures(),
      startedAt,
    });
    this.#feed = { feed, status: { endpoint: settings.endpoint, from, headers: [...headers.keys()].sort() } };
  }

  /** What a person has set goes before what the environment says. */
  #found(): { settings: OtlpSettings; headers: ReadonlyMap<string, string>; from: OtlpStatus['from'] } | null {
    const { environment, setting, headers } = this.#ports;
    const text = setting();
    const settings = parsedSettings(text);
    if (text !== null && settings === null)
      this.#finding = 'telemetry was set by another mcpd and cannot be read, so nothing is sent: mcpd telemetry set';
    if (settings === null) {
      if (text !== null) return null;
      const variables = settingsIn(environment);
      this.#finding = variables.finding;
      return variables.settings === null
        ? null
        : { settings: variables.settings, headers: variables.headers, from: 'environment' };
    }
    try {
      return { settings, headers: headers(), from: 'settings' };
    } catch (thrown) {
      const { message } = asMcpdError(thrown, 'SECRETS_DAMAGED', 'the secrets cannot be read');
      this.#finding = `telemetry is not sent, as its headers are not known: ${message}`;
      return null;
    }
  }

  async #measures(): Promise<Measure[]> {
    return measuresOf(this.#tally, await this.#ports.look());
  }
}

// — internal —

function copied<T extends object>(delivery: T | null): T | null {
  return delivery === null ? null : { ...delivery };
}
