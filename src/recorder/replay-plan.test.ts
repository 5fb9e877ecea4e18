import { expect, test } from 'vitest';
import type { RecordedFrame } from '../api/contract/recordings.ts';
import { MODERN_REVISION, NEWEST_LEGACY } from '../protocol/revisions.ts';
import { planReplay } from './replay-plan.ts';

const IDENTITY = { name: 'mcpd', title: 'mcpd', version: '0.1.0' };
const LEGACY = { protocolVersion: NEWEST_LEGACY, identity: IDENTITY };

test('requests of hosts are asked in their order, and the business of mcpd is not', () => {
  const frames = [
    ...exchange(1, 'initialize', { protocolVersion: NEWEST_LEGACY, capabilities: { roots: {} } }),
    ...exchange(3, 'tools/list'),
    ...exchange(5, 'tools/call', { name: 'a' }),
    ...exchange(7, 'ping'),
    ...exchange(9, 'tools/call', { name: 'b' }),
  ];
  const plan = planReplay(frames, null, LEGACY);
  expect(plan.requests.map(({ request, answer }) => [request.seq, answer?.seq])).toEqual([
    [3, 4],
    [5, 6],
    [9, 10],
  ]);
  // As the server was greeted then.
  expect(JSON.parse(plan.initialize ?? '')).toMatchObject({ capabilities: { roots: {} } });
});

test('a server whose greeting was not recorded is greeted by mcpd', () => {
  const plan = planReplay(exchange(1, 'tools/call'), null, LEGACY);
  expect(JSON.parse(plan.initialize ?? '')).toMatchObject({ protocolVersion: NEWEST_LEGACY, clientInfo: IDENTITY });
});

test('a modern server is greeted by nobody', () => {
  const meta = { _meta: { 'io.modelcontextprotocol/protocolVersion': MODERN_REVISION } };
  const frames = exchange(1, 'tools/call', meta);
  expect(planReplay(frames, null, { ...LEGACY, protocolVersion: MODERN_REVISION }).initialize).toBeNull();
  expect(planReplay(frames, null, { ...LEGACY, protocolVersion: null }).initialize).toBeNull();
});

test('one request is chosen by its number', () => {
  const frames = [...exchange(1, 'tools/list'), ...exchange(3, 'tools/call')];
  expect(planReplay(frames, 3, LEGACY).requests.map(({ request }) => request.seq)).toEqual([3]);
  expect(planReplay(frames, 4, LEGACY).requests).toEqual([]);
});

test('what was not kept whole, or has no answer, cannot be asked', () => {
  const [cut, masked, open] = [exchange(1, 'tools/call'), exchange(3, 'tools/call'), exchange(5, 'tools/call')];
  const frames = [...cut, ...masked, ...open.slice(0, 1)].map((frame) => ({
    ...frame,
    cut: frame.seq === 1 ? 99 : 0,
    masked: frame.seq === 3,
  }));
  const obstacles = planReplay(frames, null, LEGACY).requests.map(({ obstacle }) => obstacle);
  expect(obstacles).toEqual([
    'the recorded request is too long and was not kept whole',
    'the recorded request had a secret in it, which was not kept',
    'it had no answer when it was recorded',
  ]);
});

test('what somebody has edited into nonsense is not asked, and answers nobody', () => {
  const [request, answer] = exchange(1, 'tools/call');
  const asked = exchange(3, 'roots/list').map((frame): RecordedFrame => {
    return { ...frame, direction: frame.direction === 'to-server' ? 'from-server' : 'to-server', text: 'nonsense' };
  });
  if (request === undefined || answer === undefined) throw new RangeError('an exchange has two frames');
  const plan = planReplay([{ ...request, text: '{' }, answer, ...asked], null, LEGACY);
  expect(plan.requests[0]?.obstacle).toBe('the recorded messages are not JSON any more');
  expect(plan.answers.size).toBe(0);
});

test('what hosts answered is kept by what they were asked', () => {
  const asked = exchange(3, 'elicitation/create').map((frame): RecordedFrame => {
    return { ...frame, direction: frame.direction === 'to-server' ? 'from-server' : 'to-server' };
  });
  const plan = planReplay([...exchange(1, 'tools/call'), ...asked], null, LEGACY);
  expect([...plan.answers]).toEqual([['elicitation/create', ['{"jsonrpc":"2.0","id":3,"result":{}}']]]);
});

/** A request to the server and its answer. */
function exchange(seq: number, method: string, params: object = {}): RecordedFrame[] {
  const common = {
    at: 0,
    instance: 'a',
    generation: 1,
    session: null,
    id: `${seq}`,
    method,
    target: null,
    tookMs: null,
    bytes: 1,
    cut: 0,
    masked: false,
  };
  return [
    {
      ...common,
      seq,
      direction: 'to-server',
      kind: 'request',
      answers: null,
      text: JSON.stringify({ jsonrpc: '2.0', id: seq, method, params }),
    },
    {
      ...common,
      seq: seq + 1,
      direction: 'from-server',
      kind: 'result',
      answers: seq,
      text: JSON.stringify({ jsonrpc: '2.0', id: seq, result: {} }),
    },
  ];
}
