import { expect, test } from 'vitest';
import { frameOf } from '../../test/simulated/messages.ts';
import type { Frame } from './frame.ts';
import {
  edited,
  inputLabels,
  inputRequiredResult,
  labelEdit,
  readInputRequired,
  retryMembers,
  withoutInput,
} from './input.ts';
import { viewOf } from './request-view.ts';

function resultOf(result: string) {
  const frame = frameOf(`{"jsonrpc":"2.0","id":1,"result":${result}}`);
  if (frame.envelope.kind !== 'result') throw new RangeError('no result');
  return { frame, span: frame.envelope.result };
}

function read(result: string, bytesMax = 1000) {
  const { frame, span } = resultOf(result);
  return readInputRequired(frame, span, bytesMax);
}

/** The same line, as it comes in two pieces. */
function inTwo(frame: Frame, at: number): Frame {
  const whole = Buffer.concat(frame.bytes);
  return { ...frame, bytes: [whole.subarray(0, at), whole.subarray(at)] };
}

test('what a result asks for is read as the server wrote it', () => {
  expect(
    read(
      '{"inputRequests":{"a\\"b":{"params":{"n":12345678901234567890},"method":"roots\\/list"},"c":{"method":"x"}},"resultType":"input_required","requestState":"s\\u0061"}',
    ),
  ).toEqual({
    requests: [
      { key: 'a"b', method: 'roots/list', params: '{"n":12345678901234567890}' },
      { key: 'c', method: 'x', params: '{}' },
    ],
    requestState: '"s\\u0061"',
  });
});

test.each([
  ['{"content":[]}'],
  ['{"resultType":"complete","text":"input_required"}'],
  ['{"resultType":"complete","structuredContent":{"resultType":"input_required"}}'],
  ['{"resultType":7,"x":"input_required"}'],
])('%s asks for nothing', (result) => {
  expect(read(result)).toBeNull();
});

test('a result above the bound asks for nothing', () => {
  const result = '{"resultType":"input_required","requestState":"x"}';
  expect(read(result)).toEqual({ requests: [], requestState: '"x"' });
  expect(read(result, 50)).toBeNull();
});

test.each([
  ['{"resultType":"input_required"}', 'neither inputRequests nor requestState is there'],
  ['{"resultType":"input_required","inputRequests":{"a":{}}}', 'inputRequests["a"] has no method'],
  ['{"resultType":"input_required","inputRequests":{"a":{"method":1}}}', 'inputRequests["a"] has no method'],
  [
    '{"resultType":"input_required","inputRequests":{"a":{"method":"x"},"\\u0061":{"method":"x"}}}',
    'inputRequests["a"] is there twice',
  ],
])('%s: %s', (result, why) => {
  expect(read(result)).toBe(why);
});

test('a wish for input is written with each key and the state as JSON', () => {
  const requests = [
    { key: 'q1', method: 'roots/list', params: '{"n":12345678901234567890}' },
    { key: 'a"b', method: 'elicitation/create', params: '{}' },
  ];
  expect(inputRequiredResult(requests, 's"')).toBe(
    '{"resultType":"input_required","inputRequests":{"q1":{"method":"roots/list","params":{"n":12345678901234567890}},"a\\"b":{"method":"elicitation/create","params":{}}},"requestState":"s\\""}',
  );
});

test.each([
  [
    { 'a"b': '{"n":1.0}', c: 'null' },
    '"s\\u0061"',
    '"inputResponses":{"a\\"b":{"n":1.0},"c":null},"requestState":"s\\u0061"',
  ],
  [{}, '"s"', '"requestState":"s"'],
  [{ a: '{}' }, null, '"inputResponses":{"a":{}}'],
  [{}, null, ''],
])('a retry with %j and the state %s has %s', (responses, state, json) => {
  expect(retryMembers(new Map(Object.entries(responses)), state)).toBe(json);
});

test('the message of an elicitation says who asks; nothing else is touched', () => {
  const said = (params: string, method = 'elicitation/create', label: string | null = 'fake') => {
    const bytes = Buffer.from(params);
    const whole = { start: 0, end: bytes.length };
    return edited(bytes, whole, labelEdit(bytes, whole, method, label));
  };
  expect(said('{"n":1.0,"message":"W\\u0068o\\n?","requestedSchema":{"message":"x"}}')).toBe(
    '{"n":1.0,"message":"fake: Who\\n?","requestedSchema":{"message":"x"}}',
  );
  for (const params of ['{"message":7}', '{}', '[]', '"message"']) expect(said(params), params).toBe(params);
  expect(said('{"message":"m"}', 'sampling/createMessage')).toBe('{"message":"m"}');
  expect(said('{"message":"m"}', 'elicitation/create', null)).toBe('{"message":"m"}');
});

test('the same in a result, wherever its bytes are cut', () => {
  const { frame, span } = resultOf(
    '{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"message":"A"}},"b":{"method":"roots/list"},"c":{"method":"elicitation/create","params":{"message":"C"}}}}',
  );
  const whole = inputLabels(frame, span, 'fake');
  expect(whole.map((edit) => edit.with)).toEqual(['"fake: A"', '"fake: C"']);
  for (const at of [1, 40, 100, frame.length - 1]) expect(inputLabels(inTwo(frame, at), span, 'fake')).toEqual(whole);
});

test('a result that asks for nothing, and one that is too long for a form, are left as they are', () => {
  const long = `{"resultType":"input_required","inputRequests":{"a":{"method":"elicitation/create","params":{"message":"${'x'.repeat(70_000)}"}}}}`;
  for (const result of [long, '{"content":[{"type":"text","text":"x"}]}']) {
    const { frame, span } = resultOf(result);
    expect(inputLabels(frame, span, 'fake')).toEqual([]);
  }
});

test.each([
  ['{"name":"a","inputResponses":{"q":{}},"requestState":"s"}', '{"name":"a"}'],
  ['{"requestState":"s","name":"a","inputResponses":{}}', '{"name":"a"}'],
  ['{"inputResponses":{},"arguments":{"requestState":1},"_meta":{}}', '{"arguments":{"requestState":1},"_meta":{}}'],
  ['{"requestState":"s"}', '{}'],
  ['{"name":"a"}', '{"name":"a"}'],
])('a legacy server gets %s as %s', (params, left) => {
  const frame = frameOf(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`);
  const { envelope } = frame;
  if (envelope.kind !== 'request' || envelope.params === null) throw new RangeError('no request');
  const view = viewOf(frame, envelope);
  expect(edited(view.bytes, envelope.params, withoutInput(view))).toBe(left);
});
