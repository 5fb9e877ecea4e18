import { expect, test } from 'vitest';
import { judgeServer, judgeTrial, type Seen, type SeenLists } from './checkup.ts';

const NONE = { entries: [], fault: null };
const tool = (name: string, more: object = {}) =>
  JSON.stringify({ name, description: 'does it', inputSchema: { type: 'object' }, ...more });

function listing(...tools: string[]): SeenLists['lists'] {
  return { tools: { entries: tools, fault: null }, prompts: NONE, resources: NONE, templates: NONE };
}

const SOUND: Seen = {
  eras: ['legacy'],
  refusal: null,
  probe: { kind: 'error', code: -32601 },
  ping: { kind: 'result' },
  unknown: { kind: 'error', code: -32601 },
  cancel: { kind: 'result' },
  lists: listing(tool('read_file')),
  noise: 0,
  stderrBytes: 100,
  eof: { kind: 'by-itself' },
  signal: { kind: 'by-itself' },
};

const faultsOf = (seen: Partial<Seen>) =>
  judgeServer({ ...SOUND, ...seen }).checks.flatMap(({ id, outcome, reason }) =>
    outcome === 'passed' ? [] : [`${id} ${outcome}: ${reason}`],
  );

test('a server that does all that is asked of it has 100 points', () => {
  expect(judgeServer(SOUND).score).toBe(100);
  expect(faultsOf({})).toEqual([]);
});

test('each fault costs the points of its check, with its reason and what to do', () => {
  const { score, checks } = judgeServer({ ...SOUND, noise: 3 });
  expect(score).toBe(92);
  expect(checks.find(({ id }) => id === 'stdout')).toMatchObject({
    outcome: 'failed',
    points: 0,
    of: 8,
    reason: '3 lines were no message',
    fix: expect.stringContaining('stderr'),
  });
});

test.each<[string, Partial<Seen>, string]>([
  [
    'one that dies at the probe',
    { probe: { kind: 'gone', cause: 'exit code 1' } },
    'probe failed: it ended at server/discover: exit code 1',
  ],
  [
    'one that leaves the probe unanswered',
    { probe: { kind: 'silence' } },
    'probe partly: it leaves server/discover without an answer',
  ],
  ['one without ping', { ping: { kind: 'error', code: -32601 } }, 'ping failed: its answer to ping is error -32601'],
  [
    'one that invents answers',
    { unknown: { kind: 'result' } },
    'unknown-method failed: it has a result for a method that does not exist',
  ],
  [
    'another code for it',
    { unknown: { kind: 'error', code: -32603 } },
    'unknown-method partly: its error is -32603, not -32601',
  ],
  [
    'one that dies of a cancellation',
    { cancel: { kind: 'gone', cause: 'exit code 1' } },
    'cancel failed: it ended at a ping after notifications/cancelled: exit code 1',
  ],
  [
    'one that floods stderr',
    { stderrBytes: 1024 * 1024 },
    'stderr failed: it wrote 1024 KiB while nothing was asked of it',
  ],
  [
    'one that stays',
    { eof: { kind: 'had-to-be-killed', cause: 'SIGTERM' } },
    'eof failed: it outlives its host by its own will (SIGTERM)',
  ],
  [
    'one that ignores signals',
    { signal: { kind: 'had-to-be-killed', cause: 'late' } },
    'signal failed: SIGTERM did not end it (late)',
  ],
])('%s is told so', (_, seen, fault) => {
  expect(faultsOf(seen)).toEqual([fault]);
});

test.each<[string, string, string]>([
  ['a name with a dot', tool('a.b'), 'names failed: a.b has characters other than A-Z, a-z, 0-9, _ and -'],
  ['a long name', tool('x'.repeat(65)), `names failed: ${'x'.repeat(60)}… has 65 characters`],
  ['no description', tool('a', { description: ' ' }), 'descriptions failed: a has no description'],
  [
    'a schema that combines',
    tool('a', { inputSchema: { type: 'object', anyOf: [] } }),
    'schemas failed: a: its inputSchema has anyOf at the top, which strict hosts refuse',
  ],
  [
    'an array of nothing',
    tool('a', { inputSchema: { type: 'object', properties: { b: { type: 'array' } } } }),
    'schemas failed: a: the array at /properties/b has no "items", which strict hosts refuse',
  ],
  [
    'a schema elsewhere',
    tool('a', { inputSchema: { type: 'object', properties: { b: { $ref: 'https://x.example/s' } } } }),
    'schemas failed: a: its inputSchema refers to another document at /properties/b, which no host fetches',
  ],
])('a tool with %s is told by its name', (_, entry, fault) => {
  expect(faultsOf({ lists: listing(entry) })).toEqual([fault]);
});

test('what could not be looked at costs nothing: of a server that is silent the handshake alone is judged, and its lists are not', () => {
  const { score, checks } = judgeServer({
    ...SOUND,
    ...{
      eras: [],
      refusal: 'it did not answer',
      probe: { kind: 'silence' },
      ping: null,
      unknown: null,
      cancel: null,
      lists: listing(),
    },
  });
  expect(score).toBeLessThan(50);
  expect(checks.filter(({ outcome }) => outcome === 'skipped').map(({ id }) => id)).toEqual(
    expect.arrayContaining(['ping', 'stdout', 'lists', 'schemas']),
  );
});

test('many reasons of one kind are counted, not listed', () => {
  const tools = ['a', 'b', 'c', 'd', 'e'].map((name) => tool(`${name}.x`));
  expect(faultsOf({ lists: listing(...tools) }).join()).toMatch(/a\.x .*; b\.x .*; c\.x .*; and 2 more$/);
});

test('an install tells what its one start could see: the lists, and what was repaired in them', () => {
  const { score, checks } = judgeTrial({
    fingerprint: '',
    ...{ era: 'legacy', protocolVersion: '2025-11-25', serverInfo: '{}', capabilities: '{}', instructions: null },
    lists: [{ kind: 'tools', entries: [tool('a.b')], findings: ['c: dropped, no schema'] }],
    ...{ variants: [], callsBack: false },
  });
  expect(score).toBeLessThan(50);
  expect(checks.map(({ id }) => id)).toEqual(['lists', 'names', 'schemas', 'descriptions', 'amount']);
  expect(checks[0]).toMatchObject({ outcome: 'failed', reason: 'c: dropped, no schema' });
});
