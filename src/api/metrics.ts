import type { ServerResponse } from 'node:http';
import type { TelemetryControl } from './daemon-control.ts';

/** `/metrics`, on both listeners: what Prometheus reads. */
export async function answerMetrics(telemetry: TelemetryControl, outgoing: ServerResponse): Promise<void> {
  const { type, text } = await telemetry.metrics();
  const body = Buffer.from(text);
  outgoing.writeHead(200, { 'content-type': type, 'content-length': body.length });
  outgoing.end(body);
}
