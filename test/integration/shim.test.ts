import { spawn } from 'node:child_process';
import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build } from 'esbuild';
import { afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type TemporaryHome, temporaryHome } from '../harness/home.ts';
import { Host } from '../harness/host.ts';
import type { Message } from '../harness/message.ts';
import { gone, killPid } from '../harness/processes.ts';
import { until } from '../harness/until.ts';

interface Seen {
  pid: number;
  what: string;
  [member: string]: unknown;
}

const BIG = 10 * 1024 * 1024;
let files: { shim: string; daemon: string };
let home: TemporaryHome;
let hosts: Host[] = [];
let program = '';

beforeAll(async () => {
  const common = { bundle: true, platform: 'node', target: 'node20.19', write: false, logLevel: 'error' } as const;
  const text = async (entry: string, format: 'cjs' | 'esm') =>
    (await build({ ...common, entryPoints: [entry], format })).outputFiles[0]?.text ?? '';
  files = {
    shim: await text('cli/stdio.ts', 'cjs'),
    daemon: await text('test/harness/stand-in-daemon.ts', 'cjs'),
  };
});

beforeEach(async () => {
  home = await temporaryHome();
  const dist = home.folder('dist');
  program = join(dist, 'stdio.cjs');
  writeFileSync(program, files.shim);
  writeFileSync(join(dist, 'daemon.cjs'), files.daemon);
  hosts = [];
});

afterEach(async () => {
  for (const host of hosts) host.kill();
  await home.cleanup();
});

function connected(...args: string[]): Host {
  const host = new Host([process.execPath, program, ...args], { env: home.env, cwd: home.root });
  home.track(host.pid);
  hosts.push(host);
  return host;
}

/** A host after its handshake. */
async function ready(...args: string[]): Promise<Host> {
  const host = connected(...args);
  await host.init();
  return host;
}

const seen = (what: string): Seen[] => {
  const file = join(home.mcpdHome, 'seen.jsonl');
  if (!existsSync(file)) return [];
  const lines = readFileSync(file, 'utf8').split('\n');
  return lines
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as Seen)
    .filter((one) => one.what === what);
};
const daemonPid = () => seen('listening').at(-1)?.pid ?? 0;
const messages = (method: string) => seen('message').filter((one) => one['method'] === method);
const said = (message: Message) => message.result?.content?.[0]?.text;
const answersTo = (host: Host, id: unknown) => host.messages.filter((one) => one.method === undefined && one.id === id);
const request = (id: unknown, name: string, given: Record<string, unknown> = {}) =>
  `${JSON.stringify({ jsonrpc: '2.0', id, method: 'tools/call', params: { name, arguments: given } })}\n`;

async function killDaemon(): Promise<void> {
  const pid = daemonPid();
  killPid(pid);
  await gone(pid);
}

describe('a shim that finds no daemon', () => {
  test('starts one, detached, and serves', async () => {
    const host = await ready('--host', 'zed');
    expect(said(await host.call('echo', { text: 'hello' }))).toBe('hello');
    expect(seen('started')).toMatchObject([{ args: ['--engine', 'direct'] }]);
    expect(seen('opened')).toMatchObject([{ host: 'zed', cwd: home.root, resume: null }]);
    const exit = await host.close();
    expect(exit).toEqual({ code: 0, signal: null });
    expect(host.stderr).toBe('');
    await until('the daemon to see it leave', () => seen('closed').length === 1);
    expect(home.processes()).toContain(daemonPid());
  });

  test('makes the home where there is none, for its owner alone', async () => {
    home.env['MCPD_HOME'] = join(home.root, 'deep', 'new');
    const host = await ready();
    expect(said(await host.call('echo', { text: 'a' }))).toBe('a');
  });

  test('with seven others ends in one daemon that serves all', async () => {
    const all = await Promise.all(Array.from({ length: 8 }, () => ready()));
    const answers = await Promise.all(all.map((host, i) => host.call('echo', { text: `m${i}` }, { id: 1 })));
    expect(answers.map(said)).toEqual(all.map((_, i) => `m${i}`));
    expect(seen('listening')).toHaveLength(1);
  });

  test('answers with what the daemon complained about, and serves once it is repaired', async () => {
    writeFileSync(
      join(home.mcpdHome, 'broken'),
      'mcpd: registry.db is damaged (REGISTRY_DAMAGED)\n  try  mcpd doctor\n',
    );
    const host = connected();
    const [first, second] = await Promise.all([host.ask('initialize', {}), host.call('echo')]);
    for (const answer of [first, second]) {
      expect(answer.error?.code).toBe(-32603);
      expect(answer.error?.message).toContain('registry.db is damaged (REGISTRY_DAMAGED)');
      expect(answer.error?.data).toMatchObject({ reason: 'daemon-unreachable', outcome: 'not-sent' });
    }
    expect(host.stderr).toContain('registry.db is damaged');
    rmSync(join(home.mcpdHome, 'broken'));
    await host.init();
    expect(said(await host.call('echo', { text: 'again' }))).toBe('again');
    expect(messages('tools/call')).toHaveLength(1);
  });

  test('refuses a home that others may write to', async () => {
    chmodSync(home.mcpdHome, 0o770);
    const host = connected();
    const answer = await host.ask('initialize', {});
    expect(answer.error?.message).toContain('others may write to it (mode 770)');
    expect(seen('started')).toEqual([]);
    chmodSync(home.mcpdHome, 0o700);
    await host.init();
  });

  test('says so when the home cannot be made', async () => {
    writeFileSync(join(home.root, 'file'), '');
    home.env['MCPD_HOME'] = join(home.root, 'file', 'home');
    const answer = await connected().ask('initialize', {});
    expect(answer.error?.message).toContain('ENOTDIR');
    expect(answer.error?.data?.['fix']).toContain('MCPD_HOME');
  });
});

describe('when the daemon is killed', () => {
  test('calls under way get one error each, lists are asked again, and the next call works', async () => {
    const host = await ready();
    await host.ask('tools/list');
    await host.ask('logging/setLevel', { level: 'error' });
    const hanging = [host.call('hang', {}, { id: 'a' }), host.call('hang', {}, { id: 'b' })];
    await until('the calls to arrive', () => messages('tools/call').length === 2);
    await killDaemon();
    for (const answer of await Promise.all(hanging)) {
      expect(answer.error).toMatchObject({ code: -32603, data: { reason: 'daemon-lost', outcome: 'unknown' } });
    }
    expect(said(await host.call('echo', { text: 'after' }))).toBe('after');
    expect(seen('opened')).toHaveLength(2);
    expect(seen('opened')[1]).toMatchObject({
      resume: {
        protocolVersion: '2025-11-25',
        initialized: true,
        logLevel: 'error',
        era: 'legacy',
        listDigests: { tools: expect.stringMatching(/^[0-9a-f]{64}$/) },
      },
    });
    const resumed = seen('opened')[1]?.['resume'] as { initializeParams: string };
    expect(JSON.parse(resumed.initializeParams)).toMatchObject({ clientInfo: { name: 'scripted-host' } });
    expect(messages('initialize')).toHaveLength(1);
    expect(messages('tools/call')).toHaveLength(3);
    expect(host.strays).toEqual([]);
  });

  test('in the middle of a 10 MB line, no part of the line reaches the host', async () => {
    const host = await ready();
    const answer = await host.call('die-in-line', { bytes: BIG });
    expect(answer.error?.data).toMatchObject({ reason: 'daemon-lost', outcome: 'unknown' });
    expect(said(await host.call('big', { bytes: BIG }))).toHaveLength(BIG);
    expect(host.noise).toEqual([]);
    expect(host.strays).toEqual([]);
  });

  test('with 64 requests in the pipe, each is answered once and none is carried out twice', async () => {
    const host = await ready();
    const ids = Array.from({ length: 64 }, (_, i) => i + 100);
    const answers = ids.map((id) => host.expect(id));
    host.sendRaw(ids.map((id) => (id === 130 ? request(id, 'die') : request(id, 'echo', { text: `t${id}` }))).join(''));
    const all = (await Promise.all(answers)).map(({ message }) => message);
    for (const message of all) {
      if (message.error !== undefined) expect(message.error.data).toMatchObject({ reason: 'daemon-lost' });
      else expect(said(message)).toBe(`t${message.id}`);
      expect(answersTo(host, message.id)).toHaveLength(1);
    }
    const carriedOut = messages('tools/call').map((one) => one['id']);
    expect(new Set(carriedOut).size).toBe(carriedOut.length);
    expect(said(await host.call('echo', { text: 'after' }))).toBe('after');
  });

  test('while it holds a long line of the host, the line is sent to the next daemon', async () => {
    const host = await ready();
    const pid = daemonPid();
    process.kill(pid, 'SIGSTOP');
    const text = 'z'.repeat(4 * 1024 * 1024);
    const answer = host.call('echo', { text });
    await new Promise((resolve) => setTimeout(resolve, 300));
    await killDaemon();
    expect(said(await answer)).toBe(text);
  });

  test('a question is cancelled towards the host, and late answers to it go nowhere', async () => {
    const host = await ready();
    host.onRequest = () => undefined;
    host.sendRaw(request('asking', 'ask'));
    const question = await until('the question', () => host.requests[0]);
    await killDaemon();
    const cancelled = await until('the cancellation', () =>
      host.notifications.find((one) => one.method === 'notifications/cancelled'),
    );
    expect(cancelled.params).toMatchObject({ requestId: question.id });
    host.sendRaw(`${JSON.stringify({ jsonrpc: '2.0', id: question.id, result: { roots: [] } })}\n`);
    expect(said(await host.call('echo', { text: 'x' }))).toBe('x');
    expect(seen('message').filter((one) => one['kind'] === 'result')).toEqual([]);
  });

  test('five times in a row, an idle host notices nothing', async () => {
    const host = await ready();
    for (let i = 0; i < 5; i++) {
      const before = seen('opened').length;
      await killDaemon();
      await until('the next daemon', () => seen('opened').length > before);
    }
    expect(said(await host.call('echo', { text: 'x' }))).toBe('x');
    expect(host.messages).toHaveLength(2);
    expect(host.stderr).toBe('');
  });
});

describe('questions of servers', () => {
  const form = { action: 'accept', content: { city: 'Turin' } };

  test('reach the host as they are, and its answers the daemon', async () => {
    const host = await ready();
    host.onRequest = () => ({ result: form });
    const answer = await host.call('ask');
    expect(host.requests).toMatchObject([
      { id: expect.stringMatching(/^mcpd-g\d+-1$/), method: 'elicitation/create', params: { message: 'Which?' } },
    ]);
    expect(JSON.parse(said(answer) ?? '')).toEqual({ jsonrpc: '2.0', id: host.requests[0]?.id, result: form });
  });

  test('that the daemon takes back are answered in vain', async () => {
    const host = await ready();
    host.onRequest = () => undefined;
    host.sendRaw(request('asking', 'ask'));
    const question = await until('the question', () => host.requests[0]);
    expect(said(await host.call('take-back'))).toBe('taken back');
    expect(host.notifications).toMatchObject([
      { method: 'notifications/cancelled', params: { requestId: question.id } },
    ]);
    host.sendRaw(`${JSON.stringify({ jsonrpc: '2.0', id: question.id, result: form })}\n`);
    await host.ask('ping');
    expect(seen('message').filter((one) => one['kind'] === 'result')).toEqual([]);
  });
});

describe('when the daemon stops of itself', () => {
  test('open calls are answered by it, new ones by the next', async () => {
    const host = await ready();
    const first = daemonPid();
    const last = host.call('leave', { reason: 'stopping', ms: 400 });
    await until('the goodbye', () => messages('tools/call').length === 1);
    await new Promise((resolve) => setTimeout(resolve, 100));
    const next = host.call('echo', { text: 'to the next' });
    expect(said(await last)).toBe('left');
    expect(said(await next)).toBe('to the next');
    expect(daemonPid()).not.toBe(first);
    expect(messages('tools/call').map((one) => one.pid)).toEqual([first, daemonPid()]);
  });

  test('nobody starts another one until it is needed', async () => {
    const host = await ready();
    await host.call('leave', { reason: 'stopping' });
    await until('its end', () => seen('stopped').length === 1);
    await new Promise((resolve) => setTimeout(resolve, 500));
    expect(seen('started')).toHaveLength(1);
    expect(said(await host.call('echo', { text: 'now' }))).toBe('now');
    expect(seen('started')).toHaveLength(2);
  });
});

describe('a host', () => {
  test('may send noise, a byte order mark and CRLF', async () => {
    const host = await ready();
    const pong = host.expect('bom');
    host.sendRaw('\ufeff{"jsonrpc":"2.0","id":"bom","method":"ping"}\r\n');
    await pong;
    host.sendRaw('\r\n\n{"jsonrpc":"2.0","id":9,"method":7}\n!hello {"preamble":1}\nnonsense\n');
    expect((await host.expect(9)).message.error?.code).toBe(-32600);
    await until('the noise to be answered', () => host.messages.filter((one) => one.id === null).length === 2);
    expect(seen('noise').map((one) => one['reason'])).toEqual(['not-jsonrpc', 'not-json', 'not-json']);
    expect(answersTo(host, 'bom')).toHaveLength(1);
  });

  test.each([
    ['zero', '0'],
    ['zero as text', '"0"'],
    ['one', '1'],
    ['one as text', '"1"'],
    ['no text', '""'],
    ['a negative number', '-5'],
    ['a number beyond the exact ones', '9007199254740993'],
    ['text with an escape and a line separator', '"x\\u0020y\u2028"'],
    ['5000 characters', `"${'a'.repeat(5000)}"`],
  ])('gets an id back as it was written: %s', async (_, id) => {
    const host = connected();
    const last = host.expect('last');
    const params = '{"name":"echo","arguments":{"text":"q"}}';
    host.sendRaw(`{"jsonrpc":"2.0","id":${id},"method":"tools/call","params":${params}}\n`);
    host.sendRaw(request('last', 'echo-last', { text: 'q' }));
    await last;
    const result = '{"content":[{"type":"text","text":"q"}]}';
    expect(host.lines.map(String)).toEqual([
      `{"jsonrpc":"2.0","id":${id},"result":${result}}`,
      `{"result":${result},"jsonrpc":"2.0","id":"last"}`,
    ]);
  });

  test('sees the first of two answers only', async () => {
    const host = await ready();
    expect(said(await host.call('twice'))).toBe('first');
    await host.ask('ping');
    expect(host.strays).toEqual([]);
  });

  test('that does not read 50 MB slows nobody down, and loses no answer', async () => {
    const [slow, other] = [await ready(), await ready()];
    slow.read(false);
    const answers = Array.from({ length: 5 }, (_, i) => slow.call('big', { bytes: BIG }, { id: `big${i}` }));
    await until('the calls to arrive', () => messages('tools/call').length === 5);
    for (let i = 0; i < 20; i++) expect(said(await other.call('echo', { text: `${i}` }))).toBe(`${i}`);
    slow.read(true);
    const all = await Promise.all(answers);
    const whole = all.filter((one) => said(one)?.length === BIG);
    const refused = all.filter(
      (one) => (one.error?.data as { reason?: string } | undefined)?.reason === 'host does not read',
    );
    expect(whole.length).toBeGreaterThanOrEqual(2);
    expect(whole.length + refused.length).toBe(5);
  });

  test('that does not read notices is told how many it missed', async () => {
    const host = await ready();
    host.read(false);
    const answer = host.call('notices', { count: 3000, bytes: 10_000 });
    await until('the call to arrive', () => messages('tools/call').length === 1);
    await new Promise((resolve) => setTimeout(resolve, 300));
    host.read(true);
    expect(said(await answer)).toBe('sent');
    await until('the count', () =>
      host.notifications.some((one) => String(one.params?.['data']).includes('notices were dropped')),
    );
    const count = host.notifications
      .map((one) => /^(\d+) notices/.exec(String(one.params?.['data']))?.[1])
      .find((one) => one !== undefined);
    expect(Number(count) + host.notifications.length - 1).toBe(3000);
  });

  test('that writes to a daemon which does not read is stopped, and nothing is lost', async () => {
    const host = await ready();
    const pid = daemonPid();
    process.kill(pid, 'SIGSTOP');
    const text = 'w'.repeat(100_000);
    const answers = Array.from({ length: 100 }, (_, i) => host.call('echo', { text: `${i}${text}` }, { id: `w${i}` }));
    await new Promise((resolve) => setTimeout(resolve, 300));
    process.kill(pid, 'SIGCONT');
    expect((await Promise.all(answers)).map((one) => said(one)?.length)).toEqual(
      answers.map((_, i) => text.length + String(i).length),
    );
  });

  test('that crashes takes its shim with it', async () => {
    const host = await ready();
    host.sendRaw(request('slow', 'slow', { ms: 200 }));
    await until('the call to arrive', () => messages('tools/call').length === 1);
    host.vanish();
    await host.exited;
    await until('the daemon to see it leave', () => seen('closed').length === 1);
  });

  test('that closes only the pipe it reads from ends its shim with the next answer', async () => {
    const child = spawn(process.execPath, [program], { env: home.env, stdio: ['pipe', 'pipe', 'pipe'] });
    home.track(child.pid);
    const ended = new Promise((resolve) => child.on('exit', (code, signal) => resolve({ code, signal })));
    child.stdin.write('{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}\n');
    await new Promise((resolve) => child.stdout.once('data', resolve));
    child.stdout.destroy();
    child.stdin.write(request(1, 'echo'));
    expect(await ended).toEqual({ code: 0, signal: null });
    await until('the daemon to see it leave', () => seen('closed').length === 1);
    child.stdin.destroy();
  });

  test.each(['SIGTERM', 'SIGINT'] as const)('may end its shim by %s', async (signal) => {
    const host = await ready();
    host.sendRaw(request('hanging', 'hang'));
    host.kill(signal);
    expect(await host.exited).toEqual({ code: 0, signal: null });
    await until('the daemon to see it leave', () => seen('closed').length === 1);
  });
});

describe('a host that sends batches', () => {
  test('gets one array of answers, also when its daemon died in the middle of it', async () => {
    const host = connected();
    await host.init('2025-03-26');
    const arrays = () => host.noise.map((line) => JSON.parse(line) as Message[]);
    const batch = (...requests: string[]) => host.sendRaw(`[${requests.map((one) => one.trim()).join()}]\n`);
    batch(request('a', 'slow', { ms: 100 }), request('b', 'echo-last', { text: 'é' }));
    await until('the array', () => arrays().length === 1);
    expect(arrays()[0]?.map((one) => [one.id, said(one)])).toEqual([
      ['b', 'é'],
      ['a', 'slow'],
    ]);

    batch(
      request('c', 'echo', { text: 'c' }),
      request('d', 'hang'),
      '{"jsonrpc":"2.0","id":"e","method":"tools/list"}',
    );
    await until('the batch to arrive', () => messages('tools/list').length === 1);
    await killDaemon();
    await until('the array', () => arrays().length === 2);
    const answers = arrays()[1] ?? [];
    expect(answers.map((one) => one.id).sort()).toEqual(['c', 'd', 'e']);
    expect(answers.find((one) => one.id === 'c')?.result?.content?.[0]?.text).toBe('c');
    expect(answers.find((one) => one.id === 'd')?.error?.data).toMatchObject({ outcome: 'unknown' });
    expect(answers.find((one) => one.id === 'e')?.result?.tools).toHaveLength(1);
    expect(said(await host.call('echo', { text: 'after' }))).toBe('after');
    expect(host.strays).toEqual([]);
  });
});

describe('standard input that ends', () => {
  const piped = (input: string) =>
    new Promise<{ lines: Message[]; code: number | null }>((resolve) => {
      const child = spawn(process.execPath, [program], { env: home.env, stdio: ['pipe', 'pipe', 'inherit'] });
      home.track(child.pid);
      let output = '';
      child.stdout.on('data', (chunk: Buffer) => {
        output += chunk.toString();
      });
      child.on('close', (code) => {
        const lines = output.split('\n').filter((line) => line !== '');
        resolve({ lines: lines.map((line) => JSON.parse(line) as Message), code });
      });
      child.stdin.end(input);
    });
  const initialize = '{"jsonrpc":"2.0","id":0,"method":"initialize","params":{}}\n';

  test('`echo … | mcpd stdio` prints the answers, also when it has to start the daemon', async () => {
    const { lines, code } = await piped(
      `${initialize}${request(1, 'echo', { text: 'a' })}${request(2, 'slow', { ms: 200 }).trimEnd()}`,
    );
    expect(code).toBe(0);
    expect(lines.map((line) => [line.id, said(line)])).toEqual([
      [0, undefined],
      [1, 'a'],
      [2, 'slow'],
    ]);
  });

  test('leaves no request unanswered and does not wait for ever', async () => {
    const { lines, code } = await piped(`${initialize}${request(1, 'hang')}`);
    expect(code).toBe(0);
    expect(lines).toMatchObject([
      { id: 0, result: {} },
      { id: 1, error: { code: -32603 } },
    ]);
  });

  test('lets no call wait for a question that nobody can answer', async () => {
    const { lines, code } = await piped(`${initialize}${request(1, 'ask')}`);
    expect(code).toBe(0);
    expect(lines.map((line) => line.id)).toEqual([0, 1]);
    expect(said(lines[1] as Message)).toContain('the host has closed standard input');
  });

  test('without any request ends at once', async () => {
    expect(await piped('')).toEqual({ lines: [], code: 0 });
  });
});

test('an option that is not known is refused', async () => {
  const host = connected('--profil', 'x');
  expect(await host.exited).toMatchObject({ code: 2 });
  expect(host.stderr).toContain('mcpd stdio does not know --profil');
});
