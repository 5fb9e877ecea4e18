import { isUtf8 } from 'node:buffer';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import type { Envelope } from './frame.ts';
import { FrameReader, type Noise } from './framing.ts';

const LINE_BYTES_MAX = 100_000;

type Event =
  | { text: string; envelope: Envelope }
  | { reason: string; id: string | null; asks: boolean; bytes: number; sample: string };

function reader(events: Event[], lineBytesMax = LINE_BYTES_MAX): FrameReader {
  return new FrameReader({
    lineBytesMax,
    depthMax: 64,
    sampleBytesMax: 40,
    isUtf8,
    onFrame: ({ bytes, length, envelope }) => {
      const whole = Buffer.concat(bytes);
      expect(whole.length).toBe(length);
      events.push({ text: whole.toString(), envelope });
    },
    onNoise: ({ sample, ...rest }: Noise) => events.push({ ...rest, sample: Buffer.from(sample).toString('latin1') }),
  });
}

/** What is made of the bytes, cut at `borders`. */
function read(input: string | Uint8Array, borders: readonly number[] = []): Event[] {
  const bytes = Buffer.from(input);
  const events: Event[] = [];
  const frames = reader(events);
  let from = 0;
  for (const to of [...borders.map((border) => border % (bytes.length + 1)).sort((a, b) => a - b), bytes.length]) {
    frames.push(bytes.subarray(from, to));
    from = to;
  }
  frames.end();
  return events;
}

const texts = (events: Event[]) => events.map((event) => ('text' in event ? event.text : event.reason));

// — Messages as they may come: any order, blanks, spelling and nesting —
const blank = fc.constantFrom('', '', '', '', ' ', '\t', ' \r');
const escaped = (json: string) =>
  json.replace(/[^\x20-\x7e]|[a-c]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
const spelled = fc.tuple(fc.string({ unit: 'grapheme', maxLength: 12 }), fc.boolean()).map(([text, isEscaped]) => {
  const json = JSON.stringify(text);
  // The letter of an escape stays what it is.
  return isEscaped
    ? json.replace(/(\\.)|([^\\]+)/g, (_, kept?: string, plain?: string) => kept ?? escaped(plain ?? ''))
    : json;
});
const number = fc.oneof(
  fc.bigInt().map(String),
  fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => JSON.stringify(value)),
  fc.constantFrom('0', '-0', '1.50', '1E+30', '-2e-7', '9007199254740993', '18446744073709551615'),
);
const scalar = fc.oneof(
  spelled,
  number,
  fc.constantFrom('true', 'false', 'null', '"__proto__"', '"\\ud800"', '"\\"}]{,"'),
);
const key = fc.oneof(spelled, fc.constantFrom('"__proto__"', '"id"', '"jsonrpc"', '"constructor"'));
const joined = (open: string, items: fc.Arbitrary<string>, close: string) =>
  fc
    .array(
      fc.tuple(blank, items, blank).map((parts) => parts.join('')),
      { maxLength: 4 },
    )
    .map((list) => open + list.join(',') + close);
const { object, array } = fc.letrec<{ value: string; object: string; array: string }>((tie) => ({
  value: fc.oneof({ maxDepth: 4 }, scalar, tie('object'), tie('array')),
  object: joined(
    '{',
    fc.tuple(key, blank, blank, tie('value')).map(([name, a, b, value]) => `${name}${a}:${b}${value}`),
    '}',
  ),
  array: joined('[', tie('value'), ']'),
}));
const anyValue = fc.oneof(scalar, object, array);
const id = fc.oneof(number, spelled);
const method = spelled;

interface Sent {
  line: string;
  kind: Envelope['kind'];
  members: Record<string, string>;
}

const members = fc.oneof(
  fc.record({ kind: fc.constant('request' as const), id, method, params: fc.option(fc.oneof(object, array)) }),
  fc.record({ kind: fc.constant('notification' as const), method, params: fc.option(fc.oneof(object, array)) }),
  fc.record({ kind: fc.constant('result' as const), id, result: anyValue }),
  fc.record({ kind: fc.constant('error' as const), id: fc.oneof(id, fc.constant('null')), error: object }),
);
const message: fc.Arbitrary<Sent> = fc
  .tuple(
    members,
    fc.array(fc.tuple(fc.constantFrom('"_meta"', '"x"', '""', '"ids"'), anyValue), { maxLength: 2 }),
    fc.infiniteStream(blank),
    fc.infiniteStream(fc.nat(20)),
  )
  .map(([{ kind, ...rest }, extras, blanks, order]) => {
    const own = Object.entries(rest).filter((entry): entry is [string, string] => typeof entry[1] === 'string');
    const all = [...own.map(([name, value]) => [`"${name}"`, value]), ['"jsonrpc"', '"2.0"'], ...extras];
    const shuffled = all.map((pair) => ({ pair, place: order.next().value })).sort((a, b) => a.place - b.place);
    const space = () => blanks.next().value;
    const list = shuffled.map(({ pair: [name, value] }) => `${space()}${name}${space()}:${space()}${value}${space()}`);
    return {
      line: `${space()}{${list.join(',')}}${space().replace('\r', '')}`,
      kind,
      members: Object.fromEntries(own),
    };
  });

function sameAsSent(event: Event | undefined, sent: Sent): void {
  if (event === undefined || !('text' in event)) throw new Error(`${JSON.stringify(event)} for ${sent.line}`);
  expect(event.text).toBe(sent.line);
  const bytes = Buffer.from(event.text);
  const at = (span: { start: number; end: number } | null) =>
    span === null ? null : bytes.toString('utf8', span.start, span.end);
  const { envelope } = event;
  expect(envelope.kind).toBe(sent.kind);
  if ('id' in envelope) {
    expect(at(envelope.idSpan)).toBe(sent.members['id']);
    expect(envelope.id ?? 'null').toBe(sent.members['id']);
  }
  if ('method' in envelope) {
    expect(at(envelope.methodSpan)).toBe(sent.members['method']);
    expect(envelope.method).toBe(JSON.parse(sent.members['method'] ?? ''));
    expect(at(envelope.params)).toBe(sent.members['params'] ?? null);
  }
  if (envelope.kind === 'result') expect(at(envelope.result)).toBe(sent.members['result']);
  if (envelope.kind === 'error') expect(at(envelope.error)).toBe(sent.members['error']);
}

test('messages arrive as they were written, with the places of their members, wherever the chunks are cut', () => {
  fc.assert(
    fc.property(
      fc.array(message, { minLength: 1, maxLength: 4 }),
      fc.array(fc.nat(5000), { maxLength: 12 }),
      (sent, borders) => {
        const input = sent.map(({ line }) => `${line}\n`).join('');
        const whole = read(input);
        expect(whole).toHaveLength(sent.length);
        for (const [index, one] of sent.entries()) sameAsSent(whole[index], one);
        expect(read(input, borders)).toEqual(whole);
      },
    ),
    { numRuns: 800 },
  );
});

test('one byte at a time gives the same', () => {
  fc.assert(
    fc.property(message, ({ line }) => {
      const input = Buffer.from(`${line}\r\n${line}\n`);
      expect(read(input, [...input.keys()])).toEqual(read(input));
    }),
    { numRuns: 200 },
  );
});

const PING = '{"jsonrpc":"2.0","id":1,"method":"ping"}';
const ANSWER = '{"jsonrpc":"2.0","id":2,"result":{}}';

test('blank lines are passed over in silence', () => {
  expect(texts(read(`\n\r\n  \t \n${PING}\n\n \r\n${ANSWER}\n`))).toEqual([PING, ANSWER]);
});

test('a carriage return before the newline is no part of the line, also when the chunk ends between them', () => {
  const input = `${PING}\r\n${ANSWER}\r\n`;
  for (let border = 0; border <= input.length; border++) expect(texts(read(input, [border]))).toEqual([PING, ANSWER]);
});

test('a byte order mark is skipped at the beginning of each line, once, wherever it is cut', () => {
  const input = `\ufeff${PING}\n\ufeff${ANSWER}\n\ufeff\n`;
  const { length } = Buffer.from(input);
  for (let border = 0; border <= length; border++)
    expect(texts(read(input, [border, border + 1]))).toEqual([PING, ANSWER]);
  expect(texts(read(`${PING}\ufeff\n`))).toEqual(['not-json']);
});

test('what only begins like a byte order mark is part of the line', () => {
  for (const borders of [[], [1], [2], [1, 2]]) {
    expect(read(Buffer.from([0xef, 0xbb, 0x41, 0x0a]), borders)).toMatchObject([
      { reason: 'not-json', bytes: 3, sample: '\xef\xbbA' },
    ]);
    expect(read(Buffer.from([0xef, 0xbb]), borders)).toMatchObject([{ reason: 'not-json', bytes: 2 }]);
  }
});

test('noise is named, sampled and counted, and the messages around it pass', () => {
  const noise = [
    'Server running on stdio',
    '42',
    'null',
    '{}',
    '[]',
    '{"level":30,"id":1}',
    '{"jsonrpc":"2.0"',
    '[info] {"a":1}',
  ];
  const events = read(noise.map((line) => `${line}\n${PING}\n`).join(''));
  expect(texts(events)).toEqual(
    ['not-json', 'not-jsonrpc', 'not-jsonrpc', 'not-jsonrpc', 'batch', 'not-jsonrpc', 'not-json', 'not-json'].flatMap(
      (reason) => [reason, PING],
    ),
  );
  expect(events[0]).toEqual({ reason: 'not-json', id: null, asks: false, bytes: 23, sample: noise[0] });
});

test('the id of a broken message is told only when the line is of JSON-RPC 2.0', () => {
  const input = [
    '{"jsonrpc":"2.0","id":7,"result":{oops}}',
    '{"id":7,"result":1}',
    '{"jsonrpc":"2.0","id":"a","method":[]}',
  ];
  expect(read(input.join('\n'))).toMatchObject([
    { reason: 'not-json', id: '7', asks: false },
    { reason: 'not-jsonrpc', id: null },
    { reason: 'not-jsonrpc', id: '"a"', asks: true },
  ]);
});

test('a message behind other text on its line is delivered, and the text is noise', () => {
  for (const start of [PING, ANSWER, '{"result":{},"jsonrpc":"2.0","id":"é"}']) {
    const events = read(`[info] ready {"id" ${start}\n${PING}\n`, [3, 30]);
    expect(texts(events)).toEqual(['not-json', start, PING]);
    expect(events[0]).toMatchObject({ bytes: 19, sample: '[info] ready {"id" ', id: null });
  }
  expect(texts(read(`ready ${PING} and more\n`))).toEqual(['not-json']);
  expect(texts(read(`${'x'.repeat(70_000)}${PING}\n${PING}\n`))).toEqual(['not-json', PING]);
  expect(
    texts(
      read(Buffer.concat([Buffer.from(`ready {"jsonrpc":"2.0","method":"`), Buffer.from([0xff]), Buffer.from('"}\n')])),
    ),
  ).toEqual(['not-json']);
});

test('two messages on one line are both delivered', () => {
  expect(texts(read(`${ANSWER}${PING}\n${PING}\n`))).toEqual([ANSWER, PING, PING]);
});

test('a line over the limit is not kept, but its id is found, wherever it is', () => {
  const big = 'x'.repeat(LINE_BYTES_MAX);
  const lines = [
    `{"jsonrpc":"2.0","id":5,"result":"${big}"}`,
    `{"result":"${big}","jsonrpc":"2.0","id":"z"}`,
    `{"jsonrpc":"2.0","method":"a","params":["${big}"],"id":6}`,
  ];
  const input = lines.map((line) => `${line}\r\n${PING}\n`).join('');
  const expected = [
    { reason: 'too-long', id: '5', asks: false, bytes: lines[0]?.length, sample: lines[0]?.slice(0, 40) },
    { text: PING },
    { reason: 'too-long', id: '"z"', asks: false, bytes: lines[1]?.length },
    { text: PING },
    { reason: 'too-long', id: '6', asks: true, bytes: lines[2]?.length },
    { text: PING },
  ];
  expect(read(input)).toMatchObject(expected);
  expect(
    read(
      input,
      Array.from({ length: 200 }, (_, i) => i * 1511),
    ),
  ).toMatchObject(expected);
});

test('the limit is exact, with and without a carriage return, in one chunk and in several', () => {
  const fitting = PING.length;
  for (const end of ['\n', '\r\n']) {
    for (const border of [0, 5, fitting, fitting + 1]) {
      for (const [limit, expected] of [
        [fitting, PING],
        [fitting - 1, 'too-long'],
      ] as const) {
        const events: Event[] = [];
        const frames = reader(events, limit);
        const bytes = Buffer.from(PING + end);
        frames.push(bytes.subarray(0, border));
        frames.push(bytes.subarray(border));
        expect(texts(events)).toEqual([expected]);
      }
    }
  }
});

test('text that is not UTF-8 is refused, with its id, and cut characters are not taken for it', () => {
  const bad = [
    [0xff],
    [0xc3],
    [0xe2, 0x82],
    [0xed, 0xa0, 0x80],
    [0xf0, 0x9f, 0x98],
    [0x80],
    [0xc0, 0xaf],
    [0xf5, 0x80, 0x80, 0x80],
  ];
  for (const bytes of bad) {
    const line = Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","id":3,"result":"é€😀'),
      Buffer.from(bytes),
      Buffer.from('x"}\n'),
    ]);
    for (let border = 0; border <= line.length; border++) {
      expect(read(line, [border, border + 1])).toMatchObject([{ reason: 'invalid-utf8', id: '3' }]);
    }
  }
  const good = '{"jsonrpc":"2.0","id":"é€😀","result":"é€😀߿ࠀ\uffff\u{10ffff}"}';
  const { length } = Buffer.from(good);
  for (let border = 0; border <= length; border++)
    expect(texts(read(`${good}\n`, [border, border + 2]))).toEqual([good]);
});

test('an id that is not UTF-8 is not told', () => {
  const line = Buffer.from('{"jsonrpc":"2.0","id":"?","result":1}\n');
  line[line.indexOf('?')] = 0xff;
  expect(read(line)).toMatchObject([{ reason: 'invalid-utf8', id: null }]);
});

test('the last line without newline: a whole message is delivered, a cut one is noise, nothing is nothing', () => {
  expect(texts(read(PING))).toEqual([PING]);
  expect(read(ANSWER.slice(0, -1))).toMatchObject([{ reason: 'not-json', id: '2' }]);
  expect(read(`${PING}\n  `)).toHaveLength(1);
  expect(read('')).toEqual([]);
});

test('a reader works on after its end', () => {
  const events: Event[] = [];
  const frames = reader(events);
  frames.push(Buffer.from('{"jsonrpc":'));
  frames.end();
  frames.push(Buffer.from(`${PING}\n`));
  expect(texts(events)).toEqual(['not-json', PING]);
});

test('a long line in tiny chunks is held in few pieces', () => {
  const input = Buffer.from(`{"jsonrpc":"2.0","id":1,"result":"${'é'.repeat(40_000)}"}\n`);
  let pieces = 0;
  const frames = new FrameReader({
    lineBytesMax: LINE_BYTES_MAX,
    depthMax: 64,
    sampleBytesMax: 40,
    isUtf8,
    onFrame: ({ bytes, length }) => {
      pieces = bytes.length;
      expect(length).toBe(input.length - 1);
      expect(Buffer.concat(bytes).equals(input.subarray(0, -1))).toBe(true);
    },
    onNoise: ({ reason }) => expect(reason).toBe('no noise'),
  });
  for (const byte of input) frames.push(Buffer.of(byte));
  expect(pieces).toBeGreaterThan(0);
  expect(pieces).toBeLessThan(30);
});

test('large pieces stay where they are', () => {
  const chunks = [
    Buffer.from(`{"jsonrpc":"2.0","id":1,"result":"${'a'.repeat(20_000)}`),
    Buffer.from('b'.repeat(20_000)),
    Buffer.from('"}\n'),
  ];
  const seen: ArrayBufferLike[] = [];
  const frames = new FrameReader({
    lineBytesMax: LINE_BYTES_MAX,
    depthMax: 64,
    sampleBytesMax: 40,
    isUtf8,
    onFrame: ({ bytes }) => seen.push(...bytes.map(({ buffer }) => buffer)),
    onNoise: ({ reason }) => expect(reason).toBe('no noise'),
  });
  for (const chunk of chunks) frames.push(chunk);
  expect(seen).toEqual(chunks.map(({ buffer }) => buffer));
});

test('arbitrary bytes never throw, and every line is told', () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 300 }), fc.array(fc.nat(300), { maxLength: 5 }), (bytes, borders) => {
      expect(read(bytes, borders)).toEqual(read(bytes));
    }),
    { numRuns: 3000 },
  );
});
