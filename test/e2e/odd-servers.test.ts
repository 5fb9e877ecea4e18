import { expect } from 'vitest';
import { fake } from '../harness/fake.ts';
import { test } from '../harness/machine.ts';
import { textOf } from '../harness/message.ts';
import { until } from '../harness/until.ts';

test.for([
  ['writes noise between its messages', 'noisy-stdout', []],
  ['puts a byte order mark before every line', 'bom', []],
  ['puts a byte order mark before its first line', 'bom', ['--mode', 'first']],
  ['answers to ids nobody asked, and twice', 'orphan-replies', []],
] as const)(
  'a server that %s is used as any other, and no host sees the oddity',
  async ([, program, flags], { machine }) => {
    await machine.add('odd', program, flags);
    const host = await machine.connected();
    for (let number = 0; number < 20; number++)
      expect(textOf(await host.call('odd__echo', { text: `${number} é` }))).toBe(`${number} é`);
    expect([host.noise, host.strays]).toEqual([[], []]);
  },
);

test('noise is counted, shown in the health of its server and kept in its log', async ({ machine }) => {
  await machine.add('noisy', 'noisy-stdout');
  const host = await machine.connected();
  await host.call('noisy__echo', { text: 'x' });
  const { findings } = await machine.server('noisy');
  expect(findings.join()).toMatch(/\d+ lines that are no JSON-RPC message/);
  const log = await machine.ok('logs', 'noisy');
  expect(log).toContain('NoisyServer 1.0 listening on stdio');
  expect(log).not.toContain('\u001b');
});

test('characters cut by the chunks of a pipe arrive whole', async ({ machine }) => {
  await machine.add('bytes', 'split-utf8');
  await machine.add('threes', 'split-utf8', ['--chunk', '3']);
  const host = await machine.connected();
  for (const server of ['bytes', 'threes']) expect(textOf(await host.call(`${server}__sample`))).toBe('aé€𝄞 ß中🙂 ñ');
});

test('one odd schema costs no other tool: what can be listed is, what cannot is named with the reason', async ({
  machine,
}) => {
  await machine.add('odd', 'odd-schemas');
  const host = await machine.connected();
  const tools = await host.tools();
  const names = tools.map(({ name }) => name);
  expect(names).toContain('odd__good');
  expect(names.filter((name) => name.startsWith('odd__keep-'))).toHaveLength(9);
  expect(names.filter((name) => name.startsWith('odd__mend-'))).toHaveLength(5);
  for (const { name, inputSchema } of tools) expect([name, inputSchema?.['type']]).toEqual([name, 'object']);
  expect(textOf(await host.call('odd__mend-null-schema'))).toBe('called mend-null-schema');
  expect(names).not.toContain('odd__drop-schema-of-string');
  const { findings, health } = await machine.server('odd');
  expect(health).toBe('degraded');
  for (const odd of ['drop-schema-of-string: dropped', 'mend-null-schema: repaired', 'has no usable name'])
    expect(findings.join('\n')).toContain(odd);
});

test('lists in pages are read to their end, and mcpd gives them in one', async ({ machine }) => {
  await machine.add('paged', 'paged');
  const host = await machine.connected();
  expect(await host.toolNames()).toEqual([0, 1, 2, 3, 4, 5].map((n) => `paged__tool-${n}`));
  const lists = ['prompts', 'resources', 'resourceTemplates'] as const;
  const methods = ['prompts/list', 'resources/list', 'resources/templates/list'];
  for (const [at, list] of lists.entries()) expect((await host.result(methods[at] ?? ''))[list]).toHaveLength(6);
  expect((await host.ask('tools/list', { cursor: 'made-up' })).error?.code).toBe(-32_602);
});

test.for(['same', 'cycle', 'fresh'])(
  'a list whose cursors never end (%s) is cut, said in its health, and harms nobody',
  async (mode, { machine }) => {
    await machine.add('good', 'echo');
    await machine.declare({ endless: { command: fake('endless-cursor', '--mode', mode) } });
    const host = await machine.connected();
    await until('its tools', async () => (await host.toolNames()).some((name) => name.startsWith('endless__')));
    expect(textOf(await host.call('good__echo', { text: 'unharmed' }))).toBe('unharmed');
    const server = await machine.server('endless');
    expect(server.findings.join()).toMatch(/cursor|page/);
    expect(server.health).toBe('degraded');
    const pages = machine.records('page').length;
    expect(pages).toBeLessThanOrEqual(250);
    await host.result('ping');
    expect(machine.records('page')).toHaveLength(pages);
  },
);

test('a call ends at the time limit of its server, is cancelled upstream, and holds up no other', async ({
  machine,
}) => {
  await machine.add('slow', 'slow', [], ['--timeout', '2s']);
  const host = await machine.connected();
  await host.call('slow__fast');
  const began = performance.now();
  const hanging = host.call('slow__hang');
  const open = await until('the call to arrive', () => machine.records('open')[0]);
  expect(textOf(await host.call('slow__fast'))).toBe('fast');
  const answer = await hanging;
  const tookMs = performance.now() - began;
  expect(tookMs).toBeGreaterThanOrEqual(1900);
  expect(answer.error?.message).toMatch(/slow gave no sign of life for 2 s.*outcome is unknown/);
  await until('the cancellation', () => machine.records('cancelled').some(({ id }) => id === open['id']));
  expect(textOf(await host.call('slow__fast'))).toBe('fast');
  expect((await machine.server('slow')).starts).toBe(1);
});

test('a host that cancels has its call cancelled upstream under the id the server knows, and gets no answer', async ({
  machine,
}) => {
  await machine.add('slow', 'slow');
  const host = await machine.connected();
  const id = 'cancel me';
  const answered = host.call('slow__slow', { ms: 1500 }, { id, timeoutMs: 3000 }).then(
    () => true,
    () => false,
  );
  const open = await until('the call to arrive', () => machine.records('open')[0]);
  host.notify('notifications/cancelled', { requestId: id, reason: 'enough' });
  await until('the cancellation', () => machine.records('cancelled').some((record) => record['id'] === open['id']));
  expect(await answered).toBe(false);
  expect(textOf(await host.call('slow__fast'))).toBe('fast');
});

test('progress keeps a call alive beyond the time limit of silence', async ({ machine }) => {
  await machine.add('echo', 'echo', [], ['--timeout', '1s']);
  const host = await machine.connected();
  const answer = await host.call('echo__sleep', { ms: 3000 }, { meta: { progressToken: 1 } });
  expect(answer.error).toBeUndefined();
});

test('two servers with the same resources and prompts are told apart, and each answers for itself', async ({
  machine,
}) => {
  await machine.add('a', 'collide', ['--name', 'A']);
  await machine.add('b', 'collide', ['--name', 'B']);
  const host = await machine.connected();
  const resources = (await host.result('resources/list')).resources ?? [];
  const read = async (uri: string) => (await host.result('resources/read', { uri })).contents?.[0];
  for (const owner of ['A', 'B']) {
    const note = resources.find(({ description }) => description === `The note of ${owner}`);
    const contents = await read(note?.uri ?? '');
    expect([contents?.text, contents?.uri]).toEqual([owner, note?.uri]);
    expect(textOf(await host.call(`${owner.toLowerCase()}__who`))).toBe(owner);
    const prompt = await host.result('prompts/get', { name: `${owner.toLowerCase()}__same` });
    expect(prompt.messages?.[0]?.content.text).toBe(owner);
  }
  expect(new Set(resources.map(({ uri }) => uri)).size).toBe(4);
  const templates = (await host.result('resources/templates/list')).resourceTemplates ?? [];
  const texts = await Promise.all(
    templates.map(async ({ uriTemplate }) => (await read(uriTemplate.replace('{id}', '7')))?.text),
  );
  expect(texts.sort()).toEqual(['A 7', 'B 7']);
});

test('arguments with spaces, quotes, dollars and stars reach a server as they were typed, and no shell sees them', async ({
  machine,
}) => {
  const args = ['a b', '', '$HOME', ';touch /tmp/x', '*', '"quoted"', "it's", 'é', '--name', 'two\nlines'];
  await machine.add('echo', 'echo', args);
  const host = await machine.connected();
  expect(JSON.parse(textOf(await host.call('echo__env'))).argv).toEqual(args);
});
