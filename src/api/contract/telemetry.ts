import * as z from 'zod/mini';

/** The part of the contract about figures for other programs: `/metrics`, and what is sent by OTLP (`mcpd telemetry`). */

export const TelemetryRequest = z.object({
  /** Base address of an OTLP receiver, http or https: traces go to `v1/traces` below it, metrics to `v1/metrics`. */
  endpoint: z.string().check(z.minLength(1), z.maxLength(4096)),
  /** Sent with every export. Values are kept with the secrets, and never leave but there. Absent: none. */
  headers: z.optional(z.record(z.string(), z.string().check(z.maxLength(8192)))),
  /** Both are sent unless said otherwise. */
  traces: z.optional(z.boolean()),
  metrics: z.optional(z.boolean()),
});
export type TelemetryRequest = z.infer<typeof TelemetryRequest>;

export interface TelemetryStatus {
  /** Null while nothing is sent, which is how mcpd is installed. */
  otlp: OtlpStatus | null;
  scrape: {
    /** Where Prometheus finds `/metrics`; null while another program has the port. */
    url: string | null;
    /** `mcpd telemetry token` has made one, which can read `/metrics` and nothing else. */
    hasToken: boolean;
  };
}

export interface OtlpStatus {
  endpoint: string;
  /** Set by `mcpd telemetry set`, or by OTEL_EXPORTER_OTLP_ENDPOINT in the daemon's own environment. */
  from: 'settings' | 'environment';
  /** Names only. */
  headers: string[];
  /** Null: not sent. */
  traces: OtlpDelivery | null;
  metrics: OtlpDelivery | null;
}

/** How sending fares, since it was set or the daemon started. */
export interface OtlpDelivery {
  /** Calls, each of them a trace; or exports of all metrics. */
  sent: number;
  /** Given up: the receiver did not take them, or more came than may wait. */
  lost: number;
  lastSentAt: number | null;
  /** Why the last export failed; null when it went well. */
  fault: string | null;
}

/** Of `mcpd telemetry token`. */
export interface ScrapeToken {
  token: string;
  /** The 0600 file that holds it, for `credentials_file` of Prometheus. */
  file: string;
  url: string | null;
}
