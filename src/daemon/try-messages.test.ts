import { expect, test } from 'vitest';
import { TRY_ERROR_DATA_CHARS_MAX, TRY_RESULT_BYTES_MAX } from '../operation-limits.ts';
import { completionOf, noticeOf, openingOf, outcomeOf } from './try-messages.ts';

const line = (text: string) => [Buffer.from(`${text}\n`)];
const message = (value: object) => line(JSON.stringify({ jsonrpc: '2.0', ...value }));
const resultOf = (json: string) => {
  const outcome = outcomeOf(line(`{"jsonrpc":"2.0","id":3,"result":${json}}`));
  if (outcome.kind !== 'result') throw new Error('a result was expected');
  return outcome.shown;
};

test('a result is shown as it came, big numbers and all, with what could mislead the eye written as an escape', () => {
  const { result, isCut } = resultOf('{"n":9007199254740993,"text":"a\u202eb\u0085"}');
  expect(result).toBe('{"n":9007199254740993,"text":"a\\u202eb\\u0085"}');
  expect(JSON.parse(result).text).toBe('a\u202eb\u0085');
  expect(isCut).toBe(false);
});

test('a result that is too long is cut between two characters', () => {
  for (const lead of ['', 'a', 'aa', 'aaa']) {
    const { result, isCut, bytes } = resultOf(JSON.stringify(lead + '天'.repeat(TRY_RESULT_BYTES_MAX / 3)));
    expect(isCut).toBe(true);
    expect(bytes).toBeGreaterThan(TRY_RESULT_BYTES_MAX);
    expect(result).not.toContain('\ufffd');
    expect(result.endsWith('天')).toBe(true);
  }
});

test.each([
  ['{"jsonrpc":"2.0","id":3,"result":', '}'],
  ['{"result":', ',"jsonrpc":"2.0","id":3}'],
  [' { "id" : 3 , "result" : ', ' , "jsonrpc" : "2.0" } '],
  ['{"extra":{"result":1},"jsonrpc":"2.0","id":3,"result":', ',"more":"}"}'],
])('a large result is found and measured wherever it stands in its answer: %s…%s', (before, after) => {
  const rows = Array.from({ length: 50_000 }, (_, id) => ({ text: ',"id":3}', jsonrpc: '2.0', id }));
  for (const isError of [true, false]) {
    const json = JSON.stringify({ rows, isError, id: 3 });
    const outcome = outcomeOf(line(before + json + after));
    expect(outcome).toMatchObject({ shown: { isCut: true, bytes: json.length, isError } });
    expect(outcome).toMatchObject({ shown: { result: json.slice(0, TRY_RESULT_BYTES_MAX) } });
  }
});

test('an error that is too long is told, not shown', () => {
  const error = JSON.stringify({ code: 1, message: 'm'.repeat(1_000_000) });
  expect(outcomeOf(line(`{"jsonrpc":"2.0","id":3,"error":${error}}`))).toMatchObject({
    rpc: { message: 'its error is too long to be shown' },
  });
});

test.each([
  ['{"isError":true,"content":[]}', true],
  ['{"content":[],"isError":true}', true],
  ['{"isError":false}', false],
  ['{"content":[{"isError":true}]}', false],
  ['{}', false],
  ['5', false],
])('of the result %s the tool itself says whether it failed: %s', (json, isError) => {
  expect(resultOf(json).isError).toBe(isError);
});

test.each([
  ['{"code":-5,"message":"no","data":{"n":1.0}}', { code: -5, message: 'no', data: '{"n":1.0}' }],
  ['{"code":"5","message":7}', { code: 0, message: '', data: null }],
  ['null', { code: 0, message: '', data: null }],
  [
    JSON.stringify({ code: 1, message: 'm', data: 'x'.repeat(TRY_ERROR_DATA_CHARS_MAX) }),
    { code: 1, message: 'm', data: null },
  ],
])('whatever a server sends as an error is shown', (json, rpc) => {
  expect(outcomeOf(line(`{"jsonrpc":"2.0","id":3,"error":${json}}`))).toMatchObject({ kind: 'error', rpc });
});

test('steps of progress and logs are shown, whatever is missing of them', () => {
  const progress = (params: unknown) => noticeOf(message({ method: 'notifications/progress', params }));
  expect(progress({ progress: 1, total: 3, message: 'one' })).toEqual({
    type: 'progress',
    progress: 1,
    total: 3,
    message: 'one',
  });
  expect(progress({ progress: 0.5 })).toEqual({ type: 'progress', progress: 0.5, total: null, message: null });
  for (const odd of [{}, null, [], 5]) expect(progress(odd)).toEqual({ type: 'other' });
  const log = (params: unknown) => noticeOf(message({ method: 'notifications/message', params }));
  expect(log({ level: 'error', logger: 'db', data: { a: 'b' } })).toEqual({
    type: 'log',
    level: 'error',
    logger: 'db',
    data: '{"a":"b"}',
  });
  for (const odd of [{}, null, [], 5])
    expect(log(odd)).toEqual({ type: 'log', level: 'info', logger: null, data: 'null' });
});

test('arguments that are nested too deeply are never sent', () => {
  const deep: unknown = JSON.parse('['.repeat(2000) + ']'.repeat(2000));
  expect(openingOf({ kind: 'tool', name: 'x', arguments: { deep } })).toBeNull();
  expect(openingOf({ kind: 'tool', name: 'x', arguments: { deep: [[1]] } })).toHaveLength(4);
});

test('a completion asks nobody, so that a server needs no process of its own for it', () => {
  const of = { kind: 'template', uriTemplate: 'x://{id}' } as const;
  const said = (openingOf({ kind: 'completion', of, argument: 'id', value: '1', known: { a: 'b' } }) ?? []).map(
    (frame) => JSON.parse(Buffer.concat(frame.bytes).toString()),
  );
  expect(said[0].params.capabilities).toEqual({});
  expect(said.at(-1)).toMatchObject({
    method: 'completion/complete',
    params: {
      ref: { type: 'ref/resource', uri: 'x://{id}' },
      argument: { name: 'id', value: '1' },
      context: { arguments: { a: 'b' } },
    },
  });
});

test('of completions those are offered that look like what they are', () => {
  const many = Array.from({ length: 150 }, (_, at) => `v${at}`);
  expect(completionOf(JSON.stringify({ completion: { values: ['a', 'b\u200b', 7, 'c'], total: 9 } }))).toEqual({
    values: ['a', 'c'],
    hasMore: true,
  });
  expect(completionOf(JSON.stringify({ completion: { values: many } })).values).toHaveLength(100);
  for (const odd of ['{}', 'null', '{"completion":{"values":"x"}}'])
    expect(completionOf(odd)).toEqual({ values: [], hasMore: false });
});
