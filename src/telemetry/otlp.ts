import {
  type Context,
  context,
  SpanKind,
  SpanStatusCode,
  TraceFlags,
  type Tracer,
  trace,
  ValueType,
} from '@opentelemetry/api';
import { OTLPMetricExporter } from '@opentelemetry/exporter-metrics-otlp-http';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { type Resource, resourceFromAttributes } from '@opentelemetry/resources';
import { AggregationTemporality, DataPointType, type MetricData } from '@opentelemetry/sdk-metrics';
import {
  AlwaysOnSampler,
  BasicTracerProvider,
  ParentBasedSampler,
  type ReadableSpan,
} from '@opentelemetry/sdk-trace-base';
import type { CallRecord } from '../core/call-record.ts';
import { OTLP_EXPORT_TIMEOUT_MS, OTLP_REASON_CHARS_MAX } from '../telemetry-limits.ts';
import type { Measure } from './measures.ts';
import { type SpanPlan, traceOf } from './spans.ts';

/**
 * Sends calls as traces, and measures, by the official packages. A module that the build makes a file of its own, and that is loaded when
 * somebody wants that: `import('./otlp.ts')`, never from the top.
 */
export interface OtlpSender {
  /** Both resolve to null when the receiver took it, else to the reason. */
  sendCalls(records: readonly CallRecord[]): Promise<string | null>;
  sendMeasures(measures: readonly Measure[], times: { startedAt: number; now: number }): Promise<string | null>;
  close(): Promise<void>;
}

export interface OtlpAddress {
  /** Without a slash at its end. */
  endpoint: string;
  headers: Readonly<Record<string, string>>;
  /** Of mcpd. */
  version: string;
  /** Of this daemon: a new one counts anew. */
  instance: string;
}

export function openOtlp({ endpoint, headers, version, instance }: OtlpAddress): OtlpSender {
  const resource = resourceFromAttributes({
    'service.name': 'mcpd',
    'service.version': version,
    'service.instance.id': instance,
  });
  const to = (signal: string) => ({
    url: `${endpoint}/v1/${signal}`,
    headers: { ...headers },
    timeoutMillis: OTLP_EXPORT_TIMEOUT_MS,
  });
  const [traces, metrics] = withoutVariables(
    () => [new OTLPTraceExporter(to('traces')), new OTLPMetricExporter(to('metrics'))] as const,
  );
  const ended: ReadableSpan[] = [];
  const tracer = tracerInto(ended, resource, version);
  return {
    sendCalls: (records) => {
      for (const record of records) addTrace(tracer, record);
      const spans = ended.splice(0);
      // None, where all hosts said that they do not record these.
      return spans.length === 0 ? Promise.resolve(null) : delivered((done) => traces.export(spans, done));
    },
    sendMeasures: (measures, times) => {
      const scopeMetrics = [
        { scope: { name: 'mcpd', version }, metrics: measures.map((measure) => metricOf(measure, times)) },
      ];
      return delivered((done) => metrics.export({ resource, scopeMetrics }, done));
    },
    close: async () => {
      await Promise.all([traces.shutdown(), metrics.shutdown()]);
    },
  };
}

// — internal —

/** The packages add headers, certificates and more from variables of the environment, which may be meant for another receiver. */
function withoutVariables<T>(make: () => T): T {
  const hidden = Object.entries(process.env).filter(([name]) => name.startsWith('OTEL_'));
  for (const [name] of hidden) delete process.env[name];
  try {
    return make();
  } finally {
    for (const [name, value] of hidden) process.env[name] = value;
  }
}

/** Spans come out at `ended`. A host that says that it does not record a trace is followed. */
function tracerInto(ended: ReadableSpan[], resource: Resource, version: string): Tracer {
  const done = () => Promise.resolve();
  const provider = new BasicTracerProvider({
    resource,
    sampler: new ParentBasedSampler({ root: new AlwaysOnSampler() }),
    spanProcessors: [{ onStart: () => undefined, onEnd: (span) => ended.push(span), forceFlush: done, shutdown: done }],
  });
  return provider.getTracer('mcpd', version);
}

function addTrace(tracer: Tracer, record: CallRecord): void {
  const { root, children } = traceOf(record);
  const within = addSpan(tracer, root, parentOf(record.traceparent));
  for (const child of children) addSpan(tracer, child, within);
}

const KINDS = { server: SpanKind.SERVER, client: SpanKind.CLIENT, internal: SpanKind.INTERNAL };

function addSpan(tracer: Tracer, { name, kind, from, to, attributes, failed }: SpanPlan, within: Context): Context {
  const span = tracer.startSpan(name, { kind: KINDS[kind], startTime: hrTime(from), attributes }, within);
  if (failed) span.setStatus({ code: SpanStatusCode.ERROR });
  span.end(hrTime(to));
  return trace.setSpan(within, span);
}

function parentOf(traceparent: string | null): Context {
  const root = context.active();
  if (traceparent === null) return root;
  const [, traceId = '', spanId = '', flags = ''] = traceparent.split('-');
  const traceFlags = (Number.parseInt(flags, 16) & TraceFlags.SAMPLED) as TraceFlags;
  return trace.setSpanContext(root, { traceId, spanId, traceFlags, isRemote: true });
}

/** As OpenTelemetry names and counts things: a receiver that makes Prometheus' names of these makes those of `/metrics`. */
function metricOf(measure: Measure, times: { startedAt: number; now: number }): MetricData {
  const { name, unit } = nameOf(measure.name);
  const descriptor = { name, unit, description: measure.help, valueType: ValueType.DOUBLE };
  const [startTime, endTime] = [hrTime(times.startedAt), hrTime(times.now)];
  const aggregationTemporality = AggregationTemporality.CUMULATIVE;
  if (measure.kind === 'histogram') {
    const dataPoints = measure.points.map(({ labels, value: { bounds, counts, sum, count } }) => ({
      startTime,
      endTime,
      attributes: labels,
      value: { buckets: { boundaries: [...bounds], counts: [...counts] }, sum, count },
    }));
    return { descriptor, aggregationTemporality, dataPointType: DataPointType.HISTOGRAM, dataPoints };
  }
  const dataPoints = measure.points.map(({ labels, value }) => ({ startTime, endTime, attributes: labels, value }));
  if (measure.kind === 'gauge')
    return { descriptor, aggregationTemporality, dataPointType: DataPointType.GAUGE, dataPoints };
  return { descriptor, aggregationTemporality, dataPointType: DataPointType.SUM, isMonotonic: true, dataPoints };
}

function nameOf(name: string): { name: string; unit: string } {
  const [, stem = '', unit] = /^(.*?)(?:_(seconds|bytes))?(?:_total)?$/.exec(name) ?? [];
  const units: Record<string, string> = { seconds: 's', bytes: 'By' };
  return { name: stem.replaceAll('_', '.'), unit: unit === undefined ? '1' : (units[unit] ?? '1') };
}

function hrTime(ms: number): [number, number] {
  const seconds = Math.floor(ms / 1000);
  return [seconds, Math.round((ms - seconds * 1000) * 1e6)];
}

interface Result {
  code: number;
  error?: Error;
}

function delivered(send: (done: (result: Result) => void) => void): Promise<string | null> {
  return new Promise((resolve) => {
    send(({ code, error }) => resolve(code === 0 ? null : reasonOf(error)));
  });
}

/** A status, or what Node says of the connection. What a receiver answers is anybody's text: cut, and shown through `src/text.ts`. */
function reasonOf(error: Error | undefined): string {
  const code = (error as { code?: unknown } | undefined)?.code;
  const words = error?.message || 'it gave no reason';
  const reason = typeof code === 'number' ? `it answered ${code} ${words}` : words;
  return reason.slice(0, OTLP_REASON_CHARS_MAX);
}
