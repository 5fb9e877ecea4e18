import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** One export as it came, in OTLP's JSON. */
interface Export {
  path: string;
  headers: IncomingHttpHeaders;
  text: string;
}

export interface ReceivedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string;
  name: string;
  kind: number;
  status: { code: number };
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: Record<string, string | number>;
}

interface Point {
  attributes: Record<string, string | number>;
  /** Of a counter or gauge. */
  value: number;
  /** Of a histogram. */
  count: number;
  sum: number;
  buckets: number[];
}

/** Stands in for an OpenTelemetry collector: takes OTLP by HTTP, and keeps all of it. */
export class OtlpReceiver {
  readonly exports: Export[] = [];
  /** What it answers. */
  status = 200;
  private readonly server = createServer((request, response) => {
    let text = '';
    request.setEncoding('utf8').on('data', (part: string) => {
      text += part;
    });
    request.on('end', () => {
      if (this.status === 200) this.exports.push({ path: request.url ?? '', headers: request.headers, text });
      response.writeHead(this.status, { 'content-type': 'application/json' }).end('{}');
    });
  });

  async listen(port = 0): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(port, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  async close(): Promise<void> {
    const closed = new Promise((resolve) => this.server.close(resolve));
    this.server.closeAllConnections();
    await closed;
  }

  spans(): ReceivedSpan[] {
    return this.of('/v1/traces', 'resourceSpans').flatMap((resource) =>
      resource.scopeSpans.flatMap(({ spans }) =>
        spans.map((span) => ({
          ...span,
          parentSpanId: span.parentSpanId ?? '',
          attributes: attributesOf(span.attributes),
        })),
      ),
    );
  }

  /** The points of one metric in the newest export. */
  points(name: string): Point[] {
    const newest = this.of('/v1/metrics', 'resourceMetrics').at(-1);
    const metrics = newest?.scopeMetrics.flatMap((scope) => scope.metrics) ?? [];
    const metric = metrics.find((one) => one.name === name);
    const points = (metric?.sum ?? metric?.gauge ?? metric?.histogram)?.dataPoints ?? [];
    return points.map((point) => ({
      attributes: attributesOf(point.attributes),
      value: Number(point.asDouble ?? point.asInt ?? Number.NaN),
      count: Number(point.count ?? Number.NaN),
      sum: Number(point.sum ?? Number.NaN),
      buckets: (point.bucketCounts ?? []).map(Number),
    }));
  }

  /** Attributes of the resources that sent something. */
  resources(): Record<string, string | number>[] {
    return [...this.of('/v1/traces', 'resourceSpans'), ...this.of('/v1/metrics', 'resourceMetrics')].map(
      ({ resource }) => attributesOf(resource.attributes),
    );
  }

  private of<K extends 'resourceSpans' | 'resourceMetrics'>(path: string, key: K): Body[K] {
    const found = this.exports.filter((one) => one.path === path);
    return found.flatMap(({ text }) => (JSON.parse(text) as Body)[key] as never[]) as Body[K];
  }
}

// — internal —

type Attributes = { key: string; value: { stringValue?: string; intValue?: number; doubleValue?: number } }[];

interface WirePoint {
  attributes: Attributes;
  asDouble?: number;
  asInt?: number;
  count?: number;
  sum?: number;
  bucketCounts?: number[];
}

interface Body {
  resourceSpans: {
    resource: { attributes: Attributes };
    scopeSpans: { spans: (Omit<ReceivedSpan, 'attributes'> & { attributes: Attributes; parentSpanId?: string })[] }[];
  }[];
  resourceMetrics: {
    resource: { attributes: Attributes };
    scopeMetrics: {
      metrics: ({ name: string } & Partial<Record<'sum' | 'gauge' | 'histogram', { dataPoints: WirePoint[] }>>)[];
    }[];
  }[];
}

function attributesOf(attributes: Attributes): Record<string, string | number> {
  return Object.fromEntries(
    attributes.map(({ key, value }) => [key, value.stringValue ?? value.intValue ?? value.doubleValue ?? '']),
  );
}
