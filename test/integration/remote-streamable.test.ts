import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { REMOTE_IDLE_SOCKET_MS } from '../../src/remote-limits.ts';
import { type TemporaryHome, temporaryHome } from '../harness/home.ts';
import { type RemoteBench, remoteBench } from '../harness/remote.ts';
import {
  type Answering,
  LEGACY,
  legacyServer,
  MODERN,
  type StandInServer,
  sendJson,
  sendResult,
  startStandIn,
  streamOn,
} from '../harness/stand-in-server.ts';
import { until } from '../harness/until.ts';

/** Beyond what a JavaScript number can hold. */
const BIG = '12345678901234567890.000';

let home: TemporaryHome;
let bench: RemoteBench;
let server: StandInServer;

beforeEach(async () => {
  home = await temporaryHome();
  bench = remoteBench(home);
});
afterEach(async () => {
  await bench.processes.dispose();
  await server.close();
  expect(await home.cleanup()).toEqual([]);
});

async function opened(answer: Answering, more: Parameters<RemoteBench['open']>[1] = {}): Promise<void> {
  server = await startStandIn(answer);
  expect(await bench.open(server.url, more)).toBe(true);
}

describe('a modern server over Streamable HTTP', () => {
  test('gets the bytes of a request as they are, and its answer comes back as it is, as JSON and as an event', async () => {
    await opened((request, response) => {
      const body = `{ "jsonrpc":"2.0",\n "id":${request.message.id},\n "result":{"n":${BIG},"text":"é\u2028"} }`;
      if (request.message.params?.['name'] === 'json') return sendJson(response, body);
      response.writeHead(200, { 'content-type': 'text/event-stream; charset=utf-8' });
      response.end(`: hello\r\n\r\nevent: message\r\ndata: ${body.replaceAll('\n', '\r\ndata: ')}\r\n\r\n`);
    });
    for (const name of ['json', 'event']) {
      const answer = await bench.ask('tools/call', `{"name":"${name}","arguments":{"n":${BIG}}}`, 'modern');
      expect(answer).toContain(`"result":{"n":${BIG},"text":"é\u2028"}`);
      expect(server.seen.at(-1)?.text).toContain(`"arguments":{"n":${BIG}}`);
    }
  });

  test('gets its routing headers from the request, encoded where HTTP could not carry them', async () => {
    await opened((request, response) => sendResult(response, request, {}));
    await bench.ask('tools/call', { name: 'plain' }, 'modern');
    await bench.ask('prompts/get', { name: 'Grüße' }, 'modern');
    await bench.ask('resources/read', { uri: '=?base64?x?=' }, 'modern');
    await bench.ask('server/discover', {}, 'modern');
    const sent = server.seen.map(({ headers }) => [
      headers['mcp-protocol-version'],
      headers['mcp-method'],
      headers['mcp-name'],
    ]);
    expect(sent).toEqual([
      [MODERN, 'tools/call', 'plain'],
      [MODERN, 'prompts/get', '=?base64?R3LDvMOfZQ==?='],
      [MODERN, 'resources/read', '=?base64?PT9iYXNlNjQ/eD89?='],
      [MODERN, 'server/discover', undefined],
    ]);
  });

  test('gets the arguments that its list wants in headers, and a tool whose annotation is wrong is left out', async () => {
    const odd = `{"name":"odd","inputSchema":{"type":"object","properties":{"a":{"type":"number","x-mcp-header":"A"}}}}`;
    const good = `{"name":"good","big":${BIG},"inputSchema":{"type":"object","properties":{"region":{"type":"string","x-mcp-header":"Region"},"deep":{"type":"object","properties":{"n":{"type":"integer","x-mcp-header":"N"},"b":{"type":"boolean","x-mcp-header":"B"}}}}}}`;
    await opened((request, response) => {
      if (request.message.method !== 'tools/list') return sendResult(response, request, {});
      sendJson(
        response,
        `{"jsonrpc":"2.0","id":${request.message.id},"result":{"tools":[${odd}, ${good} ,${odd}],"ttlMs":1}}`,
      );
    });
    const list = await bench.ask('tools/list', {}, 'modern');
    expect(list).toBe(`{"jsonrpc":"2.0","id":1,"result":{"tools":[${good}],"ttlMs":1}}`);
    await bench.ask('tools/call', { name: 'good', arguments: { region: ' eu ', deep: { n: 42, b: false } } }, 'modern');
    expect(server.seen.at(-1)?.headers).toMatchObject({
      'mcp-param-region': '=?base64?IGV1IA==?=',
      'mcp-param-n': '42',
      'mcp-param-b': 'false',
    });
    await bench.ask('tools/call', { name: 'good', arguments: { region: null } }, 'modern');
    expect(Object.keys(server.seen.at(-1)?.headers ?? {}).filter((name) => name.startsWith('mcp-param'))).toEqual([]);
  });

  test('that misses headers of a call gets it again, after its list was read', async () => {
    await opened((request, response) => {
      if (request.message.method === 'tools/list') {
        const inputSchema = { type: 'object', properties: { r: { type: 'string', 'x-mcp-header': 'R' } } };
        return sendResult(response, request, { tools: [{ name: 'good', inputSchema }] });
      }
      if (request.headers['mcp-param-r'] === 'eu') return sendResult(response, request, { done: true });
      const error = { code: -32020, message: 'Header mismatch' };
      sendJson(response, JSON.stringify({ jsonrpc: '2.0', id: request.message.id, error }), 400);
    });
    expect(await bench.ask('tools/call', { name: 'good', arguments: { r: 'eu' } }, 'modern')).toContain('"done":true');
    expect(server.seen.map(({ message }) => message.method)).toEqual(['tools/call', 'tools/list', 'tools/call']);
    expect(bench.of('server-message')).toHaveLength(1);
    // Nothing helps: its own words, once.
    expect(await bench.ask('tools/call', { name: 'other', arguments: { r: 'eu' } }, 'modern')).toContain('-32020');
  });

  test('is told that a request is taken back by the end of its stream', async () => {
    let closed = false;
    await opened((_, response) => {
      streamOn(response).event({
        jsonrpc: '2.0',
        method: 'notifications/progress',
        params: { progressToken: 1, progress: 1 },
      });
      response.once('close', () => (closed = true));
    });
    const id = bench.send('tools/call', { name: 'slow' }, 'modern');
    await until('its progress', () => bench.unasked()[0]?.about === id);
    bench.tell('notifications/cancelled', { requestId: id });
    await until('the end of its stream', () => closed);
    expect(server.seen).toHaveLength(1);
    expect(bench.of('server-exited')).toEqual([]);
  });

  test('whose stream of notices is cut is listened to again, and what was missed meanwhile is read', async () => {
    const acknowledged = { jsonrpc: '2.0', method: 'notifications/subscriptions/acknowledged', params: {} };
    await opened((_, response) => {
      streamOn(response).event(acknowledged);
      if (server.seen.length === 1) response.end();
    });
    expect(await bench.ask('subscriptions/listen', { notifications: {} }, 'modern')).toContain(
      '"resultType":"complete"',
    );
    expect(bench.unasked()).toHaveLength(1);
    bench.send('subscriptions/listen', { notifications: {} }, 'modern');
    await until('the notices', () => bench.unasked().length === 5);
    expect(
      bench
        .unasked()
        .slice(2)
        .map(({ text }) => JSON.parse(text).method),
    ).toEqual([
      'notifications/tools/list_changed',
      'notifications/prompts/list_changed',
      'notifications/resources/list_changed',
    ]);
  });

  test('may be silent within a call for longer than an idle connection is kept', async () => {
    await opened((request, response) => {
      const stream = streamOn(response);
      setTimeout(() => {
        stream.event({ jsonrpc: '2.0', id: request.message.id, result: { late: true } });
        response.end();
      }, REMOTE_IDLE_SOCKET_MS + 500);
    });
    expect(await bench.ask('tools/call', { name: 'slow' }, 'modern')).toContain('"late":true');
  });

  test('gives its errors of negotiation with a status, and they arrive as what they are', async () => {
    const error = { code: -32022, message: 'Unsupported', data: { supported: ['2027-01-01'], requested: MODERN } };
    await opened((request, response) => {
      const id = request.message.params?.['name'] === 'x' ? null : request.message.id;
      sendJson(response, JSON.stringify({ jsonrpc: '2.0', id, error }), 400);
    });
    expect(JSON.parse(await bench.ask('server/discover', {}, 'modern'))).toEqual({ jsonrpc: '2.0', id: 1, error });
    // An error that names no request is that of this one.
    expect(JSON.parse(await bench.ask('server/discover', { name: 'x' }, 'modern'))).toEqual({
      jsonrpc: '2.0',
      id: 2,
      error,
    });
  });
});

describe('a legacy server over Streamable HTTP', () => {
  test('gets its session and revision with each request, hears of initialized before anything else, and of the end', async () => {
    const order: string[] = [];
    await opened((request, response) => {
      const { method = request.method } = request.message;
      if (method === 'notifications/initialized')
        return void setTimeout(() => {
          order.push(method);
          response.writeHead(202).end();
        }, 100);
      return legacyServer(() => {
        order.push(method);
        if (request.method === 'DELETE') response.writeHead(200).end();
        else sendResult(response, request, {});
      })(request, response);
    });
    await bench.handshake();
    await bench.ask('tools/list');
    server.answer = (_, response) => void response.writeHead(200).end();
    expect(await bench.stop()).toMatchObject({ cause: 'disconnected', code: null });
    expect(order).toEqual(['notifications/initialized', 'tools/list']);
    const [hello, ...later] = server.seen;
    expect([hello?.headers['mcp-session-id'], hello?.headers['mcp-protocol-version']]).toEqual([undefined, undefined]);
    expect(later.map(({ method }) => method).sort()).toEqual(['DELETE', 'GET', 'POST', 'POST']);
    for (const { headers } of later) {
      expect(headers).toMatchObject({ 'mcp-session-id': 'session-1', 'mcp-protocol-version': LEGACY });
      expect(headers['mcp-method']).toBeUndefined();
    }
  });

  test('asks its client on the stream of a call, and the question is known to belong to it', async () => {
    await opened(
      legacyServer((request, response) => {
        const { message } = request;
        if (message.method === undefined) return void response.writeHead(202).end();
        const stream = streamOn(response);
        stream.event({ jsonrpc: '2.0', id: `q${message.id}`, method: 'elicitation/create', params: {} });
        void until('the answer to its question', () =>
          server.seen.find((one) => one.message.id === `q${message.id}`),
        ).then(() => {
          stream.event({ jsonrpc: '2.0', id: message.id, result: { content: [] } });
          response.end();
        });
      }),
    );
    await bench.handshake();
    const [one, other] = [bench.send('tools/call', { name: 'a' }), bench.send('tools/call', { name: 'b' })];
    await until('both questions', () => bench.unasked().length === 2);
    for (const { text, about } of bench.unasked()) expect(JSON.parse(text).id).toBe(`q${about}`);
    bench.write(`{"jsonrpc":"2.0","id":"q${other}","result":{"action":"accept"}}`);
    expect(await bench.answerTo(other)).toContain('result');
    bench.write(`{"jsonrpc":"2.0","id":"q${one}","result":{"action":"accept"}}`);
    expect(await bench.answerTo(one)).toContain('result');
  });

  test('says what nobody asked for on a stream of its own, which is opened again behind the last event', async () => {
    let streams = 0;
    const rest = legacyServer((request, response) => sendResult(response, request, {}));
    await opened((request, response) => {
      if (request.method !== 'GET') return rest(request, response);
      streams++;
      const stream = streamOn(response);
      stream.event({ jsonrpc: '2.0', method: 'notifications/tools/list_changed' }, `retry: 10\nid: e${streams}\n`);
      if (streams === 1) response.end();
    });
    await bench.handshake();
    await until('two notices', () => bench.unasked().length === 2);
    expect(bench.unasked().map(({ about }) => about)).toEqual([null, null]);
    const gets = server.seen.filter(({ method }) => method === 'GET');
    expect(gets.map(({ headers }) => headers['last-event-id'])).toEqual([undefined, 'e1']);
  });

  test('that closes a stream before the answer is asked for the rest of it', async () => {
    const rest = legacyServer((_, response) => {
      streamOn(response).event('', 'retry: 5\nid: first\n');
      response.end();
    });
    await opened((request, response) => {
      if (request.method !== 'GET' || request.headers['last-event-id'] === undefined) return rest(request, response);
      const stream = streamOn(response);
      if (request.headers['last-event-id'] === 'first') stream.event('', 'id: second\n');
      else
        stream.event(
          { jsonrpc: '2.0', id: server.of('tools/call')[0]?.message.id, result: { late: true } },
          'id: third\n',
        );
      response.end();
    });
    await bench.handshake();
    expect(await bench.ask('tools/call', { name: 'a' })).toContain('"late":true');
    const gets = server.seen.filter(
      ({ method, headers }) => method === 'GET' && headers['last-event-id'] !== undefined,
    );
    expect(gets.map(({ headers }) => headers['last-event-id'])).toEqual(['first', 'second']);
  });

  test('that has forgotten the session gets a new one, what it was told, and the call that met it; nothing is sent twice', async () => {
    let live = 'one';
    const carried: string[] = [];
    await opened((request, response) => {
      const { message, headers } = request;
      if (message.method === 'initialize') return legacyServer(() => undefined, live)(request, response);
      if (request.method === 'GET') return void response.writeHead(405).end();
      if (headers['mcp-session-id'] !== live) return void response.writeHead(404).end();
      if (message.id === undefined) return void response.writeHead(202).end();
      carried.push(`${headers['mcp-session-id']} ${message.method}`);
      sendResult(response, request, {});
    });
    await bench.handshake();
    await bench.ask('resources/subscribe', { uri: 'file:///a' });
    await bench.ask('resources/subscribe', { uri: 'file:///b' });
    await bench.ask('resources/unsubscribe', { uri: 'file:///b' });
    live = 'two';
    const calls = [bench.send('tools/call', { name: 'x' }), bench.send('tools/call', { name: 'y' })];
    for (const id of calls) expect(await bench.answerTo(id)).toContain('result');
    expect(carried.slice(3).sort()).toEqual(['two resources/subscribe', 'two tools/call', 'two tools/call']);
    expect(server.of('initialize')).toHaveLength(2);
    expect(bench.unasked().map(({ text }) => JSON.parse(text).method)).toEqual([
      'notifications/tools/list_changed',
      'notifications/prompts/list_changed',
      'notifications/resources/list_changed',
    ]);
    expect(bench.of('server-message').filter(({ frame }) => 'id' in frame.envelope)).toHaveLength(6);
  });

  test('that begins a stream in the place of a new session holds up nobody for ever', async () => {
    let live = 'one';
    let isSilent = true;
    const rest = legacyServer((request, response) => {
      if (request.headers['mcp-session-id'] !== live) response.writeHead(404).end();
      else sendResult(response, request, {});
    });
    await opened(
      (request, response) => {
        if (request.message.method !== 'initialize') return rest(request, response);
        if (live === 'two' && isSilent) return void streamOn(response);
        return legacyServer(() => undefined, live)(request, response);
      },
      { limits: { startTimeoutMs: 300 } },
    );
    await bench.handshake();
    live = 'two';
    expect(await bench.ask('tools/call', { name: 'x' })).toContain('error');
    isSilent = false;
    expect(await bench.ask('tools/call', { name: 'x' })).toContain('result');
  });

  test('is told by a notification that a call is taken back, and may still answer it', async () => {
    await opened(
      legacyServer((request, response) => {
        const { message } = request;
        if (message.method === 'notifications/cancelled') return void response.writeHead(202).end();
        void until('the cancellation', () => server.of('notifications/cancelled')[0]).then(() =>
          sendResult(response, request, {}),
        );
      }),
    );
    await bench.handshake();
    const id = bench.send('tools/call', { name: 'slow' });
    await until('the call', () => server.of('tools/call')[0]);
    bench.tell('notifications/cancelled', { requestId: id });
    expect(await bench.answerTo(id)).toContain('result');
    expect(server.of('notifications/cancelled')[0]?.message.params).toEqual({ requestId: id });
  });

  test('may answer by an array, as one revision has it', async () => {
    await opened(
      legacyServer((request, response) => {
        const note = { jsonrpc: '2.0', method: 'notifications/message', params: { level: 'info', data: 'x' } };
        sendJson(response, JSON.stringify([note, { jsonrpc: '2.0', id: request.message.id, result: { ok: 1 } }]));
      }),
    );
    await bench.handshake();
    expect(await bench.ask('tools/list')).toContain('"ok":1');
    expect(bench.unasked()).toHaveLength(1);
  });
});
