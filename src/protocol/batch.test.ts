import { isUtf8 } from 'node:buffer';
import { expect, test } from 'vitest';
import { textOf } from '../../test/simulated/messages.ts';
import { type Batch, openBatch, splitBatch } from './batch.ts';
import type { BatchLine, Bytes, Frame } from './frame.ts';
import { FrameReader, type Noise } from './framing.ts';

const BOUNDS = { depthMax: 64, elementsMax: 4, answersBytesMax: 2000, sampleBytesMax: 20 };

/** What a reader makes of one line that comes in chunks of so many bytes. */
function read(text: string, chunkBytes = Number.MAX_SAFE_INTEGER) {
  const seen = { batches: [] as BatchLine[], frames: [] as Frame[], noise: [] as Noise[] };
  const reader = new FrameReader({
    ...BOUNDS,
    lineBytesMax: 10_000,
    isUtf8,
    onFrame: (frame) => seen.frames.push(frame),
    onNoise: (noise) => seen.noise.push(noise),
    onBatch: (line) => seen.batches.push(line),
  });
  const bytes = Buffer.from(`${text}\n`);
  for (let at = 0; at < bytes.length; at += chunkBytes) reader.push(bytes.subarray(at, at + chunkBytes));
  return seen;
}

function lineOf(text: string, chunkBytes?: number): BatchLine {
  const [line] = read(text, chunkBytes).batches;
  if (line === undefined) throw new RangeError('no batch');
  return line;
}

function opened(text: string, chunkBytes?: number): Batch {
  const batch = openBatch(lineOf(text, chunkBytes), BOUNDS);
  if (!('frames' in batch)) throw new RangeError(textOf(batch));
  return batch;
}

/** The answer to a batch that is not taken up. */
function refused(text: string): unknown {
  const batch = openBatch(lineOf(text), BOUNDS);
  return 'frames' in batch ? null : JSON.parse(textOf(batch));
}

function split(text: string): { frames: string[]; noise: Noise[] } {
  const frames: string[] = [];
  const noise: Noise[] = [];
  splitBatch(lineOf(text), BOUNDS, {
    onFrame: ({ bytes }) => frames.push(textOf(bytes)),
    onNoise: (one) => noise.push(one),
  });
  return { frames, noise };
}

const request = (id: unknown, method = 'ping') => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"method":"${method}"}`;
const answer = (id: unknown) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":{}}`;
const bytes = (text: string): Bytes => [Buffer.from(text)];

test('an array is a batch where batches are known, whole and wherever it is cut, and noise elsewhere', () => {
  const text = ` [${request(1)} , ${request('é')}]\r`;
  for (const chunkBytes of [1, 7, 1000]) {
    const { batches, frames, noise } = read(text, chunkBytes);
    expect(batches.map((line) => [textOf(line.bytes), line.length])).toEqual([
      [text.slice(0, -1), Buffer.byteLength(text) - 1],
    ]);
    expect([frames, noise]).toEqual([[], []]);
  }
  const broken = read('[{"a":"\xff"}]'.replace('\xff', '\\x'));
  expect([broken.batches, broken.noise.map(({ reason }) => reason)]).toEqual([[], ['not-json']]);
  expect(read(`[${'"x",'.repeat(4000)}1]`).noise.map(({ reason }) => reason)).toEqual(['too-long']);
});

test('the messages of a batch keep their bytes, and are read as lines of their own would be', () => {
  for (const chunkBytes of [3, 1000]) {
    const odd = '{ "id":1.0,"method":"a\\u0062","jsonrpc":"2.0",\t"params":{"x":[1,"]"]} }';
    const { frames } = opened(`[ ${odd},${request('2')} ]`, chunkBytes);
    expect(frames.map((frame) => textOf(frame.bytes))).toEqual([odd, request('2')]);
    expect(frames.map((frame) => frame.envelope)).toMatchObject([
      { kind: 'request', id: '1.0', method: 'ab' },
      { kind: 'request', id: '"2"' },
    ]);
  }
});

test('answers leave in one array when the last of them is there, in the order in which they came, and once', () => {
  const { answers } = opened(`[${request(1)},${request(2)},${request(3)}]`);
  answers.add('2', bytes(`${answer(2)}\n`));
  answers.add('1', [Buffer.from('{"jsonrpc":"2.0",'), Buffer.from('"id":1,"result":{}}'), Buffer.from('\n')]);
  expect(answers.take()).toBeNull();
  answers.add('3', bytes(answer(3)));
  expect(textOf(answers.take() ?? [])).toBe(`[${answer(2)},${answer(1)},${answer(3)}]\n`);
  expect(answers.take()).toBeNull();
});

test('a request that was taken back is not waited for, and a batch without requests has no answer', () => {
  const { answers } = opened(`[${request(1)},${request(2)}]`);
  answers.drop();
  answers.add('2', bytes(answer(2)));
  expect(textOf(answers.take() ?? [])).toBe(`[${answer(2)}]\n`);
  const silent = opened(
    '[{"jsonrpc":"2.0","method":"notifications/initialized"},{"jsonrpc":"2.0","id":9,"result":{}}]',
  );
  expect(silent.frames).toHaveLength(2);
  expect(silent.answers.take()).toBeNull();
});

test('what is no message is refused within the array, as JSON-RPC says, and so is initialize', () => {
  const { frames, answers } = opened(`[1,${request(1)},{"id":7,"method":"x"},${request('i', 'initialize')}]`);
  expect(frames).toHaveLength(1);
  answers.add('1', bytes(answer(1)));
  expect(JSON.parse(textOf(answers.take() ?? []))).toMatchObject([
    { id: null, error: { code: -32600 } },
    { id: null, error: { code: -32600 } },
    { id: 'i', error: { code: -32600, message: 'initialize must not be in a batch' } },
    { id: 1, result: {} },
  ]);
  expect(JSON.parse(textOf(opened('[[],2]').answers.take() ?? []))).toMatchObject([{ id: null }, { id: null }]);
});

test('an empty batch and one that is too long get one error, and nothing of them is done', () => {
  expect(refused('[ ]')).toMatchObject({ id: null, error: { code: -32600 } });
  expect(refused(`[${Array.from({ length: 5 }, (_, at) => request(at)).join()}]`)).toMatchObject({
    id: null,
    error: { code: -32600, message: expect.stringContaining('4 messages') },
  });
  expect(opened(`[${Array.from({ length: 4 }, (_, at) => request(at)).join()}]`).frames).toHaveLength(4);
});

test('answers that are too long together become errors of their own; one alone may have any length', () => {
  const { answers } = opened(`[${request(1)},${request(2)}]`);
  const big = `{"jsonrpc":"2.0","id":1,"result":{"text":"${'x'.repeat(20_000)}"}}`;
  answers.add('1', bytes(big));
  answers.add('2', bytes(answer(2)));
  const [first, second] = JSON.parse(textOf(answers.take() ?? []));
  expect(first).toEqual(JSON.parse(big));
  expect(second).toMatchObject({ id: 2, error: { code: -32603, data: { reason: 'too-long' } } });
});

test("a server's batch is its messages one by one; what is none of them is noise, and costs the others nothing", () => {
  const twice = '{"jsonrpc":"2.0","id":3,"result":{},"result":{}}';
  const { frames, noise } = split(`[${answer(1)}, "log",${request(2)},${twice}]`);
  expect(frames).toEqual([answer(1), request(2)]);
  expect(noise.map(({ reason, id, asks }) => [reason, id, asks])).toEqual([
    ['not-jsonrpc', null, false],
    ['ambiguous-envelope', '3', false],
  ]);
  expect(noise[0]).toMatchObject({ bytes: 5, sample: Buffer.from('"log"') });
  expect(split('[]').noise.map(({ reason }) => reason)).toEqual(['batch']);
  expect(split('[1,2,3,4,5]')).toMatchObject({ frames: [], noise: [{ reason: 'batch', bytes: 11 }] });
});
