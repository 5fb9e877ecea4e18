import { mkdtempSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { connect, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { HostEvent } from '../../src/hosts/connection.ts';
import { createHostSocket, type HostSocket } from '../../src/hosts/socket.ts';
import { SESSIONS_MAX } from '../../src/limits.ts';
import { until } from '../harness/until.ts';

let folder = '';
let socketName = '';
let hosts: HostSocket;
let events: HostEvent[] = [];
let clients: Socket[] = [];

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'mcpd-hosts-'));
  socketName = join(folder, 'mcpd.sock');
  events = [];
  clients = [];
  hosts = open();
  await hosts.listen();
});

afterEach(async () => {
  for (const client of clients) client.destroy();
  await hosts.stop();
  rmSync(folder, { recursive: true, force: true });
});

function open(): HostSocket {
  let count = 0;
  return createHostSocket({
    socketName,
    version: '1.2.3',
    generation: 'g1',
    report: (event) => events.push(event),
    now: () => 7,
    sessionId: () => `s${++count}`,
  });
}

/** A client, and what it was told. */
function client(text: string) {
  const socket = connect(socketName);
  clients.push(socket);
  let told = '';
  let ended = false;
  socket.on('data', (chunk: Buffer) => {
    told += chunk.toString();
  });
  socket.on('error', () => {});
  socket.on('close', () => {
    ended = true;
  });
  socket.write(text);
  return { socket, told: () => told, ended: () => ended };
}

const of = (type: HostEvent['type']) => events.filter((event) => event.type === type);

test('only the owner may connect', () => {
  expect(statSync(socketName).mode & 0o777).toBe(0o600);
});

test('what a dead daemon left is replaced', async () => {
  const left = join(folder, 'left.sock');
  renameSync(socketName, left);
  await hosts.stop();
  renameSync(left, socketName);
  hosts = open();
  await hosts.listen();
  const { told } = client('!hello {"preamble":1}\n');
  await until('the welcome', () => told().includes('!welcome'));
});

test('what lies there and is no socket is left alone and told', async () => {
  await hosts.stop();
  writeFileSync(socketName, 'mine');
  await expect(open().listen()).rejects.toMatchObject({
    code: 'HOME_UNSAFE',
    parts: { what: `${socketName} is not a socket`, fix: 'look at it, and move it away' },
  });
  expect(readFileSync(socketName, 'utf8')).toBe('mine');
});

test('a folder that is not there is an error with a reason and a way out', async () => {
  const other = createHostSocket({
    socketName: join(folder, 'no', 'mcpd.sock'),
    version: '',
    generation: '',
    report: () => {},
    now: () => 0,
    sessionId: () => 's',
  });
  await expect(other.listen()).rejects.toMatchObject({
    code: 'HOME_UNWRITABLE',
    parts: { fix: expect.stringContaining('MCPD_HOME') },
  });
});

test('a shim is welcomed, its messages arrive in order, and its end is told', async () => {
  const { socket, told } = client(
    '!hello {"preamble":1,"host":"zed","later":{}}\n{"jsonrpc":"2.0","id":1,"method":"ping"}\n{"jsonrpc"',
  );
  socket.write(':"2.0","method":"notifications/initialized"}\n');
  await until('two messages', () => of('host-message').length === 2);
  expect(told()).toBe('!welcome {"preamble":1,"version":"1.2.3","generation":"g1"}\n');
  expect(events[0]).toEqual({
    type: 'host-opened',
    at: 7,
    session: 's1',
    host: 'zed',
    door: { principal: 'local', scope: { kind: 'all' }, cwd: null, lasts: 'connection' },
    resume: null,
  });
  expect(hosts.sessions()).toBe(1);
  socket.write('{"jsonrpc":"2.0","id":2,"method":"cut off"}');
  socket.end();
  await until('its end', () => of('host-closed').length === 1);
  expect(of('host-message')).toHaveLength(2);
  expect(hosts.sessions()).toBe(0);
});

test('lines that are no message are told apart from control lines', async () => {
  client(
    '!hello {"preamble":1}\nhello\n!noise {"reason":"batch","id":null}\n!noise {"reason":"not-jsonrpc","id":"\\"q\\""}\n!tomorrow {"x":1}\n{"jsonrpc":"2.0","id":3,"method":1}\n',
  );
  await until('the noise', () => of('host-noise').length === 4);
  expect(of('host-noise').map((event) => (event.type === 'host-noise' ? [event.reason, event.id] : []))).toEqual([
    ['not-json', null],
    ['batch', null],
    ['not-jsonrpc', '"q"'],
    ['not-jsonrpc', '3'],
  ]);
});

test.each(['GET / HTTP/1.1\r\nHost: x\r\n\r\n', '{"jsonrpc":"2.0","id":1,"method":"ping"}\n', '!hello {}\n', '\n'])(
  'a stranger who says %j is sent away unheard',
  async (text) => {
    const { told, ended } = client(text);
    await until('the end', ended);
    expect(told()).toMatch(/^!bye \{"reason":"refused"/);
    expect(events).toEqual([]);
  },
);

test('one host more than fits is told so, and takes the place of one that leaves', async () => {
  const all = Array.from({ length: SESSIONS_MAX }, () => client('!hello {"preamble":1}\n'));
  await until('all of them', () => hosts.sessions() === SESSIONS_MAX);
  const late = client('!hello {"preamble":1}\n');
  await until('the refusal', late.ended);
  expect(late.told()).toContain(`${SESSIONS_MAX} hosts are connected`);
  all[0]?.socket.destroy();
  await until('a place', () => hosts.sessions() === SESSIONS_MAX - 1);
  const next = client('!hello {"preamble":1}\n');
  await until('the welcome', () => next.told().startsWith('!welcome'));
});

test('a session that is closed hears why, after what waited for it', async () => {
  const { told, ended } = client('!hello {"preamble":1}\n');
  await until('the session', () => hosts.sessions() === 1);
  hosts.send('s1', [Buffer.from('{"last":1}')], 'answer', '1');
  hosts.close('s1', 'removed');
  hosts.send('s1', [Buffer.from('{"too":"late"}')], 'answer', '1');
  await until('the end', ended);
  expect(told().split('\n').slice(1)).toEqual(['{"last":1}', '!bye {"reason":"closed","text":"removed"}', '']);
  expect(of('host-closed')).toHaveLength(1);
});

test('before it stops, the daemon takes no new host and still answers the old ones', async () => {
  const { told, ended } = client('!hello {"preamble":1}\n{"jsonrpc":"2.0","id":1,"method":"tools/call"}\n');
  await until('the call', () => of('host-message').length === 1);
  hosts.drain('upgrade');
  await until('the goodbye', () => told().includes('!bye {"reason":"upgrade"'));
  const late = client('!hello {"preamble":1}\n');
  await until('the refusal', late.ended);
  hosts.send('s1', [Buffer.from('{"jsonrpc":"2.0","id":1,"result":{}}\n')], 'answer', '1');
  await hosts.stop();
  await until('the end', ended);
  expect(told()).toContain('"result":{}');
});

test('a host that never reads does not hold up the stop', async () => {
  const { socket } = client('!hello {"preamble":1}\n');
  await until('the session', () => hosts.sessions() === 1);
  socket.pause();
  hosts.send('s1', [Buffer.alloc(30_000_000, 'x')], 'answer', '1');
  hosts.flush();
  await hosts.stop();
  await until('its end', () => of('host-closed').length === 1);
});
