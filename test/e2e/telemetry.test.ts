import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect } from 'vitest';
import { pathsOf } from '../../src/paths.ts';
import { freePort } from '../harness/home.ts';
import { askLocal, askWeb } from '../harness/listening-api.ts';
import { type Machine, test } from '../harness/machine.ts';
import { OtlpReceiver } from '../harness/otlp-receiver.ts';
import { keptText } from '../harness/secrets.ts';
import { until } from '../harness/until.ts';

const TRACE = '0af7651916cd43dd8448eb211c80319c';
const PARENT = 'b7ad6b7169203331';
/** Stands in arguments and results alone, and must never be told. */
const PRIVATE = 'a-thing-that-is-nobody-elses-business';

let receiver: OtlpReceiver;
let address: string;
beforeEach(async () => {
  receiver = new OtlpReceiver();
  address = await receiver.listen();
});
afterEach(() => receiver.close());

/** What was called, by server, method and outcome. */
const SCRIPT: Record<string, number> = {
  'echo tools/call ok': 7,
  'echo tools/call tool-error': 3,
  'echo prompts/get ok': 1,
  'verbatim tools/call error': 2,
  'slow tools/call cancelled': 2,
  'dies tools/call lost': 1,
};
const ALL = 16;

/** Sixteen calls of one host, over real servers. */
async function playScript(machine: Machine): Promise<void> {
  await machine.add('echo', 'echo');
  await machine.add('verbatim', 'verbatim');
  await machine.add('slow', 'slow');
  await machine.add('dies', 'exit-in-call');
  const host = await machine.connected();
  for (let n = 0; n < 6; n++) await host.call('echo__echo', { text: PRIVATE });
  await host.ask('tools/call', {
    name: 'echo__echo',
    arguments: { text: PRIVATE },
    _meta: { traceparent: `00-${TRACE}-${PARENT}-01` },
  });
  for (let n = 0; n < 3; n++) await host.call('echo__fail');
  await host.ask('prompts/get', { name: 'echo__greet', arguments: { who: PRIVATE } });
  for (let n = 0; n < 2; n++)
    await host.ask('tools/call', { name: 'verbatim__fault', arguments: { error: '{"code":-32001,"message":"no"}' } });
  for (const id of ['c1', 'c2']) {
    host.send({ id, method: 'tools/call', params: { name: 'slow__hang', arguments: {} } });
    await until('the server to have the call', async () => {
      const { openCalls, state } = await machine.ok('info', 'slow', '--json');
      return openCalls === 1 && state === 'running';
    });
    host.notify('notifications/cancelled', { requestId: id });
    await until('the call to be over', async () => (await machine.ok('info', 'slow', '--json')).openCalls === 0);
  }
  await host.ask('tools/call', { name: 'dies__commit', arguments: {} });
}

/** Values by series: `name{label="value"}`. */
async function scraped(machine: Machine): Promise<Map<string, number>> {
  const { token } = await machine.ok('telemetry', 'token', '--json');
  const answer = await askWeb(machine.home.port, '/metrics', { headers: { authorization: `Bearer ${token}` } });
  expect(answer.status).toBe(200);
  expect(answer.headers['content-type']).toBe('text/plain; version=0.0.4; charset=utf-8');
  const lines = answer.text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  return new Map(
    lines.map((line) => [line.slice(0, line.lastIndexOf(' ')), Number(line.slice(line.lastIndexOf(' ')))]),
  );
}

function sumOf(series: Map<string, number>, name: string): number {
  return [...series].reduce((sum, [key, value]) => (key === name || key.startsWith(`${name}{`) ? sum + value : sum), 0);
}

describe('what other programs are told of a scripted run adds up', () => {
  test('to what happened, for Prometheus and for an OTLP receiver alike', async ({ machine }) => {
    await machine.startDaemon();
    await machine.ok('telemetry', 'set', '--otlp', `${address}/`, '--header', 'Authorization=Bearer of-the-receiver');
    await playScript(machine);

    const series = await scraped(machine);
    for (const [what, times] of Object.entries(SCRIPT)) {
      const [server, method, outcome] = what.split(' ');
      const name = `mcpd_calls_total{server="${server}",method="${method}",outcome="${outcome}"}`;
      expect(series.get(name), name).toBe(times);
    }
    expect(sumOf(series, 'mcpd_calls_total')).toBe(ALL);
    expect(sumOf(series, 'mcpd_tool_calls_total')).toBe(ALL - 1);
    expect(series.get('mcpd_tool_calls_total{server="echo",tool="fail",outcome="tool-error"}')).toBe(3);
    for (const histogram of ['mcpd_call_duration_seconds', 'mcpd_call_queue_seconds']) {
      expect(sumOf(series, `${histogram}_count`)).toBe(ALL);
      expect(series.get(`${histogram}_bucket{server="echo",le="+Inf"}`)).toBe(11);
    }
    for (const server of ['echo', 'verbatim', 'slow', 'dies']) {
      expect(series.get(`mcpd_server_starts_total{server="${server}"}`), server).toBeGreaterThanOrEqual(1);
      const states = [...series].filter(([key]) => key.startsWith(`mcpd_server_state{server="${server}"`));
      expect(states.reduce((sum, [, value]) => sum + value, 0)).toBe(1);
    }
    expect(series.get('mcpd_server_state{server="echo",state="running"}')).toBe(1);
    expect(series.get('mcpd_sessions')).toBe(1);
    expect(series.get('mcpd_daemon_rss_bytes')).toBeGreaterThan(1e7);
    const memory = 'mcpd_server_rss_bytes{server="echo"}';
    await until('the processes to be looked at', async () => ((await scraped(machine)).get(memory) ?? 0) > 1e6);
    expect((await scraped(machine)).get('mcpd_server_cpu_seconds_total{server="echo"}')).toBeGreaterThan(0);

    // Its end sends what is left.
    await machine.ok('down');
    for (const [what, times] of Object.entries(SCRIPT)) {
      const [server, method, outcome] = what.split(' ');
      const point = receiver
        .points('mcpd.calls')
        .find(
          ({ attributes: its }) => its['server'] === server && its['method'] === method && its['outcome'] === outcome,
        );
      expect(point?.value, what).toBe(times);
    }
    const durations = receiver.points('mcpd.call.duration');
    expect(durations.reduce((sum, { count }) => sum + count, 0)).toBe(ALL);
    for (const { buckets, count } of durations) expect(buckets.reduce((sum, one) => sum + one, 0)).toBe(count);
    expectTraces();
    for (const resource of receiver.resources()) expect(resource).toMatchObject({ 'service.name': 'mcpd' });
    for (const { headers, text } of receiver.exports) {
      expect(headers.authorization).toBe('Bearer of-the-receiver');
      expect(text).not.toContain(PRIVATE);
    }
  });

  function expectTraces(): void {
    const spans = receiver.spans();
    const roots = spans.filter(({ kind }) => kind === 2);
    expect(roots).toHaveLength(ALL);
    const counted: Record<string, number> = {};
    for (const { attributes: its } of roots) {
      const what = `${its['mcpd.server']} ${its['mcp.method.name']} ${its['mcpd.outcome']}`;
      counted[what] = (counted[what] ?? 0) + 1;
    }
    expect(counted).toEqual(SCRIPT);
    const failed = roots.filter(({ status }) => status.code === 2);
    expect(failed).toHaveLength(6);
    for (const { attributes } of failed) expect(['tool_error', '-32001', 'lost']).toContain(attributes['error.type']);
    const byId = new Map(roots.map((root) => [root.spanId, root]));
    const children = spans.filter(({ kind }) => kind !== 2);
    // The server's start is the first thing that its first call waits for.
    expect(children.filter(({ name }) => name === 'start').length).toBeGreaterThanOrEqual(1);
    for (const child of children) {
      const parent = byId.get(child.parentSpanId);
      expect(parent?.traceId).toBe(child.traceId);
      expect(BigInt(child.startTimeUnixNano) >= BigInt(parent?.startTimeUnixNano ?? 0)).toBe(true);
      expect(BigInt(child.endTimeUnixNano) <= BigInt(parent?.endTimeUnixNano ?? 0)).toBe(true);
    }
    expect(children.filter(({ name }) => name === 'server')).toHaveLength(ALL);
    const [joined, ...more] = roots.filter(({ traceId }) => traceId === TRACE);
    expect(more).toEqual([]);
    expect(joined).toMatchObject({
      name: 'tools/call echo',
      parentSpanId: PARENT,
      attributes: { 'gen_ai.tool.name': 'echo', 'gen_ai.operation.name': 'execute_tool', 'rpc.system': 'jsonrpc' },
    });
  }
});

test('nothing is sent unless it was set, and what was set outlives the daemon', async ({ machine }) => {
  await machine.add('echo', 'echo');
  const host = await machine.connected();
  await host.call('echo__echo', { text: 'a' });
  expect((await machine.ok('telemetry', '--json')).otlp).toBeNull();
  await machine.ok('telemetry', 'set', '--otlp', address, '--no-metrics', '--header', 'X-Tenant: nobody-else-knows');
  await machine.ok('down');
  expect(receiver.exports).toEqual([]);

  await machine.startDaemon();
  const { otlp } = await machine.ok('telemetry', '--json');
  expect(otlp).toMatchObject({ endpoint: address, from: 'settings', headers: ['x-tenant'], metrics: null });
  const kept = readdirSync(machine.home.mcpdHome).filter((name) => name.startsWith('registry.db'));
  for (const name of kept)
    expect(readFileSync(join(machine.home.mcpdHome, name)).includes('nobody-else-knows'), name).toBe(false);
  const secrets = (await machine.ok('secret', 'list', '--json')) as { name: string }[];
  expect(secrets.map(({ name }) => name)).toEqual(['RECORD_FILE']);
  await host.call('echo__echo', { text: 'b' });
  await machine.ok('telemetry', 'off');
  await until('the last call to arrive', () => receiver.spans().length > 0);
  expect(receiver.exports.map(({ path }) => path)).toEqual(['/v1/traces']);
  await host.call('echo__echo', { text: 'c' });
  await machine.ok('down');
  expect(receiver.exports).toHaveLength(1);
  expect(keptText(machine.home.mcpdHome)).not.toContain('x-tenant');
});

test('a receiver that is away costs calls nothing and is told once, until it is there again', async ({ machine }) => {
  const port = await freePort();
  machine.home.env['OTEL_BSP_SCHEDULE_DELAY'] = '100';
  machine.home.env['OTEL_METRIC_EXPORT_INTERVAL'] = '100';
  await machine.add('echo', 'echo');
  await machine.ok('telemetry', 'set', '--otlp', `http://127.0.0.1:${port}`);
  const host = await machine.connected();
  await host.call('echo__echo', { text: 'a' });
  const told = async () =>
    ((await machine.ok('status', '--json')).warnings as string[]).filter((one) => one.includes('telemetry'));
  await until('the fault to be told', async () => (await told()).length > 0);
  expect(await told()).toEqual([
    expect.stringMatching(new RegExp(`^telemetry cannot be sent to .*:${port}: .*ECONNREFUSED`)),
  ]);
  await host.call('echo__echo', { text: 'b' });

  const late = new OtlpReceiver();
  await late.listen(port);
  await until('the figures to arrive', () => late.points('mcpd.calls')[0]?.value === 2);
  await until(
    'the fault to be over',
    async () => (await machine.ok('telemetry', '--json')).otlp.metrics.fault === null,
  );
  const { otlp } = await machine.ok('telemetry', '--json');
  expect(otlp.traces.lost + otlp.traces.sent).toBeLessThanOrEqual(2);
  await late.close();
});

test("OpenTelemetry's own variables are followed where nothing was set", async ({ machine }) => {
  machine.home.env['OTEL_EXPORTER_OTLP_ENDPOINT'] = address;
  machine.home.env['OTEL_EXPORTER_OTLP_HEADERS'] = 'x-key=a%20b';
  machine.home.env['OTEL_METRICS_EXPORTER'] = 'none';
  await machine.startDaemon();
  await machine.add('echo', 'echo');
  await (await machine.connected()).call('echo__echo', { text: 'a' });
  expect((await machine.ok('telemetry', '--json')).otlp).toMatchObject({ from: 'environment', metrics: null });
  await machine.ok('down');
  expect(receiver.exports.map(({ path, headers }) => [path, headers['x-key']])).toEqual([['/v1/traces', 'a b']]);
});

test('what a person has set gets no header of a variable that is meant for another receiver', async ({ machine }) => {
  machine.home.env['OTEL_EXPORTER_OTLP_HEADERS'] = 'x-key=secret';
  await machine.startDaemon();
  await machine.ok('telemetry', 'set', '--otlp', address, '--no-traces');
  await machine.ok('down');
  expect(receiver.exports.map(({ path }) => path)).toEqual(['/v1/metrics']);
  expect(receiver.exports[0]?.headers['x-key']).toBeUndefined();
});

test('the token for Prometheus reads the figures and nothing else, and can be renewed', async ({ machine }) => {
  await machine.startDaemon();
  const { mcpdHome, port } = machine.home;
  const read = (token: string, path: string) => askWeb(port, path, { headers: { authorization: `Bearer ${token}` } });
  expect((await askWeb(port, '/metrics')).status).toBe(401);
  expect(existsSync(pathsOf(mcpdHome).scrapeToken)).toBe(false);
  const { token, file, url } = await machine.ok('telemetry', 'token', '--json');
  expect(url).toBe(`http://127.0.0.1:${port}/metrics`);
  expect(readFileSync(file, 'utf8').trim()).toBe(token);
  expect(statSync(file).mode & 0o777).toBe(0o600);
  expect((await read(token, '/metrics')).status).toBe(200);
  for (const path of ['/api/status', '/api/servers', '/api/calls', '/mcp'])
    expect((await read(token, path)).status, path).toBeGreaterThanOrEqual(401);
  expect((await machine.ok('telemetry', 'token', '--json')).token).toBe(token);
  const renewed = await machine.ok('telemetry', 'token', '--renew', '--json');
  expect((await read(token, '/metrics')).status).toBe(401);
  expect((await read(renewed.token, '/metrics')).status).toBe(200);
  expect((await askLocal(pathsOf(mcpdHome), '/metrics')).text).toContain('mcpd_daemon_info{');
});

const REFUSED: [args: string[], words: string][] = [
  [['set'], 'needs --otlp'],
  [['set', '--otlp', 'localhost:4318'], 'begins with http'],
  [['set', '--otlp', 'http://ann:pw@127.0.0.1:4318'], 'no user'],
  [['set', '--otlp', 'http://127.0.0.1:4318', '--no-traces', '--no-metrics'], 'neither traces nor metrics'],
  [['set', '--otlp', 'http://127.0.0.1:4318', '--header', 'Host: x'], 'cannot be a header'],
  [['send'], 'cannot do send'],
];

test('what cannot be meant is refused with what to do instead', async ({ machine }) => {
  await machine.startDaemon();
  for (const [args, words] of REFUSED) {
    const ran = await machine.cli('telemetry', ...args);
    expect(ran.code, args.join(' ')).toBe(2);
    expect(ran.stderr).toContain(words);
  }
  expect((await machine.ok('telemetry', '--json')).otlp).toBeNull();
});
