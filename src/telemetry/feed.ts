import { setTimeout as delay } from 'node:timers/promises';
import type { OtlpDelivery } from '../api/contract/telemetry.ts';
import type { CallRecord } from '../core/call-record.ts';
import { OTLP_CALLS_PER_EXPORT_MAX, OTLP_CALLS_WAITING_MAX, OTLP_LAST_EXPORT_MS } from '../telemetry-limits.ts';
import type { Measure } from './measures.ts';
import type { OtlpAddress, OtlpSender } from './otlp.ts';

export interface FeedOptions {
  address: OtlpAddress;
  traces: boolean;
  metrics: boolean;
  intervals: { callsMs: number; metricsMs: number };
  measures: () => Promise<Measure[]>;
  /** Milliseconds since 1970. */
  startedAt: number;
}

/**
 * What is on its way to one OTLP receiver. Nobody ever waits for it: a call is put into a bounded queue, and what the receiver does not
 * take is given up and counted.
 */
export class OtlpFeed {
  readonly traces: OtlpDelivery | null;
  readonly metrics: OtlpDelivery | null;
  readonly #options: FeedOptions;
  readonly #waiting: CallRecord[] = [];
  #sender: Promise<OtlpSender> | null = null;
  #callsTimer: NodeJS.Timeout | null = null;
  readonly #metricsTimer: NodeJS.Timeout | null;
  #sendingCalls: Promise<void> | null = null;
  #sendingMetrics: Promise<void> | null = null;

  constructor(options: FeedOptions) {
    this.#options = options;
    this.traces = options.traces ? newDelivery() : null;
    this.metrics = options.metrics ? newDelivery() : null;
    this.#metricsTimer = options.metrics ? setInterval(() => this.#tellMetrics(), options.intervals.metricsMs) : null;
    this.#metricsTimer?.unref();
  }

  called(record: CallRecord): void {
    if (this.traces === null) return;
    if (this.#waiting.length >= OTLP_CALLS_WAITING_MAX) {
      this.traces.lost += 1;
      return;
    }
    this.#waiting.push(record);
    if (this.#sendingCalls !== null || this.#callsTimer !== null) return;
    this.#callsTimer = setTimeout(() => this.#tellCalls(), this.#options.intervals.callsMs);
    this.#callsTimer.unref();
  }

  /** Sends what there is, as long as that is quick; what then still waits is lost. */
  async close(): Promise<void> {
    if (this.#metricsTimer !== null) clearInterval(this.#metricsTimer);
    const last = (async () => {
      await Promise.all([this.#sendingCalls, this.#sendingMetrics]);
      this.#tellCalls();
      this.#tellMetrics();
      await Promise.all([this.#sendingCalls, this.#sendingMetrics]);
      await (await this.#sender)?.close();
    })();
    await Promise.race([last, delay(OTLP_LAST_EXPORT_MS, undefined, { ref: false })]);
    this.#stopCallsTimer();
    if (this.traces !== null) this.traces.lost += this.#waiting.splice(0).length;
  }

  #tellCalls(): void {
    this.#stopCallsTimer();
    const { traces } = this;
    if (traces === null || this.#waiting.length === 0) return;
    this.#sendingCalls ??= this.#sendCalls(traces).finally(() => (this.#sendingCalls = null));
  }

  /** One export after the other. After one that failed the next waits for its time: the receiver may be away. */
  async #sendCalls(traces: OtlpDelivery): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.splice(0, OTLP_CALLS_PER_EXPORT_MAX);
      const fault = await this.#sent((sender) => sender.sendCalls(batch));
      note(traces, batch.length, fault);
      if (fault === null) continue;
      if (this.#waiting.length > 0 && this.#callsTimer === null) {
        this.#callsTimer = setTimeout(() => this.#tellCalls(), this.#options.intervals.callsMs);
        this.#callsTimer.unref();
      }
      return;
    }
  }

  #tellMetrics(): void {
    const { metrics } = this;
    if (metrics === null) return;
    // A slow receiver is given the next figures, which hold all of the earlier ones.
    this.#sendingMetrics ??= this.#sendMetrics(metrics).finally(() => (this.#sendingMetrics = null));
  }

  async #sendMetrics(metrics: OtlpDelivery): Promise<void> {
    const { startedAt, measures } = this.#options;
    const fault = await this.#sent(async (sender) =>
      sender.sendMeasures(await measures(), { startedAt, now: Date.now() }),
    );
    note(metrics, 1, fault);
  }

  /** Never rejects. */
  async #sent(send: (sender: OtlpSender) => Promise<string | null>): Promise<string | null> {
    try {
      this.#sender ??= import('./otlp.ts').then(({ openOtlp }) => openOtlp(this.#options.address));
      // A load that failed (no free file descriptor) is tried again by the next export.
      this.#sender.catch(() => (this.#sender = null));
      return await send(await this.#sender);
    } catch (thrown) {
      return thrown instanceof Error ? thrown.message : String(thrown);
    }
  }

  #stopCallsTimer(): void {
    if (this.#callsTimer !== null) clearTimeout(this.#callsTimer);
    this.#callsTimer = null;
  }
}

// — internal —

function newDelivery(): OtlpDelivery {
  return { sent: 0, lost: 0, lastSentAt: null, fault: null };
}

function note(delivery: OtlpDelivery, amount: number, fault: string | null): void {
  delivery.fault = fault;
  if (fault !== null) {
    delivery.lost += amount;
    return;
  }
  delivery.sent += amount;
  delivery.lastSentAt = Date.now();
}
