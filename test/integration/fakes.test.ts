import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { fake, recordsIn } from '../harness/fake.ts';
import { type TemporaryHome, temporaryHome } from '../harness/home.ts';
import { Host, type HostOptions } from '../harness/host.ts';
import { type Message, textOf } from '../harness/message.ts';
import { askModern, listenModern } from '../harness/modern.ts';
import { alive } from '../harness/processes.ts';
import { until } from '../harness/until.ts';

// The fakes are the measure of everything else: here each one shows, spoken to directly, that it has the behaviour it is kept for.

let home: TemporaryHome;
let records: string;

beforeEach(async () => {
  home = await temporaryHome();
  records = join(home.root, 'records');
});

afterEach(async () => {
  await home.cleanup();
});

function connect(name: string, args: string[] = [], options: HostOptions = {}): Host {
  const host = new Host(fake(name, ...args), { env: { ...home.env, RECORD_FILE: records }, ...options });
  home.track(host.pid);
  return host;
}

test('echo has tools, resources, a template, a prompt, completions and a log', async () => {
  const host = connect('echo', ['--name', 'A', '--prefix', 'a_', '--more', '3', '--instructions', 'Be kind']);
  const { serverInfo, instructions } = await host.init();
  expect([serverInfo?.name, instructions]).toEqual(['A', 'Be kind']);
  expect(await host.toolNames()).toEqual(expect.arrayContaining(['a_echo', 'a_add', 'a_sleep', 'a_env', 'a_more-2']));
  expect(textOf(await host.call('a_echo', { text: 'hé' }))).toBe('hé');
  expect((await host.call('a_add', { a: 2, b: 3 })).result?.structuredContent).toEqual({ sum: 5 });
  const word = await host.result('resources/read', { uri: 'echo://say/good%20day' });
  expect(word.contents?.[0]?.text).toBe('good day');
  const prompt = await host.result('prompts/get', { name: 'greet', arguments: { who: 'Ada' } });
  expect(prompt.messages?.[0]?.content.text).toBe('Say hello to Ada from A');
  expect((await host.close()).code).toBe(0);
});

test('echo reports progress, tells subscribers of a change, and announces a tool that comes', async () => {
  const host = connect('echo');
  await host.init();
  await host.call('sleep', { ms: 20 }, { meta: { progressToken: 'p' } });
  await host.result('resources/subscribe', { uri: 'echo://note' });
  await host.call('touch', { text: 'new' });
  await host.call('toggle');
  const seen = host.notifications.map((notification) => notification.method);
  expect(seen.filter((method) => method === 'notifications/progress')).toHaveLength(10);
  expect(seen).toEqual(expect.arrayContaining(['notifications/resources/updated', 'notifications/tools/list_changed']));
  expect(await host.toolNames()).toContain('extra');
  await host.close();
});

test('crash-after-handshake leaves with the wanted code after a good handshake', async () => {
  const host = connect('crash-after-handshake', ['--code', '3']);
  await host.init();
  expect((await host.exited).code).toBe(3);
  const later = connect('crash-after-handshake', ['--after', 'tools/list']);
  await later.init();
  expect(await later.toolNames()).toEqual(['never']);
  expect((await later.exited).code).toBe(0);
});

test('exit-in-call does its side effect once and dies without an answer', async () => {
  const effects = join(home.root, 'effects');
  for (const [args, exit] of [
    [[], { code: 70, signal: null }],
    [['--signal', 'SIGKILL'], { code: null, signal: 'SIGKILL' }],
  ] as const) {
    const host = connect('exit-in-call', ['--file', effects, ...args]);
    await host.init();
    expect(textOf(await host.call('fine'))).toBe('fine');
    await expect(host.call('commit', { line: 'once' })).rejects.toThrow('the process has gone');
    expect(await host.exited).toEqual(exit);
  }
  expect(readFileSync(effects, 'utf8')).toBe('once\nonce\n');
});

test('never-answers lives, answers nothing, and leaves when its stdin ends', async () => {
  const host = connect('never-answers');
  const asked = host.ask('initialize', {}, { timeoutMs: 600_000 });
  asked.catch(() => {}); // It ends with the process, below.
  await until('the line to be heard', () => recordsIn(records, 'heard').length === 1);
  expect(host.lines).toEqual([]);
  expect((await host.close()).code).toBe(0);
});

test('exits-at-once is gone before anything was said', async () => {
  const host = connect('exits-at-once', ['--code', '7']);
  expect((await host.exited).code).toBe(7);
  expect(host.stderr).toContain('EXAMPLE_KEY');
});

test('noisy-stdout answers every call among its noise', async () => {
  const host = connect('noisy-stdout');
  await host.init();
  expect(textOf(await host.call('echo', { text: 'heard' }))).toBe('heard');
  expect(host.noise.length).toBeGreaterThan(4);
  await host.close();
});

test('odd-schemas lists one good tool among odd ones, and all can be called', async () => {
  const host = connect('odd-schemas');
  await host.init();
  const tools = (await host.result('tools/list')).tools ?? [];
  expect(tools[0]?.name).toBe('good');
  expect(tools.length).toBeGreaterThan(20);
  expect(textOf(await host.call('mend-no-schema'))).toBe('called mend-no-schema');
  await host.close();
});

test.each([
  ['same', ['more', 'more', 'more', 'more']],
  ['cycle', ['odd', 'even', 'odd', 'even']],
  ['fresh', ['page-1', 'page-2', 'page-3', 'page-4']],
])('endless-cursor in mode %s never comes to an end', async (mode, cursors) => {
  const host = connect('endless-cursor', ['--mode', mode]);
  await host.init();
  const seen: unknown[] = [];
  for (let page = 0; page < 4; page++) seen.push((await host.result('tools/list', { cursor: 'any' })).nextCursor);
  expect(seen).toEqual(cursors);
  await host.close();
});

test('paged hands out its list in pages, the last one empty, and refuses a foreign cursor', async () => {
  const host = connect('paged', ['--pages', '2']);
  await host.init();
  expect(await host.toolNames()).toEqual(['tool-0', 'tool-1', 'tool-2', 'tool-3']);
  expect(recordsIn(records, 'page')).toHaveLength(3);
  const resources = await host.result('resources/list');
  expect((await host.ask('prompts/list', { cursor: resources.nextCursor ?? '' })).error?.code).toBe(-32602);
  await host.close();
});

test('orphan-replies surrounds each answer with others', async () => {
  const host = connect('orphan-replies');
  await host.init();
  expect(textOf(await host.call('echo', { text: 'mine' }))).toBe('mine');
  const strayIds = host.strays.map((stray) => stray.id);
  expect(strayIds).toEqual(expect.arrayContaining([987_654, 'nobody', null, '2.5', 1]));
  await host.close();
});

test('slow answers the fast call while others hang, and records a cancellation with its id', async () => {
  const host = connect('slow');
  await host.init();
  const hanging = host.call('hang', {}, { id: 'h', timeoutMs: 600_000 });
  hanging.catch(() => {}); // It ends with the process, below.
  const slow = host.call('slow', { ms: 600_000 }, { id: 's', timeoutMs: 600_000 });
  slow.catch(() => {}); // Cancelled: it is never answered.
  expect(textOf(await host.call('fast'))).toBe('fast');
  host.notify('notifications/cancelled', { requestId: 's' });
  await until('the cancellation', () => recordsIn(records, 'cancelled').some((line) => line['id'] === 's'));
  expect(recordsIn(records, 'open').map((line) => line['id'])).toEqual(['h', 's']);
  await host.close();
});

test('big answers with a line of the wanted size, its id first or last', async () => {
  for (const [args, shape] of [
    [[], /^\{"result".*"id":"b"\}$/s],
    [['--id-first'], /^\{"jsonrpc":"2.0","id":"b"/],
  ] as const) {
    const host = connect('big', [...args]);
    await host.init();
    for (const kind of ['text', 'dense', 'numbers']) {
      const asked = host.askForLine('tools/call', { name: 'blob', arguments: { bytes: 1_000_000, kind } }, { id: 'b' });
      const { line } = await asked;
      expect(line.length).toBeGreaterThanOrEqual(1_000_000);
      expect(line.toString()).toMatch(shape);
      if (kind === 'numbers') expect(line.includes('9007199254740993')).toBe(true);
    }
    expect(textOf(await host.call('small'))).toBe('small');
    await host.close();
  }
});

test('dies-on-probe dies of anything before initialize, and is ordinary after it', async () => {
  const probed = connect('dies-on-probe');
  await expect(askModern(probed, 'server/discover')).rejects.toThrow('the process has gone');
  const greeted = connect('dies-on-probe');
  await greeted.init();
  expect(textOf(await greeted.call('hello'))).toBe('hello');
  expect((await greeted.ask('server/discover')).error?.code).toBe(-32601);
  await greeted.close();
});

test('split-utf8 sends characters in pieces that make the text again', async () => {
  const host = connect('split-utf8', ['--chunk', '3']);
  await host.init();
  expect(textOf(await host.call('sample'))).toBe('aé€𝄞 ß中🙂 ñ');
  await host.close();
});

test('bom begins its lines with a byte order mark', async () => {
  const host = connect('bom');
  host.send({ id: 1, method: 'ping' });
  await until('a line', () => host.lines.length === 1);
  expect(host.lines[0]?.subarray(0, 3).toString('hex')).toBe('efbbbf');
  expect(host.lines[0]?.at(-1)).toBe('\r'.charCodeAt(0));
  await host.close();
});

test('collide has the same names in every copy and says whose answer it is', async () => {
  const answers: (string | undefined)[] = [];
  for (const name of ['A', 'B']) {
    const host = connect('collide', ['--name', name]);
    await host.init();
    answers.push(textOf(await host.call('who')));
    answers.push((await host.result('resources/read', { uri: 'shared://item/5' })).contents?.[0]?.text);
    await host.close();
  }
  expect(answers).toEqual(['A', 'A 5', 'B', 'B 5']);
});

test('modern refuses initialize and requests without the envelope, and lists with cache hints', async () => {
  const host = connect('modern');
  const refused = await host.ask('initialize', { protocolVersion: '2025-11-25' });
  expect([refused.error?.code, refused.error?.data?.['supported']]).toEqual([-32022, ['2026-07-28']]);
  expect((await host.ask('tools/list')).error?.code).toBe(-32602);
  expect((await askModern(host, 'tools/list', {}, { protocolVersion: '2025-11-25' })).error?.code).toBe(-32022);
  expect((await askModern(host, 'server/discover')).result?.supportedVersions).toEqual(['2026-07-28']);
  const { result } = await askModern(host, 'tools/list');
  expect([result?.resultType, result?.ttlMs, result?.cacheScope]).toEqual(['complete', 60_000, 'public']);
  await host.close();
});

test('modern asks for input in a result, and finishes on the retry', async () => {
  const host = connect('modern');
  const params = { name: 'ask', arguments: { question: 'why' } };
  expect((await askModern(host, 'tools/call', params)).error?.code).toBe(-32021);
  const capabilities = { sampling: {} };
  const first = await askModern(host, 'tools/call', params, { capabilities });
  expect(first.result?.inputRequests?.['model']?.method).toBe('sampling/createMessage');
  const inputResponses = { model: { role: 'assistant', model: 'm', content: { type: 'text', text: 'because' } } };
  const retry = { ...params, inputResponses, requestState: first.result?.requestState };
  expect(textOf(await askModern(host, 'tools/call', retry, { capabilities }))).toContain('because');
  await host.close();
});

test('modern sends notices of change only to those who listen for them', async () => {
  const host = connect('modern');
  const listening = listenModern(host, { toolsListChanged: true, resourceSubscriptions: ['modern://note'] });
  const deaf = listenModern(host, {});
  await askModern(host, 'tools/call', { name: 'toggle' });
  await askModern(host, 'tools/call', { name: 'touch' });
  const methods = (messages: Message[]) => messages.map((message) => message.method);
  expect(methods(listening.received())).toEqual([
    'notifications/subscriptions/acknowledged',
    'notifications/tools/list_changed',
    'notifications/resources/updated',
  ]);
  expect(methods(deaf.received())).toEqual(['notifications/subscriptions/acknowledged']);
  listening.end();
  await until('the end of the subscription', () => recordsIn(records, 'unlisten').length === 1);
  await host.close();
});

test('a temporary home ends what was started for it, and leaves no file', async () => {
  const own = await temporaryHome();
  const host = new Host(fake('never-answers'), { env: own.env, cwd: own.folder('work') });
  const pid = host.pid ?? 0;
  await until('the process to be seen', () => own.processes().includes(pid));
  expect(await own.cleanup()).toEqual([pid]);
  expect([alive(pid), existsSync(own.root)]).toEqual([false, false]);
});
