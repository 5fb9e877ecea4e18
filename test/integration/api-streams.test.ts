import { connect, createServer, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import WebSocket from 'ws';
import type { InstallEvent, LiveEvent, LogLine } from '../../src/api/contract.ts';
import { DaemonClient } from '../../src/control/client.ts';
import { exchange, isAbsent } from '../../src/control/exchange.ts';
import { McpdError } from '../../src/errors.ts';
import { LIVE_FIGURES_QUEUE_BYTES_MAX } from '../../src/figures-limits.ts';
import { insideHome } from '../../src/home.ts';
import { LIVE_QUEUE_BYTES_MAX } from '../../src/operation-limits.ts';
import { pathsOf } from '../../src/paths.ts';
import { type ListeningApi, listeningApi } from '../harness/listening-api.ts';
import { serverFigures } from '../harness/plain-control.ts';
import { serverStatus } from '../harness/server-status.ts';
import { until } from '../harness/until.ts';

let here: ListeningApi;
let client: DaemonClient;
let abort: AbortController;
beforeEach(async () => {
  here = await listeningApi();
  client = new DaemonClient(here.paths);
  abort = new AbortController();
});
afterEach(async () => {
  abort.abort();
  await here.close();
});

/** Reads lines in the background. */
function reading<T>(lines: AsyncIterable<T>): { got: T[]; end: Promise<unknown> } {
  const got: T[] = [];
  const read = async () => {
    for await (const line of lines) got.push(line);
  };
  return { got, end: read().catch((thrown: unknown) => thrown) };
}

const line = (text: string, at: number): LogLine => ({ at, source: 'stderr', level: 'info', text });

describe('an install', () => {
  const install = () => reading(client.lines<InstallEvent>('POST', '/api/servers', { spec: 'weather' }, abort.signal));

  test('tells its steps as they come and ends with done', async () => {
    let goOn: () => void = () => undefined;
    here.control.installing = async (report) => {
      report({ type: 'step', step: 'resolve', detail: 'in the catalog' });
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
      report({ type: 'done', server: serverStatus('weather'), tools: [], durationMs: 5, checkup: null });
    };
    const { got, end } = install();
    await until('the first step', () => got.length === 1);
    goOn();
    expect(await end).toBeUndefined();
    expect(got.map((event) => event.type)).toEqual(['step', 'done']);
  });

  test('that fails before its first step is an error with a status of its own', async () => {
    here.control.installing = async () => {
      throw new McpdError('NAME_TAKEN', { what: 'weather is installed already' });
    };
    const { got, end } = install();
    expect(await end).toMatchObject({ code: 'NAME_TAKEN', message: 'weather is installed already' });
    expect(got).toEqual([]);
  });

  test('that breaks in the middle ends with the step and the error', async () => {
    here.control.installing = async (report) => {
      report({ type: 'step', step: 'fetch', detail: 'from npm' });
      throw new TypeError('x is undefined');
    };
    const { got, end } = install();
    await end;
    expect(got[1]).toMatchObject({ type: 'failed', step: 'fetch', error: { code: 'INTERNAL', why: 'x is undefined' } });
  });

  test('is aborted when the client leaves, and not when it has come to its end', async () => {
    const signals: AbortSignal[] = [];
    here.control.installing = async (report, signal) => {
      signals.push(signal);
      report({ type: 'step', step: 'trial', detail: '' });
      if (signals.length === 1) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    };
    const left = install();
    await until('the step', () => left.got.length === 1);
    abort.abort();
    expect(await left.end).toBeUndefined();
    await until('the abort', () => signals[0]?.aborted);
    abort = new AbortController();
    await install().end;
    expect(signals[1]?.aborted).toBe(false);
  });
});

describe('the log of a server', () => {
  test('is given as it is, or followed without a gap or a repetition', async () => {
    here.control.pastLines.push(line('one', 1), line('two', 2));
    expect(await client.request('GET', '/api/servers/weather/logs?lines=1')).toEqual([line('two', 2)]);
    const { got, end } = reading(
      client.lines<LogLine>('GET', '/api/servers/weather/logs?follow=1&since=1', undefined, abort.signal),
    );
    await until('the past', () => got.length === 2);
    here.control.log(line('three', 3));
    await until('the new line', () => got.length === 3);
    expect(got.map(({ text }) => text)).toEqual(['one', 'two', 'three']);
    abort.abort();
    await end;
    await until('the end of the following', () => here.control.following === 0);
  });

  test('is followed from past lines of any size, and a reader that takes its time gets them all', async () => {
    const texts = Array.from({ length: 8 }, (_, at) => String(at).repeat(LIVE_QUEUE_BYTES_MAX / 4));
    here.control.pastLines.push(...texts.map(line));
    const lines = client.lines<LogLine>('GET', '/api/servers/weather/logs?follow=1', undefined, abort.signal);
    const first = await lines.next();
    here.control.log(line('new', 9));
    const { got } = reading(lines);
    await until('all lines', () => got.length === texts.length);
    expect([first.value, ...got].map((each) => each?.text)).toEqual([...texts, 'new']);
  });

  test('of a server that is uninstalled meanwhile ends', async () => {
    const { got, end } = reading(
      client.lines<LogLine>('GET', '/api/servers/weather/logs?follow=1', undefined, abort.signal),
    );
    await until('the follower', () => here.control.following === 1);
    here.control.log(line('last', 9));
    here.control.onGone();
    expect(await end).toBeUndefined();
    expect(got.map(({ text }) => text)).toEqual(['last']);
    await until('the end of the following', () => here.control.following === 0);
  });

  test('of an unknown server is an error', async () => {
    const { end } = reading(client.lines('GET', '/api/servers/nobody/logs?follow=1', undefined, abort.signal));
    expect(await end).toMatchObject({ code: 'SERVER_UNKNOWN' });
    expect(here.control.following).toBe(0);
  });
});

describe('the live stream', () => {
  const live = () => reading(client.lines<LiveEvent>('GET', '/api/live', undefined, abort.signal));

  test('begins with a snapshot, goes on with changes, and ends with the daemon', async () => {
    const { got, end } = live();
    await until('the snapshot', () => got.length === 1);
    here.control.publish({ type: 'server-removed', name: 'todo' });
    await until('the change', () => got.length === 2);
    expect(got[0]).toMatchObject({ type: 'snapshot', servers: [{ name: 'weather' }, { name: 'todo' }] });
    await here.api.close();
    expect(await end).toBeUndefined();
    await until('the end of the watching', () => here.control.watching === 0);
  });

  test('cuts off a watcher that does not read, and keeps the others', async () => {
    const { got } = live();
    const stuck = insideHome(here.paths.home, () => new WebSocket(`ws+unix:${here.paths.apiSocket}:/ws`));
    await new Promise((resolve) => stuck.once('open', resolve));
    stuck.pause();
    const raw = stuckReader();
    await until('all watchers', () => here.control.watching === 3);
    const big = serverStatus('weather', { reason: 'x'.repeat(LIVE_QUEUE_BYTES_MAX / 4) });
    for (let round = 0; round < 100 && here.control.watching > 1; round++) {
      const before = got.length;
      here.control.publish({ type: 'server', server: big });
      await until('the reader', () => got.length > before);
    }
    expect(here.control.watching).toBe(1);
    stuck.terminate();
    raw.destroy();
  });

  test('gives a watcher that does not read fewer figures, and the latest of them when it reads again', async () => {
    const slow = insideHome(here.paths.home, () => new WebSocket(`ws+unix:${here.paths.apiSocket}:/ws`));
    const got: LiveEvent[] = [];
    slow.on('message', (data) => got.push(JSON.parse(String(data)) as LiveEvent));
    await until('the snapshot', () => got.length === 1);
    slow.pause();
    // Far more than the socket and LIVE_QUEUE_BYTES_MAX hold: events of another kind would have cut it off.
    const sessions = ['x'.repeat(LIVE_FIGURES_QUEUE_BYTES_MAX / 4)];
    for (let round = 1; round <= 200; round++) {
      here.control.publishFigures({
        type: 'figures',
        figures: [serverFigures('weather', { sessions, openCalls: round })],
      });
      here.control.publishFigures({ type: 'calls', calls: [], leftOut: 1 });
    }
    slow.resume();
    const openCalls = () => got.flatMap((event) => (event.type === 'figures' ? event.figures[0]?.openCalls : []));
    const leftOut = () => got.reduce((sum, event) => sum + (event.type === 'calls' ? event.leftOut : 0), 0);
    await until('the latest figures', () => openCalls().at(-1) === 200);
    await until('the number of calls', () => leftOut() === 200);
    expect(openCalls().length).toBeLessThan(100);
    expect(here.control.watching).toBe(1);
    slow.terminate();
  });

  function stuckReader(): Socket {
    const socket = insideHome(here.paths.home, () => connect(here.paths.apiSocket));
    socket.write('GET /api/live HTTP/1.1\r\nhost: mcpd\r\n\r\n');
    socket.pause();
    socket.on('error', () => undefined); // it is cut off, which is what is tested
    return socket;
  }
});

describe('the socket of the page', () => {
  const open = (options: { origin?: string; headers?: Record<string, string> } = {}) =>
    new WebSocket(`ws://127.0.0.1:${here.port}/ws`, { origin: `http://127.0.0.1:${here.port}`, ...options });
  const closing = (socket: WebSocket) =>
    new Promise<number>((resolve) => socket.on('error', () => undefined).once('close', resolve));

  test('gives the stream after the token, with text made safe to show', async () => {
    here.control.known.set('odd', serverStatus('odd', { reason: '\u001b[2J' }));
    const socket = open();
    const got: string[] = [];
    socket.on('message', (data) => got.push(String(data)));
    socket.once('open', () => socket.send(here.token));
    await until('the snapshot', () => got.length === 1);
    expect(got[0]).toContain(String.raw`\\x1b[2J`);
    here.control.publish({ type: 'stopping' });
    await until('the change', () => got.length === 2);
    const closed = closing(socket);
    await here.api.close();
    await closed;
    expect(here.control.watching).toBe(0);
  });

  test('is closed when the first message is no token', async () => {
    const socket = open();
    socket.once('open', () => socket.send('{"token":"guess"}'));
    expect(await closing(socket)).toBe(4401);
    const large = open();
    large.once('open', () => large.send('x'.repeat(100_000)));
    expect(await closing(large)).toBe(1009);
    expect(here.control.watching).toBe(0);
  });

  test('is refused to every other page before it opens', async () => {
    const refusals = [
      { origin: 'https://evil.example' },
      { origin: 'null' },
      { origin: 'http://127.0.0.1:1' },
      { headers: { host: 'evil.example', authorization: `Bearer ${here.token}` } },
      { headers: { 'sec-fetch-site': 'cross-site' } },
    ];
    for (const options of refusals) {
      const socket = open(options);
      const status = await new Promise<number>((resolve) => {
        socket.on('error', () => undefined);
        socket.once('unexpected-response', (_request, response) => resolve(response.statusCode ?? 0));
        socket.once('open', () => resolve(101));
      });
      expect([options, status]).toEqual([options, 403]);
      socket.terminate();
    }
    const elsewhere = new WebSocket(`ws://127.0.0.1:${here.port}/api/live`);
    expect(await closing(elsewhere)).toBe(1006);
  });
});

test('a shutdown is answered before it happens', async () => {
  let answered = false;
  let before: boolean | null = null;
  here.control.onShutdown = () => {
    before = answered;
  };
  await client.shutdown({ now: true }).then(() => {
    answered = true;
  });
  await until('the shutdown', () => before !== null);
  expect(here.control.asked).toEqual(['shutdown {"now":true}']);
});

describe('the client', () => {
  let server: Server | null = null;
  afterEach(() => server?.close());

  /** Somebody else behind the socket of a home. */
  async function impostor(answer: (socket: Socket) => void): Promise<DaemonClient> {
    await here.api.close();
    server = createServer((socket) => {
      socket.on('error', () => undefined);
      socket.once('data', () => answer(socket));
    });
    await new Promise<void>((resolve) => insideHome(here.paths.home, () => server?.listen('api.sock', resolve)));
    return new DaemonClient(here.paths);
  }

  test('tells that nobody is there from everything else', async () => {
    const nobody = await new DaemonClient(pathsOf(join(here.paths.home, 'nowhere')))
      .status()
      .catch((thrown: unknown) => thrown);
    expect(nobody).toMatchObject({ code: 'DAEMON_UNREACHABLE', parts: { fix: 'mcpd up' } });
    expect(isAbsent(nobody)).toBe(true);
    const refused = await client.request('GET', '/api/servers/nobody').catch((thrown: unknown) => thrown);
    expect(isAbsent(refused)).toBe(false);
  });

  test('tells a daemon that goes away in the middle', async () => {
    const lost = await impostor((socket) =>
      socket.end('HTTP/1.1 200 OK\r\nmcpd-protocol: 1\r\ntransfer-encoding: chunked\r\n\r\n4\r\n"a"\n\r\n'),
    );
    const { got, end } = reading(lost.lines('GET', '/api/live', undefined, abort.signal));
    expect(await end).toMatchObject({ code: 'DAEMON_LOST' });
    expect(got).toEqual(['a']);
  });

  test('tells a daemon that does not answer in time', async () => {
    await impostor(() => undefined);
    const ask = exchange(here.paths, { method: 'GET', path: '/api/status', timeoutMs: 50 });
    await expect(ask).rejects.toMatchObject({
      code: 'DAEMON_UNREACHABLE',
      message: expect.stringContaining('does not answer'),
    });
  });

  test('asks nothing of a daemon that speaks another protocol, but its status', async () => {
    const answer = (protocol: string) => `HTTP/1.1 200 OK\r\n${protocol}content-length: 17\r\n\r\n{"version":"9.0"}`;
    let head = 'mcpd-protocol: 2\r\n';
    const other = await impostor((socket) => socket.end(answer(head)));
    await expect(other.request('GET', '/api/servers')).rejects.toMatchObject({ code: 'DAEMON_NEWER' });
    head = '';
    await expect(other.request('GET', '/api/servers')).rejects.toMatchObject({ code: 'DAEMON_OLDER' });
    expect(await other.status()).toEqual({ version: '9.0' });
  });

  test('reads an answer of several megabytes', async () => {
    here.control.known.set('big', serverStatus('big', { reason: 'é'.repeat(2_000_000) }));
    const servers = await client.request<{ reason: string }[]>('GET', '/api/servers');
    expect(servers[2]?.reason).toHaveLength(2_000_000);
  });
});
