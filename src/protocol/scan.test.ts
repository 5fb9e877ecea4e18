import { expect, test } from 'vitest';
import { EnvelopeScanner } from './scan.ts';

const DEPTH_MAX = 16;

/** The line, whole or cut at `borders`. */
function scan(line: string | Uint8Array, borders: readonly number[] = []) {
  const bytes = Buffer.from(line);
  const scanner = new EnvelopeScanner(DEPTH_MAX);
  let from = 0;
  for (const to of [...borders, bytes.length]) {
    // A copy, so that nothing is read from a chunk that has been pushed.
    const chunk = Buffer.from(bytes.subarray(from, to));
    scanner.push(chunk, 0);
    chunk.fill(0);
    from = to;
  }
  return { found: scanner.finish(), id: scanner.id, isAscii: scanner.isAscii };
}

test('each kind of message is recognised, in any order of its members', () => {
  expect(scan('{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"a":[1]}}').found).toEqual({
    kind: 'request',
    id: '7',
    idSpan: { start: 22, end: 23 },
    method: 'tools/call',
    methodSpan: { start: 33, end: 45 },
    params: { start: 55, end: 64 },
  });
  expect(scan(' { "method" : "ping" , "jsonrpc" : "2.0" } ').found).toEqual({
    kind: 'notification',
    method: 'ping',
    methodSpan: { start: 14, end: 20 },
    params: null,
  });
  expect(scan('{"result":null,"jsonrpc":"2.0","id":"x"}').found).toEqual({
    kind: 'result',
    id: '"x"',
    idSpan: { start: 36, end: 39 },
    result: { start: 10, end: 14 },
  });
  expect(scan('{"jsonrpc":"2.0","id":-1.5e3,"error":{"code":1,"message":""}}').found).toEqual({
    kind: 'error',
    id: '-1.5e3',
    idSpan: { start: 22, end: 28 },
    error: { start: 37, end: 60 },
  });
});

test('an error may answer nothing: its id is null or missing', () => {
  expect(scan('{"jsonrpc":"2.0","id":null,"error":{}}').found).toEqual({
    kind: 'error',
    id: null,
    idSpan: { start: 22, end: 26 },
    error: { start: 35, end: 37 },
  });
  expect(scan('{"jsonrpc":"2.0","error":{}}').found).toMatchObject({ kind: 'error', id: null, idSpan: null });
});

test('an id keeps its type and each of its digits', () => {
  for (const id of [
    '0',
    '"0"',
    '-5',
    '9007199254740993',
    '123456789',
    '1234567890',
    '1.0',
    '1e0',
    '""',
    '"\\u0061"',
    '"é😀"',
  ]) {
    expect(scan(`{"jsonrpc":"2.0","id":${id},"result":{}}`).found).toMatchObject({ kind: 'result', id });
  }
});

test('methods and keys may be written with escapes', () => {
  const found = scan('{"\\u006asonrpc":"2\\u002e0","m\\u0065thod":"tools\\/\\u006cist"}').found;
  expect(found).toMatchObject({ kind: 'notification', method: 'tools/list' });
  expect(scan('{"jsonrpc":"2.0","method":"名前"}').found).toMatchObject({ method: '名前' });
});

test('a method is never confused with another one of the same length', () => {
  const names = Array.from({ length: 500 }, (_, i) => `method/${i.toString().padStart(3, '0')}x`);
  for (const name of [...names, ...names, '', 'a']) {
    expect(scan(`{"jsonrpc":"2.0","method":"${name}"}`).found).toMatchObject({ method: name });
  }
});

test.each([
  '42',
  'null',
  '"text"',
  '-0.5E+1',
  '{}',
  '{"a":1}',
  '{"jsonrpc":"2.0"}',
  '{"jsonrpc":"2.0","id":1}',
  '{"jsonrpc":"1.0","id":1,"result":{}}',
  '{"jsonrpc":2.0,"id":1,"result":{}}',
  '{"jsonrpc":12.05,"id":1,"result":{}}',
  '{"id":1,"result":{}}',
  '{"jsonrpc":"2.0","result":{}}',
  '{"jsonrpc":"2.0","id":null,"result":{}}',
  '{"jsonrpc":"2.0","id":1,"result":{},"error":{}}',
  '{"jsonrpc":"2.0","id":1,"error":"text"}',
  '{"jsonrpc":"2.0","id":true,"error":{}}',
  '{"jsonrpc":"2.0","id":1,"method":5}',
  '{"jsonrpc":"2.0","id":null,"method":"a"}',
  '{"jsonrpc":"2.0","id":[1],"method":"a"}',
  '{"jsonrpc":"2.0","id":1,"method":"a","params":null}',
  '{"jsonrpc":"2.0","id":1,"method":"a","params":"text"}',
  '{"jsonrpc":"2.0","id":1,"method":"a","result":{}}',
])('JSON that is no message of JSON-RPC 2.0: %s', (line) => {
  expect(scan(line).found).toBe('not-jsonrpc');
});

test('an array is a batch, also when it holds messages', () => {
  expect(scan('[{"jsonrpc":"2.0","method":"a"}]').found).toBe('batch');
  expect(scan('[]').found).toBe('batch');
});

test.each([
  ['"id":1,"id":1,"result":{}', null],
  ['"id":1,"ID":2,"result":{}', null],
  ['"id":1,"i\\u0064":2,"result":{}', null],
  ['"id":1,"result":{},"result":{}', '1'],
  ['"id":1,"Result":{},"result":{}', '1'],
  ['"id":1,"reſult":{},"result":{}', '1'],
  ['"PARAMS":{},"id":"a","method":"a"', '"a"'],
  ['"id":3,"jsonrpc":"2.0","method":"a"', '3'],
])('a line that two readers may take differently is refused: %s', (members, id) => {
  expect(scan(`{"jsonrpc":"2.0",${members}}`)).toMatchObject({ found: 'ambiguous-envelope', id });
});

test('keys inside of members, and long or foreign keys, are not looked at', () => {
  const inner = '{"id":1,"id":2,"ID":3,"method":[],"jsonrpc":0,"__proto__":{"result":1}}';
  const line = `{"jsonrpc":"2.0","id":1,"result":${inner},"${'id'.repeat(50)}":1,"__proto__":2,"x":3,"":4}`;
  expect(scan(line).found).toMatchObject({ kind: 'result', id: '1' });
});

test('nesting is counted from the message on, and the id of a line that is too deep is still found', () => {
  const nested = (depth: number) =>
    `{"jsonrpc":"2.0","result":${'['.repeat(depth - 1)}${']'.repeat(depth - 1)},"id":5}`;
  expect(scan(nested(DEPTH_MAX)).found).toMatchObject({ kind: 'result' });
  expect(scan(nested(DEPTH_MAX + 1))).toMatchObject({ found: 'too-deep', id: '5' });
  expect(scan(nested(50_000))).toMatchObject({ found: 'too-deep', id: '5' });
  expect(scan(nested(100_000))).toMatchObject({ found: 'too-deep', id: null });
  const scanner = new EnvelopeScanner(DEPTH_MAX);
  for (const depth of [40, DEPTH_MAX, 40, DEPTH_MAX + 1]) {
    scanner.reset();
    scanner.push(Buffer.from(nested(depth)), 0);
    expect(scanner.finish() === 'too-deep').toBe(depth > DEPTH_MAX);
  }
});

test('an id or method beyond any reason makes no message, wherever it is cut', () => {
  const huge = 'x'.repeat(200_000);
  for (const borders of [[], [50, 100], [50, 100_000]]) {
    expect(scan(`{"jsonrpc":"2.0","id":"${huge}","result":{}}`, borders).found).toBe('not-jsonrpc');
    expect(scan(`{"jsonrpc":"2.0","method":"${huge}"}`, borders).found).toBe('not-jsonrpc');
    expect(scan(`{"jsonrpc":"2.0","${huge}":1,"method":"a"}`, borders).found).toMatchObject({ method: 'a' });
  }
});

test('only blanks are neither message nor noise', () => {
  expect(scan('').found).toBeNull();
  expect(scan(' \t\r ').found).toBeNull();
});

test('the newline ends the line, also inside of a string, and tells where', () => {
  const scanner = new EnvelopeScanner(DEPTH_MAX);
  expect(scanner.push(Buffer.from('{"jsonrpc":"2.0","method":"a"}\n{}'), 0)).toBe(30);
  expect(scanner.finish()).toMatchObject({ kind: 'notification' });
  for (const [text, newline] of [
    ['{"a":"b\nc"}', 7],
    ['x\n', 1],
    ['{"a":"\\\n', 7],
    [`"${'a'.repeat(5000)}\n`, 5001],
  ] as const) {
    scanner.reset();
    expect(scanner.push(Buffer.from(text), 0)).toBe(newline);
    expect(scanner.finish()).toBe('not-json');
  }
});

const SEEDS = [
  '{"jsonrpc":"2.0","id":12,"method":"tools/call","params":{"name":"a\\n\\"b","n":[1,-2.5e+3,0,true,false,null]}}',
  '{"jsonrpc":"2.0","id":"\\u00e9","result":{"content":[{"type":"text","text":"héllo \\ud83d\\ude00"}],"x":{}}}',
  ' [ 1 , "a" , { "b" : [ ] } , -0.1E-2 ] ',
  '{"result":{"a":[[],{}],"__proto__":1},"jsonrpc":"2.0","id":9007199254740993}',
  '-12.50e10',
  '"\\b\\f\\/\\\\ \\u0000"',
];
const ALPHABET = Buffer.from('{}[]":,\\ \t\r0123456789-+.eEtrufalsnbx/"\'\0\x1f\x7fé');
/** Over 200,000 mutations, because each one is a way in which a line can be broken. */
const MUTATIONS = 210_000;

test('what it accepts is what JSON.parse accepts, for 210,000 broken lines cut anywhere', () => {
  // Lehmer's generator: the same lines in each run.
  let seed = 20_241_130;
  const random = (below: number) => {
    seed = (seed * 48_271) % 0x7fff_ffff;
    return seed % below;
  };
  const scanner = new EnvelopeScanner(256);
  let valid = 0;
  for (let i = 0; i < MUTATIONS; i++) {
    const line = mutated(Buffer.from(SEEDS[i % SEEDS.length] ?? ''), random);
    scanner.reset();
    const border = random(line.length + 1);
    if (i % 2 === 0) scanner.push(line.subarray(0, border), 0);
    scanner.push(i % 2 === 0 ? line.subarray(border) : line, 0);
    const found = scanner.finish();
    const isJson = parses(line.toString());
    if (isJson) valid++;
    if (isJson !== (found !== 'not-json' && found !== null)) {
      expect({ line: line.toString(), border, found }).toBe(isJson ? 'JSON' : 'not JSON');
    }
  }
  // Both answers were asked for often enough.
  expect(valid).toBeGreaterThan(MUTATIONS / 20);
  expect(valid).toBeLessThan(MUTATIONS / 2);
});

function mutated(line: Buffer, random: (below: number) => number): Buffer {
  const place = random(line.length);
  const byte = ALPHABET.subarray(random(ALPHABET.length)).subarray(0, 1);
  switch (random(5)) {
    case 0:
      return Buffer.concat([line.subarray(0, place), byte, line.subarray(place)]);
    case 1:
      return Buffer.concat([line.subarray(0, place), line.subarray(place + 1)]);
    case 2:
      return Buffer.concat([line.subarray(0, place), byte, line.subarray(place + 1)]);
    case 3:
      return line.subarray(0, place);
    default: {
      const to = place + random(line.length - place);
      return Buffer.concat([line.subarray(0, to), line.subarray(place, to), line.subarray(to)]);
    }
  }
}

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    // That it throws is the answer.
    return false;
  }
}
