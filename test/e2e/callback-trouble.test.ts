import { expect } from 'vitest';
import { type Machine, test } from '../harness/machine.ts';
import { type Message, type Result, textOf } from '../harness/message.ts';
import { answerOf, type Question, RefusedQuestion } from '../harness/revisions/answers.ts';
import { httpWire } from '../harness/revisions/http-wires.ts';
import { type HostDescription, RevisionHost } from '../harness/revisions/revision-host.ts';
import { stdioWire } from '../harness/revisions/stdio-wire.ts';
import { MODERN, type Revision } from '../harness/revisions/wire.ts';
import { until } from '../harness/until.ts';

const SERVER = 'asking';
const LEGACY: Revision = '2025-11-25';
const INVALID_PARAMS = -32_602;

test('a question that its host refuses ends the call in an error, in both eras', async ({ machine }) => {
  for (const [name, revision] of [
    ['old', LEGACY],
    ['new', MODERN],
  ] as const) {
    await addServer(machine, revision, name);
    const answer = () => Promise.reject(new RefusedQuestion(-1, 'the person said no'));
    const host = await connected(machine, { label: `refusing-${name}`, revision: LEGACY, answer });
    const sampled = await host.call(`${name}__sample`, { marker: 'x' });
    expect(JSON.stringify(sampled), name).toContain('the person said no');
    expect(sampled.error !== undefined || sampled.result?.isError, name).toBe(true);
    // A stateless server can be told that a person was not to be asked, but no error.
    const elicited = await host.call(`${name}__elicit`, { marker: 'x' });
    if (revision === MODERN) expect(textOf(elicited)).toBe('cancel');
    else expect(elicited.error?.message).toBe('the person said no');
    expect(textOf(await host.call(`${name}__echo`, { text: 'still here' }))).toBe('still here');
    await endHosts(host);
  }
});

test('a host that leaves with a question open disturbs nobody', async ({ machine }) => {
  await addServer(machine, LEGACY);
  const silent = await connected(machine, { label: 'silent', revision: LEGACY, answer: never });
  const other = await connected(machine, { label: 'other', revision: LEGACY });
  silent.call(`${SERVER}__elicit`, { marker: 'x' }).catch(() => undefined);
  await until('the question', () => silent.questions.length === 1);
  await silent.close();
  expect(textOf(await other.call(`${SERVER}__elicit`, { marker: 'y' }))).toBe(`accept other: ${SERVER}: y`);
  expect(other.questions).toHaveLength(1);
  await endHosts(other);
});

test('a cancelled call takes its question back, and an answer that comes too late changes nothing', async ({
  machine,
}) => {
  await addServer(machine, LEGACY);
  let answerLate: (answer: Record<string, unknown>) => void = () => undefined;
  const late = new Promise<Record<string, unknown>>((resolve) => {
    answerLate = resolve;
  });
  const host = await connected(machine, {
    label: 'host',
    revision: LEGACY,
    answer: (question) => (asked(question).includes('first') ? late : answerOf('host', question)),
  });
  let id: string | number | null = null;
  const args = { name: `${SERVER}__elicit`, arguments: { marker: 'first' } };
  host.exchange('tools/call', args, { onSent: (sent) => (id = sent) }).catch(() => undefined);
  const question = await until('the question', () => host.questions[0]);
  host.cancel(id);
  const withdrawn = () => host.received('notifications/cancelled').map(({ params }) => params?.['requestId']);
  await until('its withdrawal', () => withdrawn().length > 0);
  answerLate(answerOf('host', question));
  expect(textOf(await host.call(`${SERVER}__elicit`, { marker: 'second' }))).toBe(`accept host: ${SERVER}: second`);
  expect(withdrawn()).toEqual([question.id]);
  await endHosts(host);
});

test('what a modern host brings back must be what it was given, by the same client, once', async ({ machine }) => {
  await addServer(machine, LEGACY);
  const host = await connected(machine, { label: 'host', revision: MODERN, transport: 'http' });
  const stranger = await connected(machine, { label: 'stranger', revision: MODERN, transport: 'stdio' });
  const args = { name: `${SERVER}__elicit`, arguments: { marker: 'x' } };
  const first = inputOf(await host.exchange('tools/call', args));
  const answers = { inputResponses: answersTo(first), requestState: first.requestState };

  const state = String(first.requestState);
  const forged = `${state.slice(0, -1)}${state.endsWith('0') ? '1' : '0'}`;
  const wrong: [string, RevisionHost, Record<string, unknown>][] = [
    ['forged', host, { ...args, ...answers, requestState: forged }],
    ['empty', host, { ...args, ...answers, requestState: '' }],
    ['of another call', host, { ...args, arguments: { marker: 'y' }, ...answers }],
    ['of another tool', host, { ...args, name: `${SERVER}__sample`, ...answers }],
    ['of another client', stranger, { ...args, ...answers }],
  ];
  for (const [what, who, params] of wrong) {
    const { error } = await who.exchange('tools/call', params);
    expect(error?.code, what).toBe(INVALID_PARAMS);
  }

  const again = inputOf(await host.exchange('tools/call', { ...args, requestState: first.requestState }));
  expect(Object.values(again.inputRequests ?? {})).toEqual(Object.values(first.inputRequests ?? {}));
  const last = { ...args, inputResponses: answersTo(again), requestState: again.requestState };
  expect(textOf(await host.exchange('tools/call', last))).toBe(`accept host: ${SERVER}: x`);
  for (const params of [last, { ...args, ...answers }])
    expect((await host.exchange('tools/call', params)).error?.code).toBe(INVALID_PARAMS);
  expect(machine.records('call')).toHaveLength(1);
  await endHosts(host, stranger);
});

test('a server that dies with a question open ends the call, and is not called again', async ({ machine }) => {
  await addServer(machine, LEGACY);
  const modern = await connected(machine, { label: 'modern', revision: MODERN });
  const legacy = await connected(machine, { label: 'legacy', revision: LEGACY, answer: never });
  const args = { name: `${SERVER}__elicit`, arguments: { marker: 'modern' } };
  const first = inputOf(await modern.exchange('tools/call', args));
  const open = legacy.call(`${SERVER}__elicit`, { marker: 'legacy' });
  await until('the question', () => legacy.questions.length === 1);
  for (const pid of new Set(machine.records('call').map((record) => record.pid))) process.kill(pid, 'SIGKILL');

  expect((await open).error?.code).toBe(-32_603);
  await until('its withdrawal', () => legacy.received('notifications/cancelled').length === 1);
  const retry = { ...args, inputResponses: answersTo(first), requestState: first.requestState };
  const { error } = await modern.exchange('tools/call', retry);
  expect([INVALID_PARAMS, -32_603]).toContain(error?.code);
  expect(machine.records('call')).toHaveLength(2);
  await endHosts(modern, legacy);
});

test('after a restart of the daemon a modern host learns that the outcome is unknown, which is not that it forged something', async ({
  machine,
}) => {
  await addServer(machine, LEGACY);
  const host = await connected(machine, { label: 'host', revision: MODERN });
  const args = { name: `${SERVER}__elicit`, arguments: { marker: 'x' } };
  const first = inputOf(await host.exchange('tools/call', args));
  await machine.killDaemon();
  const answers = { ...args, inputResponses: answersTo(first) };
  const expired = await host.exchange('tools/call', { ...answers, requestState: first.requestState });
  const forged = await host.exchange('tools/call', { ...answers, requestState: `${String(first.requestState)}0` });
  expect([expired.error?.code, forged.error?.code]).toEqual([INVALID_PARAMS, INVALID_PARAMS]);
  expect(expired.error?.message).toMatch(/unknown/);
  expect(forged.error?.message).not.toBe(expired.error?.message);
  expect(machine.records('call')).toHaveLength(1);
  await endHosts(host);
});

test('a server may ask only what the host of the call has declared', async ({ machine }) => {
  await addServer(machine, LEGACY, SERVER, ['--lists', 'always']);
  for (const revision of [LEGACY, MODERN]) {
    const mute = await connected(machine, { label: 'mute', revision, capabilities: {} });
    const able = await connected(machine, { label: 'able', revision, capabilities: { sampling: {} } });
    const refused = await mute.call(`${SERVER}__sample`, { marker: 'x' });
    expect(refused.error !== undefined || refused.result?.isError, JSON.stringify(refused)).toBe(true);
    expect(textOf(await able.call(`${SERVER}__sample`, { marker: 'y' }))).toBe('able: y');
    const more = await able.call(`${SERVER}__elicit`, { marker: 'z' });
    expect(more.error !== undefined || more.result?.isError, JSON.stringify(more)).toBe(true);
    expect([mute.questions.length, able.questions.length]).toEqual([0, 1]);
    await endHosts(mute, able);
  }
});

// — internal —

type Asked = Pick<HostDescription, 'label' | 'revision' | 'capabilities' | 'answer'> & { transport?: 'stdio' | 'http' };

async function connected(machine: Machine, { transport = 'stdio', ...description }: Asked): Promise<RevisionHost> {
  const { env, userHome: cwd } = machine.home;
  const wire =
    transport === 'stdio'
      ? stdioWire(machine.stdio, { env, cwd, onPid: (pid) => machine.home.track(pid) })
      : httpWire(description.revision, await machine.httpPlace('/mcp'));
  return RevisionHost.connect({ ...description, wire });
}

function addServer(machine: Machine, revision: Revision, name = SERVER, args: string[] = []): Promise<void> {
  return machine.add(name, 'any-revision', ['--revision', revision, '--name', name, ...args]);
}

async function endHosts(...hosts: RevisionHost[]): Promise<void> {
  await Promise.all(hosts.map((host) => host.close()));
  expect(hosts.flatMap(({ faults }) => faults)).toEqual([]);
}

/** The first round of a call that needs input. */
function inputOf(answer: Message): Result {
  expect(answer.result?.resultType, JSON.stringify(answer)).toBe('input_required');
  return answer.result ?? {};
}

function answersTo({ inputRequests = {} }: Result): Record<string, unknown> {
  const answers = Object.entries(inputRequests).map(([key, { method, params = {} }]) => [
    key,
    answerOf('host', { method, params }),
  ]);
  return Object.fromEntries(answers) as Record<string, unknown>;
}

const asked = ({ params }: Question) => JSON.stringify(params['message'] ?? params['messages']);
const never = () => new Promise<Record<string, unknown>>(() => undefined);
