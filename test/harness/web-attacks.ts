import { request } from 'node:http';
import { connect } from 'node:net';
import { PAGE_FILES } from '../../src/api/guard.ts';

/** What a web page elsewhere, a name that points at this machine, or another user's program can send to 127.0.0.1. */
export interface WebAttack {
  what: string;
  method: string;
  path: string;
  /** Instead of our own Host and no other header. */
  headers: Record<string, string>;
  body?: string;
}

/** Everything that answers on 127.0.0.1, each kind of it. */
const WEB_PLACES: readonly string[] = [
  ...PAGE_FILES.keys(),
  ...['/healthz', '/metrics', '/ws', '/oauth/callback?state=x'],
  ...['/api/session', '/api/status', '/api/servers', '/api/live', '/api/approvals', '/api/health', '/api/servers/pwn'],
  ...['/api/calls', '/api/calls/1', '/api/figures', '/api/telemetry', '/api/servers/pwn/recording/file', '/api/tokens'],
  ...['/mcp', '/mcp/s/pwn', '/sse'],
];

/** `effect` is a file that none of them may make. */
export function webAttacks(port: number, token: string, effect: string): WebAttack[] {
  const ours = `127.0.0.1:${port}`;
  const signed = { host: ours, authorization: `Bearer ${token}` };
  const json = { ...signed, 'content-type': 'application/json' };
  const command = { name: 'pwn', command: 'touch', args: [effect], cwd: '/tmp', env: {}, trial: true };
  const add = JSON.stringify(command);
  const ask = JSON.stringify({ action: 'add', add: command });
  return [
    ...rebinding(port, token),
    ...crossSite(signed),
    // A stolen token, as far as a page gets with it: nothing that is run changes.
    ...(
      [
        ['POST', '/api/servers/add', add],
        ['POST', '/api/servers', JSON.stringify({ spec: '/tmp/pwn' })],
        ['POST', '/api/plans', JSON.stringify({ spec: '/tmp/pwn' })],
        ['POST', '/api/declared', JSON.stringify({ path: '/tmp/x.json', text: '{"mcpServers":{}}' })],
        ['POST', '/api/secrets/pwn', JSON.stringify({ name: 'KEY', value: 'x' })],
        ['POST', '/api/tokens', JSON.stringify({ name: 'thief' })],
        ['POST', '/api/codes', '{}'],
        ['POST', '/api/shutdown', '{}'],
        ['POST', '/api/telemetry', JSON.stringify({ endpoint: 'https://evil.example' })],
        ['POST', '/api/telemetry/token', '{}'],
        ['POST', '/api/registries', JSON.stringify({ registries: ['https://evil.example'] })],
        ['DELETE', '/api/registries', undefined],
        ['POST', '/api/approvals/abcdef/accept', '{}'],
        ['POST', '/api/approvals/abcdef/code', '{}'],
        ['DELETE', '/api/servers/pwn', undefined],
        ['GET', '/api/secrets', undefined],
      ] as const
    ).map(([method, path, body]) => ({
      what: `the token of the page used for ${method} ${path}`,
      method,
      path,
      headers: body === undefined ? signed : json,
      ...(body === undefined ? {} : { body }),
    })),
    {
      what: 'asking from a form',
      method: 'POST',
      path: '/api/approvals',
      headers: { ...signed, 'content-type': 'text/plain' },
      body: ask,
    },
    {
      what: 'asking from another page with a stolen token',
      method: 'POST',
      path: '/api/approvals',
      headers: { ...json, origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
      body: ask,
    },
    { what: 'asking without a token', method: 'POST', path: '/api/approvals', headers: { host: ours }, body: ask },
    {
      what: 'the token as a cookie',
      method: 'GET',
      path: '/api/servers',
      headers: { host: ours, cookie: `token=${token}; session=${token}` },
    },
    {
      what: 'the token in the query',
      method: 'GET',
      path: `/api/servers?access_token=${token}`,
      headers: { host: ours },
    },
    {
      what: 'the token as a WebSocket protocol',
      method: 'GET',
      path: '/ws',
      headers: { ...socket(ours), origin: 'http://127.0.0.1:1', 'sec-websocket-protocol': token },
    },
    { what: 'a code that was never made', method: 'POST', path: '/api/session', headers: json, body: '{"code":"0"}' },
    {
      what: 'a method in disguise',
      method: 'POST',
      path: '/api/servers/pwn/start?_method=DELETE',
      headers: { ...json, 'x-http-method-override': 'DELETE' },
      body: '{}',
    },
    {
      what: 'a preflight',
      method: 'OPTIONS',
      path: '/api/servers',
      headers: { ...signed, origin: 'https://evil.example' },
    },
    ...['/api/..%2fapi/shutdown', '/api/%2e%2e/shutdown', '/API/shutdown', '/api/shutdown;x', '/api\\shutdown'].map(
      (path) => ({ what: `the route ${path}`, method: 'POST', path, headers: json, body: '{}' }),
    ),
    ...['/..%2f..%2fetc/passwd', '/assets/..%2f..%2ftoken', '/main.js/../../token', '/.%00/token', '/token'].map(
      (path) => ({ what: `the file ${path}`, method: 'GET', path, headers: signed }),
    ),
  ];
}

/** Bytes that no browser sends, and that two readers of HTTP may understand differently. */
export function rawAttacks(port: number, token: string): { what: string; bytes: string }[] {
  const host = `Host: 127.0.0.1:${port}`;
  const bearer = `Authorization: Bearer ${token}`;
  const request = (line: string, ...headers: string[]) => `${[line, ...headers].join('\r\n')}\r\n\r\n`;
  return [
    { what: 'no host', bytes: request('GET /api/servers HTTP/1.1', bearer) },
    { what: 'no host, in the old protocol', bytes: request('GET /api/servers HTTP/1.0', bearer) },
    { what: 'two hosts', bytes: request('GET /api/servers HTTP/1.1', host, 'Host: evil.example', bearer) },
    { what: 'two tokens', bytes: request('GET /api/servers HTTP/1.1', host, bearer, 'Authorization: Bearer x') },
    {
      what: 'a target with a host of its own',
      bytes: request(`GET http://evil.example/api/servers HTTP/1.1`, host, bearer),
    },
    {
      what: 'two lengths',
      bytes: `${request('POST /api/session HTTP/1.1', host, 'Content-Type: application/json', 'Content-Length: 2', 'Transfer-Encoding: chunked')}{}`,
    },
    {
      what: 'a request hidden in the body of another',
      bytes: `${request('GET /healthz HTTP/1.1', host, 'Content-Length: 300')}${request('GET /api/servers HTTP/1.1', host, bearer)}`,
    },
    { what: 'a flood of headers', bytes: request('GET / HTTP/1.1', host, ...Array<string>(20_000).fill('X-A: b')) },
    { what: 'a proxy request', bytes: request('CONNECT evil.example:443 HTTP/1.1', host) },
  ];
}

/** The status that comes back; 0 when the connection was closed without one, 101 when a socket was opened. */
export function attack(port: number, { method, path, headers, body }: WebAttack): Promise<AttackAnswer> {
  return new Promise((resolve) => {
    const asked = request({ agent: false, host: '127.0.0.1', port, method, path, headers }, (response) => {
      response.resume();
      const { statusCode = 0 } = response;
      resolve({ status: statusCode, cors: response.headers['access-control-allow-origin'] ?? null });
      response.destroy();
    });
    asked.on('upgrade', (_, opened) => {
      opened.destroy();
      resolve({ status: 101, cors: null });
    });
    asked.on('error', () => resolve({ status: 0, cors: null }));
    asked.end(body);
  });
}

/** The first status of what comes back for these bytes; 0 for none. */
export function attackRaw(port: number, bytes: string): Promise<number> {
  return new Promise((resolve) => {
    let text = '';
    const opened = connect(port, '127.0.0.1', () => opened.end(bytes));
    opened.on('data', (data) => {
      text += data.toString('latin1');
    });
    opened.on('error', () => undefined); // a refusal may end in a reset
    opened.on('close', () => resolve(Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0)));
  });
}

// — internal —

interface AttackAnswer {
  status: number;
  /** What a page elsewhere would be allowed to read it as. */
  cors: string | null;
}

/** A name of the attacker that points at 127.0.0.1: on every place, and with a token besides. */
function rebinding(port: number, token: string): WebAttack[] {
  const hosts = [
    'evil.example',
    `evil.example:${port}`,
    `127.0.0.1.evil.example:${port}`,
    `[::ffff:127.0.0.1]:${port}`,
  ];
  const odd = [`0.0.0.0:${port}`, `localhost.:${port}`, `localhost:${port}@evil.example`, `127.0.0.1:0${port}`];
  return [...hosts, ...odd].flatMap((host) =>
    WEB_PLACES.map((path) => ({
      what: `${path} at ${host}`,
      method: 'GET',
      path,
      headers: path === '/ws' ? socket(host) : { host, authorization: `Bearer ${token}` },
    })),
  );
}

/** A page on another port of this machine, one elsewhere, one in a sandbox: each with a stolen token. */
function crossSite(signed: { host: string; authorization: string }): WebAttack[] {
  const pages = [
    { origin: 'http://127.0.0.1:1', 'sec-fetch-site': 'same-site' },
    { origin: 'http://localhost:3000', 'sec-fetch-site': 'cross-site' },
    { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' },
    { origin: 'null', 'sec-fetch-site': 'cross-site' },
    { origin: `http://${signed.host}.evil.example`, 'sec-fetch-site': 'cross-site' },
    { origin: `https://${signed.host}`, 'sec-fetch-site': 'same-site' },
  ];
  const places = WEB_PLACES.filter((path) => path.startsWith('/api/') || path.startsWith('/mcp') || path === '/ws');
  return pages.flatMap((page) =>
    places.map((path) => ({
      what: `${path} from ${page.origin}`,
      method: 'GET',
      path,
      headers: { ...(path === '/ws' ? socket(signed.host) : signed), ...page },
    })),
  );
}

function socket(host: string): Record<string, string> {
  return {
    host,
    connection: 'Upgrade',
    upgrade: 'websocket',
    'sec-websocket-version': '13',
    'sec-websocket-key': 'dGhlIHNhbXBsZSBub25jZQ==',
  };
}
