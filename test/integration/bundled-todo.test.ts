import { chmodSync, existsSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { buildServers } from '../harness/bundled.ts';
import { type TemporaryHome, temporaryHome } from '../harness/home.ts';
import { Host } from '../harness/host.ts';
import { type Result, textOf } from '../harness/message.ts';
import { askModern, listenModern } from '../harness/modern.ts';
import { connectOfficial, OFFICIAL_CLIENTS, type OfficialOptions } from '../harness/official.ts';
import { until } from '../harness/until.ts';

let builds: TemporaryHome;
let command: [string, string];
let home: TemporaryHome;

beforeAll(async () => {
  builds = await temporaryHome();
  command = (await buildServers(builds.root)).todo;
});

afterAll(async () => {
  await builds.cleanup();
});

beforeEach(async () => {
  home = await temporaryHome();
});

afterEach(async () => {
  await home.cleanup();
});

function start(env: NodeJS.ProcessEnv = {}): Host {
  const host = new Host(command, { env: { ...home.env, ...env }, cwd: home.root });
  home.track(host.pid);
  return host;
}

async function connect(env: NodeJS.ProcessEnv = {}, capabilities: Record<string, unknown> = {}): Promise<Host> {
  const host = start(env);
  await host.init('2025-11-25', capabilities);
  return host;
}

function jsonOf(read: Result): Record<string, unknown> {
  return JSON.parse(read.contents?.[0]?.text ?? '') as Record<string, unknown>;
}

describe.each(OFFICIAL_CLIENTS)('through the official %s', (which) => {
  const officially = (options: OfficialOptions = {}) =>
    connectOfficial(which, command, { env: home.env, cwd: home.root, ...options });

  test('items are added, listed by urgency, changed, completed and removed', async () => {
    const host = await officially();
    await host.call('add_todo_item', { text: ' Buy milk ' });
    await host.call('add_todo_item', { text: 'Pay rent', due: '2026-12-01' });
    const added = await host.call('add_todo_item', { text: 'Call Ada', priority: 'high' });
    expect(added.structuredContent).toMatchObject({
      item: { id: 3, text: 'Call Ada', done: false, priority: 'high', due: null },
    });
    const listed = await host.call('list_todo_items');
    expect(textOf({ result: listed })).toBe('#3 [high priority] Call Ada\n#2 [due 2026-12-01] Pay rent\n#1 Buy milk');
    await host.call('update_todo_item', { id: 2, text: 'Pay the rent', due: '' });
    await host.call('complete_todo_item', { id: 3 });
    await host.call('remove_todo_item', { id: 1 });
    const all = await host.call('list_todo_items', { status: 'all' });
    expect(textOf({ result: all })).toBe('#2 Pay the rent\n#3 ✓ [high priority] Call Ada');
    await host.close();
  });

  test('the list, one item and the status are resources whose changes are reported to subscribers', async () => {
    const host = await officially();
    expect((await host.resources()).map((resource) => resource.uri)).toEqual([
      'todo://items',
      'internal://server/status',
    ]);
    expect((await host.templates()).map((template) => template.uriTemplate)).toEqual(['todo://items/{id}']);
    await host.call('add_todo_item', { text: 'Water the plants' });
    expect(jsonOf(await host.read('todo://items/1'))).toMatchObject({ text: 'Water the plants' });
    expect(jsonOf(await host.read('todo://items'))).toMatchObject({ total: 1 });
    expect(jsonOf(await host.read('internal://server/status'))).toMatchObject({
      ok: true,
      open: 1,
      done: 0,
      version: '1.2.3-test',
    });
    await expect(host.read('todo://items/9')).rejects.toMatchObject({ code: -32602 });
    expect(await host.complete('todo://items/{id}', 'id', '')).toEqual(['1']);
    await host.subscribe(['todo://items/1', 'internal://server/status']);
    await host.call('complete_todo_item', { id: 1 });
    await host.call('add_todo_item', { text: 'Another' });
    await until('three notices', () => host.updated.length >= 3);
    expect(host.updated.sort()).toEqual(['internal://server/status', 'internal://server/status', 'todo://items/1']);
    await host.close();
  });

  test('the prompt makes a plan from what is open', async () => {
    const host = await officially();
    await host.call('add_todo_item', { text: 'Write the report' });
    expect((await host.prompts()).map((prompt) => prompt.name)).toEqual(['plan_my_day']);
    const { messages } = await host.prompt('plan_my_day', { hours: '3' });
    expect(messages?.[0]?.content.text).toMatch(/I have 3 hours\.[\s\S]*#1 Write the report/);
    await host.close();
  });

  test("the host's model is asked for the next thing to do", async () => {
    const questions: string[] = [];
    const host = await officially({
      model: (question) => {
        questions.push(question);
        return '#2 because it is quick';
      },
    });
    await host.call('add_todo_item', { text: 'Long work' });
    await host.call('add_todo_item', { text: 'Short work' });
    const answer = await host.call('suggest_next_todo', { context: 'ten minutes left' });
    expect(answer.structuredContent).toMatchObject({
      suggestion: '#2 because it is quick',
      item: { id: 2, text: 'Short work' },
    });
    expect(questions).toEqual([
      'What should I do next?\n#1 Long work\n#2 Short work\n\nWhat matters now: ten minutes left',
    ]);
    await host.close();
  });

  test('a host without a model gets a tool error that says so and names the first item', async () => {
    const host = await officially();
    expect(textOf({ result: await host.call('suggest_next_todo') })).toBe(
      'Nothing is open: there is nothing to suggest.',
    );
    await host.call('add_todo_item', { text: 'Only this' });
    const answer = await host.call('suggest_next_todo');
    expect(answer.isError).toBe(true);
    expect(textOf({ result: answer })).toMatch(/did not declare the capability "sampling"[\s\S]*#1 Only this/);
    await host.close();
  });
});

test('a model that is refused by its person makes a tool error and no crash', async () => {
  const host = await connect({}, { sampling: {} });
  host.onRequest = () => ({ error: { code: -1, message: 'the user said no' } });
  await host.call('add_todo_item', { text: 'Something' });
  const answer = await host.call('suggest_next_todo');
  expect([answer.result?.isError, textOf(answer)]).toEqual([true, expect.stringContaining('the user said no')]);
  expect((await host.call('list_todo_items')).result?.isError).toBeUndefined();
  await host.close();
});

test('what is wrong with an argument is said in words', async () => {
  const host = await connect();
  for (const [tool, args, part] of [
    ['complete_todo_item', { id: 7 }, 'There is no todo item 7'],
    ['update_todo_item', { id: 7, text: 'x' }, 'There is no todo item 7'],
    ['remove_todo_item', { id: 7 }, 'list_todo_items shows the numbers'],
    ['add_todo_item', { text: 'x', due: '2026-02-30' }, '2026-02-30 is not a day of the calendar'],
    ['add_todo_item', { text: 'x', due: 'tomorrow' }, 'due'],
    ['add_todo_item', { text: '   ' }, 'text'],
    ['add_todo_item', { text: 'x'.repeat(1001) }, '1000'],
    ['list_todo_items', { status: 'lost' }, 'status'],
  ] as const) {
    const answer = await host.call(tool, args);
    expect([answer.result?.isError, textOf(answer)]).toEqual([true, expect.stringContaining(part)]);
  }
  expect(textOf(await host.call('list_todo_items', { status: 'all' }))).toBe('Nothing on the list.');
  await host.close();
});

test('completing twice keeps the first time, opening again forgets it, and a number is never used twice', async () => {
  const host = await connect();
  const completedAt = async (tool: string, args: Record<string, unknown>) => {
    const item = (await host.call(tool, args)).result?.structuredContent?.['item'] as {
      id: number;
      completed_at: string | null;
    };
    return item.completed_at;
  };
  await host.call('add_todo_item', { text: 'Once' });
  const first = await completedAt('complete_todo_item', { id: 1 });
  expect(first).not.toBeNull();
  expect(await completedAt('complete_todo_item', { id: 1 })).toBe(first);
  expect(await completedAt('update_todo_item', { id: 1, done: false })).toBeNull();
  await host.call('remove_todo_item', { id: 1 });
  expect(textOf(await host.call('add_todo_item', { text: 'Next' }))).toBe('Added #2 Next');
  await host.close();
});

test('eight processes that write to one new list at once lose nothing and meet no error', async () => {
  const env = { TODO_DB: join(home.folder('shared'), 'list.db') };
  const hosts = await Promise.all(Array.from({ length: 8 }, () => connect(env)));
  const answers = await Promise.all(
    hosts.flatMap((host, who) =>
      Array.from({ length: 25 }, (_, n) => host.call('add_todo_item', { text: `item ${who}/${n}` })),
    ),
  );
  expect(answers.filter((answer) => answer.result?.isError === true).map(textOf)).toEqual([]);
  const listed = await hosts[0]?.call('list_todo_items', { limit: 500 });
  expect(listed?.result?.structuredContent?.['total']).toBe(200);
  await Promise.all(hosts.map((host) => host.close()));
});

test('the list outlives a SIGKILL, and is readable by its owner alone', async () => {
  const host = await connect();
  await host.call('add_todo_item', { text: 'Still here' });
  host.kill('SIGKILL');
  await host.exited;
  expect(statSync(join(home.root, 'todo.db')).mode & 0o777).toBe(0o600);
  const again = await connect();
  expect(textOf(await again.call('list_todo_items'))).toBe('#1 Still here');
  await again.close();
});

describe('a file that cannot be used is the answer to a call, and the server stays', () => {
  const problems: [string, (file: string) => void, string][] = [
    ['is no database', (file) => writeFileSync(file, 'Dear diary,\n'.repeat(500)), 'move the file away'],
    ['is a folder', (file) => mkdirSync(file), 'name a file in a folder that exists'],
    ['lies in a folder that is not there', () => {}, 'name a file in a folder that exists'],
  ];

  test.each(problems)('when it %s', async (problem, prepare, fix) => {
    const file = problem.includes('not there') ? join(home.root, 'missing', 'list.db') : join(home.root, 'list.db');
    prepare(file);
    const host = await connect({ TODO_DB: file });
    const answer = await host.call('list_todo_items');
    expect([answer.result?.isError, textOf(answer)]).toEqual([
      true,
      expect.stringContaining(`The todo list ${file} cannot be used`),
    ]);
    expect(textOf(answer)).toContain(fix);
    const status = jsonOf(await host.result('resources/read', { uri: 'internal://server/status' }));
    expect(status).toMatchObject({ ok: false, problem: expect.stringContaining(file) });
    await host.close();
  });

  test("when it is somebody else's database, it is left as it was", async () => {
    const file = join(home.root, 'todo.db');
    const { default: Database } = await import('better-sqlite3');
    const other = new Database(file);
    other.exec('CREATE TABLE recipes (name TEXT)');
    other.close();
    const host = await connect();
    expect(textOf(await host.call('add_todo_item', { text: 'x' }))).toContain('it holds other tables');
    await host.close();
  });

  test('when it may not be written', async () => {
    const host = await connect();
    await host.call('add_todo_item', { text: 'x' });
    await host.close();
    chmodSync(join(home.root, 'todo.db'), 0o400);
    const again = await connect();
    const answer = await again.call('add_todo_item', { text: 'y' });
    // Root may write anything.
    expect(answer.result?.isError).toBe(process.getuid?.() === 0 ? undefined : true);
    await again.close();
  });
});

test('a modern host hears only of what it listens to, and no more after the end of it', async () => {
  const host = start();
  const listening = listenModern(host, { resourceSubscriptions: ['todo://items'] });
  await until('the acknowledgement', () => listening.received().length === 1);
  await askModern(host, 'tools/call', { name: 'add_todo_item', arguments: { text: 'a' } });
  await until('the notice', () => listening.received().length === 2);
  expect(listening.received()[1]?.params?.['uri']).toBe('todo://items');
  listening.end();
  await askModern(host, 'tools/call', { name: 'add_todo_item', arguments: { text: 'b' } });
  expect(host.notifications).toHaveLength(2);
  const lists = await askModern(host, 'tools/list');
  expect([lists.result?.cacheScope, lists.result?.ttlMs]).toEqual(['public', 86_400_000]);
  await host.close();
});

test('a host that probes for the modern era may still use the legacy one on the same pipe', async () => {
  const host = start();
  expect((await askModern(host, 'server/discover')).result?.supportedVersions).toContain('2026-07-28');
  await host.init();
  expect(await host.toolNames()).toHaveLength(6);
  await host.close();
});

test('it leaves when stdin ends, at once at SIGTERM, and writes no file before the first use', async () => {
  const host = await connect();
  expect(await host.close()).toEqual({ code: 0, signal: null });
  expect(existsSync(join(home.root, 'todo.db'))).toBe(false);
  const other = await connect();
  await other.call('add_todo_item', { text: 'x' });
  other.kill('SIGTERM');
  expect(await other.exited).toEqual({ code: null, signal: 'SIGTERM' });
});
