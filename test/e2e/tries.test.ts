import { expect } from 'vitest';
import { type Machine, test } from '../harness/machine.ts';
import { placeOf, Try, tool, type Way } from '../harness/trying.ts';
import { until } from '../harness/until.ts';

const LEGACY = '2025-11-25';
const MODERN = '2026-07-28';
const WAYS: Way[] = ['the socket', '127.0.0.1'];

async function anyRevision(machine: Machine, revision: string): Promise<void> {
  await machine.add('any', 'any-revision', ['--revision', revision, '--lists', 'always']);
}

const trying = (machine: Machine, server: string, request: unknown, way?: Way) =>
  new Try(placeOf(machine.home), server, request, way);

test.for(WAYS.flatMap((way) => [LEGACY, MODERN].map((revision) => [way, revision] as const)))(
  'over %s a tool of a server of %s is tried: its progress, its log, its form and its result are seen',
  async ([way, revision], { machine }) => {
    await anyRevision(machine, revision);
    const steps = trying(machine, 'any', tool('steps', { marker: 'm' }), way);
    expect(await steps.texts()).toEqual(['done']);
    expect(steps.events[0]?.type).toBe('started');
    expect(steps.of('progress')).toMatchObject(
      [1, 2, 3].map((step) => ({ progress: step, total: 3, message: `step ${step}` })),
    );
    expect(await steps.end()).toMatchObject({ type: 'result', isError: false, isCut: false });

    const log = trying(machine, 'any', tool('log', { marker: 'careful' }), way);
    expect(await log.texts()).toEqual(['logged']);
    expect(log.of('log').map(({ level, data }) => [level, JSON.parse(data)])).toContainEqual(['warning', 'careful']);

    const elicit = trying(machine, 'any', tool('elicit', { marker: 'who?' }), way);
    const { id, method, params } = await elicit.first('question');
    expect([method, params]).toMatchObject([
      'elicitation/create',
      { mode: 'form', message: 'who?', schema: expect.stringContaining('"answer":{"type":"string","title":"Answer"}') },
    ]);
    expect(await elicit.answer(id, { action: 'accept', content: { answer: 'ann' } })).toEqual({
      status: 200,
      body: { answered: true },
    });
    expect(await elicit.texts()).toEqual(['accept ann']);
    expect(await elicit.answer(id, { action: 'cancel' })).toMatchObject({
      status: 404,
      body: { error: { code: 'TRY_UNKNOWN' } },
    });
  },
);

test.for([LEGACY, MODERN])(
  'a link that a server of %s sends a person to is shown with its host before it is opened, and a form can be declined',
  async (revision, { machine }) => {
    await anyRevision(machine, revision);
    const visit = trying(machine, 'any', tool('visit', { marker: 'page' }));
    const { id, params } = await visit.first('question');
    expect(params).toEqual({ mode: 'url', message: 'page', url: 'https://example.com/page', host: 'example.com' });
    await visit.answer(id, { action: 'accept' });
    expect(await visit.texts()).toEqual(['accept']);

    const elicit = trying(machine, 'any', tool('elicit', { marker: 'who?' }));
    await elicit.answer((await elicit.first('question')).id, { action: 'decline' });
    expect(await elicit.texts()).toEqual(['decline']);
  },
);

test.for([LEGACY, MODERN])(
  'a server of %s that asks several things at once gets each answer where it belongs',
  async (revision, { machine }) => {
    await anyRevision(machine, revision);
    const one = trying(machine, 'any', tool('ask_all', { marker: 'm' }));
    for (const count of [2, 3]) {
      await until(`question ${count}`, () => one.of('question').length === count);
      for (const { id, params } of one
        .of('question')
        .slice(count === 2 ? 0 : 2)
        .reverse())
        await one.answer(id, { action: 'accept', content: { answer: `to ${'message' in params && params.message}` } });
    }
    expect(await one.texts()).toEqual(['to first m|to second m|to third m']);
  },
);

test.for([LEGACY, MODERN])(
  'a person answers in the place of the model that a server of %s asks, or rejects it; and there are no folders',
  async (revision, { machine }) => {
    await anyRevision(machine, revision);
    const sample = () => trying(machine, 'any', tool('sample', { marker: 'say it' }));
    const asked = sample();
    const { id, method, params } = await asked.first('question');
    expect([method, params]).toMatchObject([
      'sampling/createMessage',
      { mode: 'sampling', messages: [{ role: 'user', text: 'say it' }], maxTokens: 50 },
    ]);
    await asked.answer(id, { action: 'accept', text: 'it' });
    expect(await asked.texts()).toEqual(['it']);

    const rejected = sample();
    await rejected.answer((await rejected.first('question')).id, { action: 'decline' });
    expect((await rejected.end())?.type).toBe('failed');

    const roots = trying(machine, 'any', tool('roots', { marker: 'm' }));
    expect(await roots.texts()).toEqual(['[]']);
    expect(roots.of('roots-told')).toHaveLength(1);
    expect(roots.of('question')).toEqual([]);
  },
);

test.for([LEGACY, MODERN])(
  'prompts and resources of a server of %s are tried as its tools are',
  async (revision, { machine }) => {
    await anyRevision(machine, revision);
    const prompt = trying(machine, 'any', { kind: 'prompt', name: 'greet', arguments: { who: 'ann' } });
    expect(JSON.parse((await prompt.first('result')).result).messages[0].content.text).toBe('Hello ann');
    const resource = trying(machine, 'any', { kind: 'resource', uri: 'matrix://any/note' });
    expect(JSON.parse((await resource.first('result')).result).contents[0].text).toBe('a note');
    const nowhere = trying(machine, 'any', { kind: 'resource', uri: 'matrix://any/nothing' });
    expect(await nowhere.end()).toMatchObject({ type: 'failed', error: { code: 'CALL_FAILED' } });
  },
);

test('a try is a session while it lasts, and its call is in the history afterwards', async ({ machine }) => {
  await anyRevision(machine, LEGACY);
  const one = trying(machine, 'any', tool('elicit', { marker: 'm' }));
  const { id } = await one.first('question');
  expect(await machine.ok('sessions', '--json')).toMatchObject([{ host: 'mcpd dashboard', openCalls: 1 }]);
  await one.answer(id, { action: 'accept', content: { answer: 'a' } });
  await one.end();
  expect(await machine.ok('sessions', '--json')).toEqual([]);
  const rows = await until('the call in the history', async () => {
    const calls = await machine.ok('calls', '--json');
    return calls.length > 0 ? calls : null;
  });
  expect(rows).toMatchObject([
    { host: 'mcpd dashboard', server: 'any', method: 'tools/call', target: 'elicit', outcome: 'ok' },
  ]);
});

test('a page that is closed cancels the call at the server, and nothing of the try stays', async ({ machine }) => {
  await anyRevision(machine, LEGACY);
  const one = trying(machine, 'any', tool('wait', { marker: 'long' }));
  await one.first('progress');
  one.leave();
  await until('the server to stop', () => machine.records('stopped').length === 1);
  expect(await machine.ok('sessions', '--json')).toEqual([]);
  await until('the call in the history', async () => (await machine.ok('calls', '--json'))[0]?.outcome === 'cancelled');
});

test('the beginning of a result of 20 MB is shown, and how large it is', async ({ machine }) => {
  await machine.add('big', 'big');
  for (const kind of ['text', 'dense']) {
    const one = trying(machine, 'big', tool('blob', { bytes: 20_000_000, kind }));
    const { result, isCut, isError, bytes } = await one.first('result');
    expect([isCut, isError]).toEqual([true, false]);
    expect(bytes).toBeGreaterThan(20_000_000);
    expect(result).toHaveLength(1024 * 1024);
  }
  expect(await trying(machine, 'big', tool('small')).texts()).toEqual(['small']);
});

test('a server that dies in the call, and one that cannot be called, say why and what to do', async ({ machine }) => {
  await machine.add('dying', 'exit-in-call');
  const died = trying(machine, 'dying', tool('commit'));
  expect(await died.end()).toMatchObject({
    type: 'failed',
    error: {
      code: 'SERVER_EXITED',
      what: 'the call of commit failed',
      fix: expect.stringContaining('mcpd logs dying'),
    },
    rpc: { code: -32603 },
  });
  expect(await trying(machine, 'dying', tool('nothing')).end()).toMatchObject({
    type: 'failed',
    error: { code: 'CALL_FAILED', why: 'Unknown tool: nothing' },
  });
  await machine.ok('disable', 'dying');
  expect(await trying(machine, 'dying', tool('fine')).end()).toMatchObject({
    type: 'failed',
    error: { code: 'SERVER_DISABLED', fix: 'mcpd enable dying' },
  });
});

test('a request that fits nothing is an error with a status of its own', async ({ machine }) => {
  await machine.add('slow', 'slow');
  const wrong = trying(machine, 'slow', { kind: 'spell', name: 'x' });
  await wrong.end();
  expect([wrong.status, JSON.parse(wrong.body)]).toMatchObject([400, { error: { code: 'REQUEST_INVALID' } }]);
  const deep = trying(machine, 'slow', tool('fast', { deep: JSON.parse('['.repeat(2000) + ']'.repeat(2000)) }));
  await deep.end();
  expect([deep.status, JSON.parse(deep.body)]).toMatchObject([400, { error: { code: 'REQUEST_INVALID' } }]);
  const nobody = trying(machine, 'nobody', tool('x'));
  await nobody.end();
  expect([nobody.status, JSON.parse(nobody.body)]).toMatchObject([404, { error: { code: 'SERVER_UNKNOWN' } }]);
});

test('sixteen tries are open at once and no more, and each of them ends with the daemon', async ({ machine }) => {
  await machine.add('slow', 'slow');
  const tries = Array.from({ length: 16 }, () => trying(machine, 'slow', tool('hang')));
  await Promise.all(tries.map((one) => one.first('started')));
  const more = trying(machine, 'slow', tool('fast'));
  await more.end();
  expect([more.status, JSON.parse(more.body)]).toMatchObject([409, { error: { code: 'TRIES_FULL' } }]);
  tries.pop()?.leave();
  await until('room for one more', async () => (await trying(machine, 'slow', tool('fast')).end())?.type === 'result');
  await machine.ok('down', '--now');
  for (const one of tries) expect((await one.end())?.type).toBe('failed');
});
