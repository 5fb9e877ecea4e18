import { expect, test } from 'vitest';
import { McpdError } from '../errors.ts';
import { OTLP_CALLS_EVERY_MS, OTLP_METRICS_EVERY_MS } from '../telemetry-limits.ts';
import { checkedEndpoint, checkedHeaders, intervalsIn, parsedSettings, settingsIn } from './settings.ts';

test.each([
  ['http://127.0.0.1:4318', 'http://127.0.0.1:4318'],
  ['http://127.0.0.1:4318/', 'http://127.0.0.1:4318'],
  ['https://otlp.example.com/otlp//', 'https://otlp.example.com/otlp'],
])('the address %s is kept as %s', (given, kept) => {
  expect(checkedEndpoint(given)).toBe(kept);
});

test.each(['', 'localhost:4318', 'grpc://x', 'file:///etc/passwd', 'http://a:b@x', 'http://x/?a=1', 'http://x/#a'])(
  'the address %j is refused',
  (given) => {
    expect(() => checkedEndpoint(given)).toThrow(McpdError);
  },
);

test('a header is refused by its name alone: its value is a secret', () => {
  expect(checkedHeaders({ 'X-Key': 'a b' })).toEqual(new Map([['x-key', 'a b']]));
  for (const headers of [{ 'a b': 'hush' }, { Host: 'hush' }, { 'x-key': 'hu\nsh' }, { 'x-key': '' }]) {
    expect(() => checkedHeaders(headers)).toThrow(McpdError);
    expect(() => checkedHeaders(headers)).not.toThrow(/hu.?sh/s);
  }
});

test('settings that somebody else wrote are none', () => {
  const settings = { endpoint: 'http://x', traces: true, metrics: false };
  expect(parsedSettings(JSON.stringify(settings))).toEqual(settings);
  for (const text of [null, '', '{}', '{"endpoint":1}', '{"endpoint":"nowhere"}'])
    expect(parsedSettings(text)).toBeNull();
});

test('the variables of OpenTelemetry say where to send, what, and with which headers', () => {
  const found = settingsIn({
    OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:4318/',
    OTEL_EXPORTER_OTLP_HEADERS: 'X-Key=a%20b, other=1=2,broken',
    OTEL_TRACES_EXPORTER: 'none',
  });
  expect(found.settings).toEqual({ endpoint: 'http://127.0.0.1:4318', traces: false, metrics: true });
  expect(found.headers).toEqual(
    new Map([
      ['x-key', 'a b'],
      ['other', '1=2'],
    ]),
  );
});

test.each([
  [{}],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: '' }],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x', OTEL_SDK_DISABLED: 'true' }],
  [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://x', OTEL_TRACES_EXPORTER: 'none', OTEL_METRICS_EXPORTER: 'none' }],
])('nothing is sent with %j', (env) => {
  expect(settingsIn(env)).toMatchObject({ settings: null, finding: null });
});

test('a variable that cannot be followed is told', () => {
  const found = settingsIn({ OTEL_EXPORTER_OTLP_ENDPOINT: 'collector:4317' });
  expect(found).toMatchObject({ settings: null, finding: expect.stringContaining('no address of an OTLP receiver') });
});

test('how often to send can be said, within reason', () => {
  expect(intervalsIn({})).toEqual({ callsMs: OTLP_CALLS_EVERY_MS, metricsMs: OTLP_METRICS_EVERY_MS });
  expect(intervalsIn({ OTEL_BSP_SCHEDULE_DELAY: '1', OTEL_METRIC_EXPORT_INTERVAL: 'soon' })).toEqual({
    callsMs: 100,
    metricsMs: OTLP_METRICS_EVERY_MS,
  });
});
