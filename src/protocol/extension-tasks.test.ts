import { expect, test } from 'vitest';
import { frameOf, textOf } from '../../test/simulated/messages.ts';
import { demandsTasks, handedTask, messageOf, readTaskState, withTasks } from './extension-tasks.ts';

const TASKS = 'io.modelcontextprotocol/tasks';
const bytesOf = (json: string) => ({ bytes: Buffer.from(json), span: { start: 0, end: Buffer.byteLength(json) } });

test.each([
  ['{}', `{"extensions":{"${TASKS}":{}}}`],
  ['5', `{"extensions":{"${TASKS}":{}}}`],
  ['{"roots":{},"extensions":{"x":{"a":1}}}', `{"roots":{},"extensions":{"x":{"a":1},"${TASKS}":{}}}`],
])('to the capabilities %s the extension is added', (raw, wanted) => {
  expect(withTasks(raw)).toBe(wanted);
});

test.each([
  [`{"code":-32021,"message":"m","data":{"requiredCapabilities":{"extensions":{"${TASKS}":{}}}}}`, true],
  [`{"code":-32603,"message":"m","data":{"requiredCapabilities":{"extensions":{"${TASKS}":{}}}}}`, false],
  ['{"code":-32021,"message":"m","data":{"requiredCapabilities":{"extensions":{"other":{}}}}}', false],
  ['{"code":-32021,"message":"m","data":{"requiredCapabilities":{"sampling":{}}}}', false],
  ['{"code":-32021,"message":"m"}', false],
])('the error %s demands the extension: %s', (json, wanted) => {
  const { bytes, span } = bytesOf(json);
  expect(demandsTasks(bytes, span)).toBe(wanted);
});

test('a task in the place of a result is told from every other result', () => {
  const read = (json: string) => handedTask(bytesOf(json).bytes, bytesOf(json).span);
  expect(read('{"resultType":"task","taskId":"t","status":"working"}')).toMatchObject({ raw: 't', status: 'working' });
  expect(read('{"resultType":"task","status":"working"}')).toBe('a task without an id');
  expect(read('{"resultType":"complete","task":{"taskId":"t"}}')).toBeNull();
  expect(read('{"content":[]}')).toBeNull();
});

/** What is read of the result of `tasks/get`, the frame as text. */
function stateOf(more: string, status: string) {
  const frame = frameOf(`{"jsonrpc":"2.0","id":7,"result":{"taskId":"t","status":"${status}"${more}}}`);
  if (frame.envelope.kind !== 'result') throw new RangeError('no result');
  const state = readTaskState(frame, Buffer.concat(frame.bytes), frame.envelope.result);
  return typeof state !== 'string' && state.kind === 'ended' ? textOf(state.frame.bytes) : state;
}

test.each([
  [' {"content":[] ,"n":1e400}', '{"jsonrpc":"2.0","id":0,"result":{"resultType":"complete","content":[] ,"n":1e400}}'],
  ['{}', '{"jsonrpc":"2.0","id":0,"result":{"resultType":"complete"}}'],
  ['{"a":1,"resultType":"complete"}', '{"jsonrpc":"2.0","id":0,"result":{"a":1,"resultType":"complete"}}'],
])('the result %s of a task comes out as a plain call would have had it, byte for byte', (result, wanted) => {
  expect(stateOf(`,"result":${result}`, 'completed')).toBe(wanted);
  expect(frameOf(wanted).envelope.kind).toBe('result');
});

test('the frame of an outcome has its spans right', () => {
  const frame = frameOf(
    '{"jsonrpc":"2.0","id":7,"result":{"taskId":"t","status":"failed","error":{"code":-1,"message":"é"}}}',
  );
  if (frame.envelope.kind !== 'result') throw new RangeError('no result');
  const state = readTaskState(frame, Buffer.concat(frame.bytes), frame.envelope.result);
  if (typeof state === 'string' || state.kind !== 'ended') throw new RangeError('it has not ended');
  const again = frameOf(textOf(state.frame.bytes));
  expect({ ...state.frame, bytes: null }).toEqual({ ...again, bytes: null });
});

test.each([
  ['working', ',"pollIntervalMs":200', { kind: 'working', pollMs: 200 }],
  ['cancelled', '', { kind: 'cancelled', why: null }],
  ['cancelled', ',"statusMessage":"no more"', { kind: 'cancelled', why: 'no more' }],
  [
    'input_required',
    ',"inputRequests":{"a":{"method":"roots/list"}}',
    { kind: 'asks', pollMs: null, requests: [{ key: 'a', method: 'roots/list', params: '{}' }] },
  ],
  ['input_required', '', 'a task that needs input without inputRequests'],
  ['input_required', ',"inputRequests":{"a":{}}', 'inputRequests["a"] has no method'],
  ['completed', '', 'a completed task without its result'],
  ['completed', ',"result":5', 'a completed task without its result'],
  ['failed', '', 'a failed task without its error'],
  ['asleep', '', 'a task of the status "asleep"'],
])('a task that is %s with %s is read', (status, more, wanted) => {
  expect(stateOf(more, status)).toEqual(wanted);
});

test('an error is told by its message, or whole where it has none', () => {
  const read = (json: string) => messageOf(bytesOf(json).bytes, bytesOf(json).span);
  expect(read('{"code":1,"message":"é"}')).toBe('é');
  expect(read('{"code":1}')).toBe('{"code":1}');
});
