import { afterEach, beforeEach, expect, test } from 'vitest';
import { MARK } from '../../src/core/marks.ts';
import { OtlpFeed } from '../../src/telemetry/feed.ts';
import { OTLP_CALLS_WAITING_MAX } from '../../src/telemetry-limits.ts';
import { aCall } from '../harness/call-record.ts';
import { OtlpReceiver } from '../harness/otlp-receiver.ts';
import { until } from '../harness/until.ts';

let receiver: OtlpReceiver;
let feed: OtlpFeed;
beforeEach(async () => {
  receiver = new OtlpReceiver();
  const endpoint = await receiver.listen();
  feed = new OtlpFeed({
    address: { endpoint, headers: {}, version: '1.0.0', instance: 'i1' },
    traces: true,
    metrics: true,
    intervals: { callsMs: 100, metricsMs: 100 },
    measures: async () => [{ name: 'mcpd_sessions', help: '', kind: 'gauge', points: [{ labels: {}, value: 3 }] }],
    startedAt: 1_800_000_000_000,
  });
});
afterEach(async () => {
  await feed.close();
  await receiver.close();
});

test('a call arrives as a trace with its times, and metrics arrive by themselves', async () => {
  const marks = [MARK.starting, 0, MARK.started, 3, MARK.sent, 4, MARK.answered, 12.5];
  feed.called(aCall(1_800_000_000_000, { queuedMs: 4, totalMs: 12.5, marks }));
  await until('the trace to arrive', () => receiver.spans().length > 0);
  const names = receiver.spans().map(({ name, startTimeUnixNano: from, endTimeUnixNano: to }) => [name, from, to]);
  expect(names).toContainEqual(['tools/call forecast', '1800000000000000000', '1800000000012500000']);
  expect(names).toContainEqual(['start', '1800000000000000000', '1800000000003000000']);
  expect(names).toContainEqual(['queue', '1800000000003000000', '1800000000004000000']);
  expect(names).toContainEqual(['server', '1800000000004000000', '1800000000012500000']);
  expect(names).toHaveLength(4);
  await until('the metrics to arrive', () => receiver.points('mcpd.sessions')[0]?.value === 3);
});

test('a host that does not record its trace is followed', async () => {
  const trace = (last: string) => `00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-${last}`;
  feed.called(aCall(1_800_000_000_000, { traceparent: trace('00'), target: 'quiet' }));
  feed.called(aCall(1_800_000_000_000, { traceparent: trace('01'), target: 'told' }));
  await until('the trace to arrive', () => receiver.spans().length > 0);
  expect(receiver.spans().map(({ name }) => name)).not.toContain('tools/call quiet');
});

test('a flood of calls takes bounded room, and what did not fit is counted', async () => {
  const more = 100;
  for (let n = 0; n < OTLP_CALLS_WAITING_MAX + more; n++) feed.called(aCall(1_800_000_000_000));
  expect(feed.traces?.lost).toBe(more);
  await until('the rest to arrive', () => feed.traces?.sent === OTLP_CALLS_WAITING_MAX);
  expect(receiver.spans().filter(({ kind }) => kind === 2)).toHaveLength(OTLP_CALLS_WAITING_MAX);
});

test('what the receiver refuses is lost and counted, with its reason', async () => {
  receiver.status = 401;
  feed.called(aCall(1_800_000_000_000));
  await until('the refusal', () => feed.traces?.lost === 1);
  expect(feed.traces).toMatchObject({ sent: 0, lastSentAt: null, fault: expect.stringContaining('401') });
  receiver.status = 200;
  feed.called(aCall(1_800_000_000_000));
  await until('the next one to arrive', () => feed.traces?.sent === 1);
  expect(feed.traces).toMatchObject({ lost: 1, fault: null });
});

test('closing sends what waits, and a receiver that takes its time does not hold it up for long', async () => {
  feed.called(aCall(1_800_000_000_000));
  await feed.close();
  expect(receiver.spans().filter(({ kind }) => kind === 2)).toHaveLength(1);
});
