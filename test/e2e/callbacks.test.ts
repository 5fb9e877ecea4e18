import { expect } from 'vitest';
import { type Machine, test } from '../harness/machine.ts';
import { type Message, textOf } from '../harness/message.ts';
import { CELLS, type Feature } from '../harness/revisions/cells.ts';
import type { RevisionHost } from '../harness/revisions/revision-host.ts';
import { connectPlace, installServer, labelOf, recordedBy, violationsIn } from '../harness/revisions/setting.ts';
import type { Place } from '../harness/revisions/table.ts';
import { MODERN, type Revision } from '../harness/revisions/wire.ts';

const SERVER = 'asking';
const LEGACY: Revision = '2025-11-25';
/** What was promised, of hosts and servers that are processes; and enough to see that HTTP is no different. */
const PROMISED = 1000;
const SOME = 200;
const IN_FLIGHT = 4;
const stdio = (revision: Revision): Place => ({ revision, transport: 'stdio' });
const http = (revision: Revision): Place => ({ revision, transport: 'http' });
/** A call that a server could not put to anybody for certain ends in this. */
const REFUSED = /isError|-32603|nobody|belong/;

// Each of the two hosts makes half of the calls, elicitation and sampling in turn.
test.for<[number, string, Place, string[], [Place, Place]]>([
  [PROMISED, 'a server that lists by capability', stdio(LEGACY), [], [stdio(LEGACY), stdio(LEGACY)]],
  [
    PROMISED,
    'a server whose lists do not differ, once it was seen to ask,',
    stdio(LEGACY),
    ['--lists', 'always'],
    [stdio(LEGACY), stdio(LEGACY)],
  ],
  [PROMISED, 'a stateless server that hosts of both eras share', stdio(MODERN), [], [stdio(MODERN), stdio(LEGACY)]],
  [PROMISED, 'a server with a handshake, for hosts of both eras,', stdio(LEGACY), [], [stdio(MODERN), stdio(LEGACY)]],
  [SOME, 'a stateless server, for hosts that come by HTTP,', stdio(MODERN), [], [http(MODERN), http(LEGACY)]],
  [SOME, 'a server with a handshake, for hosts that come by HTTP,', stdio(LEGACY), [], [http(MODERN), http(LEGACY)]],
  [SOME, 'a stateless server elsewhere', http(MODERN), [], [stdio(MODERN), http(LEGACY)]],
  [SOME, 'a server with a handshake elsewhere', http(LEGACY), [], [stdio(MODERN), http(LEGACY)]],
  [SOME, 'a server elsewhere that knows HTTP+SSE alone', http('2024-11-05'), [], [stdio(MODERN), http(LEGACY)]],
])(
  '%i times, and without one exception, what %s asks reaches the host whose call it is',
  async ([times, , place, flags, places], { machine }) => {
    await machine.startDaemon();
    const end = await installServer(machine, SERVER, place, flags);
    await seenToAsk(machine);
    const hosts = await Promise.all(places.map((place, number) => connectPlace(machine, place, `host${number}`)));
    const answers = await Promise.all(hosts.map((host) => callAll(host, times / hosts.length, place.revision)));

    const wrong = answers.flat().filter(({ seen, wanted }) => seen !== wanted);
    expect(wrong.slice(0, 5)).toEqual([]);
    expect(answers.flat()).toHaveLength(times);
    const executions = new Map<unknown, number>();
    for (const { marker, round } of machine.records('call'))
      if (round === 1 && marker !== undefined) executions.set(marker, (executions.get(marker) ?? 0) + 1);
    expect(answers.flat().filter(({ marker }) => executions.get(marker) !== 1)).toEqual([]);
    await endAll(machine, hosts);
    await end();
  },
);

test('before a server was seen to ask, what it asks reaches the right host or nobody', async ({ machine }) => {
  await machine.add(SERVER, 'any-revision', ['--revision', LEGACY, '--lists', 'always', '--name', SERVER]);
  const hosts = await Promise.all(['one', 'two'].map((label) => connected(machine, LEGACY, label)));
  expect(new Set(await Promise.all(hosts.map(pidOf))).size).toBe(1);
  const answers = await Promise.all(hosts.map((host) => callAll(host, 50, LEGACY)));
  for (const { seen, wanted } of answers.flat()) if (seen !== wanted) expect(seen).toMatch(REFUSED);
  for (const host of hosts) expect(host.questions.every(({ params }) => asks(params).includes(host.label))).toBe(true);
  await endAll(machine, hosts);
});

test.for([MODERN, LEGACY])(
  'hosts of both eras share one process of a server of %s, and each gets what it sends in its own form',
  async (revision, { machine }) => {
    await machine.add(SERVER, 'any-revision', ['--revision', revision, '--lists', 'always', '--name', SERVER]);
    const modern = await connected(machine, MODERN, 'modern');
    const legacy = await connected(machine, LEGACY, 'legacy');
    const features: Feature[] = [
      'tools',
      'progress',
      'logging',
      'list_changed',
      'subscribe',
      'sampling',
      'elicitation',
    ];
    for (const feature of features) {
      for (const host of [modern, legacy])
        await CELLS[feature]({
          host,
          server: SERVER,
          revision,
          label: labelOf(SERVER),
          recorded: recordedBy(machine.recordFile, SERVER),
        });
      expect(await pidOf(modern), feature).toBe(await pidOf(legacy));
    }
    await endAll(machine, [modern, legacy]);
  },
);

// — internal —

function connected(machine: Machine, revision: Revision, label: string): Promise<RevisionHost> {
  return connectPlace(machine, stdio(revision), label);
}

/** A host that comes and goes. From then on mcpd knows of the server that it asks. */
async function seenToAsk(machine: Machine): Promise<void> {
  const scout = await connected(machine, LEGACY, 'scout');
  expect(textOf(await scout.call(`${SERVER}__sample`, { marker: 'scouting' }))).toBe('scout: scouting');
  await scout.close();
}

interface Answered {
  marker: string;
  seen: string;
  wanted: string;
}

/** Elicitation and sampling in turn, some at a time; the answers of the host carry its label. */
async function callAll(host: RevisionHost, count: number, revision: Revision): Promise<Answered[]> {
  const answered: Answered[] = [];
  let next = 0;
  const lane = async () => {
    for (let number = next++; number < count; number = next++) {
      const marker = `${host.label} ${number}`;
      const elicits = revision >= '2025-06-18' && number % 2 === 0;
      const answer = await host.call(`${SERVER}__${elicits ? 'elicit' : 'sample'}`, { marker });
      const wanted = elicits ? `accept ${host.label}: ${SERVER}: ${marker}` : `${host.label}: ${marker}`;
      answered.push({ marker, seen: shown(answer), wanted });
    }
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, lane));
  return answered;
}

function shown(answer: Message): string {
  if (answer.error !== undefined) return `${answer.error.code} ${answer.error.message}`;
  return `${answer.result?.isError ? 'isError ' : ''}${textOf(answer)}`;
}

/** What a question is about: its marker names the host whose call it was. */
function asks(params: Record<string, unknown>): string {
  return JSON.stringify(params['message'] ?? params['messages']);
}

async function pidOf(host: RevisionHost): Promise<string> {
  return textOf(await host.call(`${SERVER}__pid`));
}

async function endAll(machine: Machine, hosts: readonly RevisionHost[]): Promise<void> {
  await Promise.all(hosts.map((host) => host.close()));
  expect(hosts.flatMap(({ faults }) => [...new Set(faults)])).toEqual([]);
  expect(violationsIn(machine.recordFile)).toEqual([]);
}
