import { expect, test } from 'vitest';
import { frameOf } from '../../test/simulated/messages.ts';
import { type Edit, splice } from './bytes.ts';
import type { Bytes, Frame } from './frame.ts';
import { completeForModern, errorCodeOf, plainForLegacy, resultFor } from './results.ts';

/** A frame with this result, in chunks of so many bytes. */
function answer(result: string, chunkBytes = Number.MAX_SAFE_INTEGER): Frame {
  const frame = frameOf(`{"jsonrpc":"2.0","id":1,"result":${result}}`);
  const whole = Buffer.concat(frame.bytes as Buffer[]);
  const bytes: Uint8Array[] = [];
  for (let at = 0; at < whole.length; at += chunkBytes) bytes.push(whole.subarray(at, at + chunkBytes));
  return { ...frame, bytes };
}

function spanOf({ envelope }: Frame) {
  if (envelope.kind !== 'result') throw new RangeError('no result');
  return envelope.result;
}

function edited(frame: Frame, edits: readonly Edit[]): string {
  const out: Bytes = splice(frame.bytes, frame.length, edits, 1 << 26);
  return /"result":(.*)\}\n$/s.exec(Buffer.concat(out as Buffer[]).toString('utf8'))?.[1] ?? '';
}

function modern(result: string, method = 'tools/call', chunkBytes?: number): string {
  const frame = answer(result, chunkBytes);
  const edit = completeForModern(frame, spanOf(frame), method);
  return edited(frame, edit === null ? [] : [edit]);
}

function legacy(result: string, chunkBytes?: number) {
  const frame = answer(result, chunkBytes);
  const plain = plainForLegacy(frame, spanOf(frame));
  return Array.isArray(plain) ? edited(frame, plain) : plain;
}

test.each([
  ['{}', '{"resultType":"complete"}'],
  ['{ }', '{"resultType":"complete" }'],
  ['{"a":1}', '{"resultType":"complete","a":1}'],
  ['{\t "a":1}', '{"resultType":"complete",\t "a":1}'],
  ['{"resultType":"x","a":1}', '{"resultType":"x","a":1}'],
  ['{"a":{"resultType":"x"}}', '{"resultType":"complete","a":{"resultType":"x"}}'],
  ['[]', '[]'],
  ['null', 'null'],
])('a legacy result %s is for a modern host %s', (result, expected) => {
  expect(modern(result)).toBe(expected);
});

test('what was read is not to be kept by a modern host, unless its server said so', () => {
  expect(modern('{"contents":[]}', 'resources/read')).toBe(
    '{"resultType":"complete","ttlMs":0,"cacheScope":"private","contents":[]}',
  );
  expect(modern('{"ttlMs":5}', 'resources/read')).toBe('{"resultType":"complete","ttlMs":5}');
});

const big = `"text":"${'x'.repeat(100_000)}"`;

test('a big result is completed without a walk through it, unless it may have the member already, wherever it is cut', () => {
  for (const chunkBytes of [3, 1000, 65_536, Number.MAX_SAFE_INTEGER]) {
    expect(modern(`{${big}}`, 'tools/call', chunkBytes)).toBe(`{"resultType":"complete",${big}}`);
    const has = `{${big},"resultType":"own"}`;
    expect(modern(has, 'tools/call', chunkBytes)).toBe(has);
    const inside = `{${big},"b":{"resultType":"own"}}`;
    expect(modern(inside, 'tools/call', chunkBytes)).toBe(`{"resultType":"complete",${big},"b":{"resultType":"own"}}`);
    expect(modern(`{${' '.repeat(100_000)}}`, 'x', chunkBytes)).toBe(`{"resultType":"complete"${' '.repeat(100_000)}}`);
  }
});

test.each([
  ['{"resultType":"complete"}', '{}'],
  ['{"resultType":"complete","a":1}', '{"a":1}'],
  ['{"a":1,"resultType":"complete"}', '{"a":1}'],
  ['{"ttlMs":1,"a":1, "cacheScope":"public","resultType":"complete"}', '{"a":1}'],
  ['{"a":1,"ttlMs":1,"b":2}', '{"a":1,"b":2}'],
  ['{"a":{"ttlMs":1},"ttlMs":1}', '{"a":{"ttlMs":1}}'],
  ['{"a":1.0}', '{"a":1.0}'],
  ['[]', '[]'],
])('a modern result %s is for a legacy host %s', (result, expected) => {
  expect(legacy(result)).toBe(expected);
});

test.each([
  ['{"structuredContent":[1.0],"resultType":"complete"}', '{"content":[{"type":"text","text":"[1.0]"}]}'],
  ['{"isError":false,"structuredContent":"x"}', '{"content":[{"type":"text","text":"\\"x\\""}],"isError":false}'],
  ['{"content":[],"structuredContent":7,"ttlMs":1}', '{"content":[{"type":"text","text":"7"}]}'],
  ['{"content":[{"type":"text","text":"7"}],"structuredContent":7}', '{"content":[{"type":"text","text":"7"}]}'],
  ['{"content":[],"structuredContent":{"a":1.0}}', '{"content":[],"structuredContent":{"a":1.0}}'],
])('structured content of a modern result %s is for a legacy host %s', (result, expected) => {
  expect(legacy(result)).toBe(expected);
});

test('a result that is not complete is for no legacy host, also when it is big', () => {
  expect(legacy('{"resultType":"input_required"}')).toEqual({ resultType: 'input_required' });
  expect(legacy('{"resultType":"\\u0074ask"}')).toEqual({ resultType: 'task' });
  for (const chunkBytes of [5, 70_000])
    expect(legacy(`{${big},"resultType":"input_required"}`, chunkBytes)).toEqual({ resultType: 'input_required' });
  expect(legacy(`{${big},"ttlMs":1}`)).toBe(`{${big},"ttlMs":1}`);
  expect(legacy(`{${big},"say":"input_required","ttlMs":1}`)).toBe(`{${big},"say":"input_required"}`);
});

test('a result of mcpd itself is written for the era', () => {
  expect(resultFor('legacy', '{"a":1}')).toBe('{"a":1}');
  expect(resultFor('modern', '{"a":1}')).toBe('{"resultType":"complete","a":1}');
  expect(resultFor('modern', '{}')).toBe('{"resultType":"complete"}');
});

test.each([
  ['{"code":-32601}', -32_601],
  ['{"code":1e2}', 100],
  ['{"code":"7"}', null],
  ['{"code":1.5}', null],
  ['{"code":1e400}', null],
  ['{}', null],
])('the code of %s is %j', (error, code) => {
  const bytes = Buffer.from(error);
  expect(errorCodeOf(bytes, { start: 0, end: bytes.length })).toBe(code);
});
