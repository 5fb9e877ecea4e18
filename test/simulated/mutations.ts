/**
 * Valid messages made wrong, from a seeded generator: in their bytes, in their text, and in their structure. Most stay JSON, since what is
 * not JSON gets no further than the scanner.
 */

export type Random = () => number;

/** One line, or what has become of it; without a newline at its end, but perhaps with some inside. */
export function mutated(text: string, random: Random): Buffer {
  const dice = random();
  if (dice < 0.1) return Buffer.from(text);
  if (dice < 0.45) return Buffer.from(pick(TEXTS, random)(text, random));
  if (dice < 0.8) return Buffer.from(restructured(text, random));
  let bytes: Buffer = Buffer.from(dice < 0.9 ? text : pick(TEXTS, random)(text, random));
  for (let times = 1 + Math.floor(random() * 3); times > 0; times--) bytes = pick(BYTES, random)(bytes, random);
  return bytes;
}

export function pick<T>(list: readonly T[], random: Random): T {
  const one = list[Math.floor(random() * list.length)];
  if (one === undefined) throw new RangeError('nothing to choose from');
  return one;
}

// — internal —

const place = (length: number, random: Random) => Math.floor(random() * (length + 1));

/** Two places in order, not far from each other. */
function range(length: number, random: Random): [number, number] {
  const from = place(length, random);
  return [from, Math.min(length, from + place(24, random))];
}

const BYTES: readonly ((bytes: Buffer, random: Random) => Buffer)[] = [
  (bytes, random) => {
    const changed = Buffer.from(bytes);
    const at = place(bytes.length - 1, random);
    changed[at] = Math.floor(random() * 256);
    return changed;
  },
  (bytes, random) => bytes.subarray(0, place(bytes.length, random)),
  (bytes, random) => bytes.subarray(place(bytes.length, random)),
  (bytes, random) => {
    const [from, to] = range(bytes.length, random);
    return Buffer.concat([bytes.subarray(0, from), bytes.subarray(to)]);
  },
  (bytes, random) => {
    const [from, to] = range(bytes.length, random);
    return Buffer.concat([bytes.subarray(0, to), bytes.subarray(from)]);
  },
  (bytes, random) => {
    const at = place(bytes.length, random);
    return Buffer.concat([bytes.subarray(0, at), Buffer.from(pick(ODD_BYTES, random)), bytes.subarray(at)]);
  },
];

const ODD_BYTES: readonly (readonly number[])[] = [
  [0],
  [0x0a],
  [0x0d, 0x0a],
  [0x7f],
  [0xff],
  [0xc0, 0x80],
  [0xed, 0xa0, 0x80],
  [0xf0, 0x9f, 0x99, 0x82],
  [0xef, 0xbb, 0xbf],
  [0xe2, 0x80, 0xa8],
  [0x22],
  [0x5c],
  [0x7b],
  [0x5d],
  [0x2c],
];

/** JSON texts where other things are meant. */
const VALUES: readonly string[] = [
  'null',
  'true',
  '0',
  '-0',
  '1',
  '1.0',
  '1e400',
  '-1e-400',
  '9007199254740993',
  `1${'0'.repeat(400)}`,
  '""',
  '"1"',
  '"\\u0031"',
  '"\\ud800"',
  '"\\u0000\\u001b[31m"',
  '"é🙂\u2028"',
  `"${'x'.repeat(3000)}"`,
  '[]',
  '{}',
  '[[]]',
  '{"":0}',
  '{"__proto__":{"a":1}}',
  `${'['.repeat(40)}${']'.repeat(40)}`,
  `${'{"a":'.repeat(300)}0${'}'.repeat(300)}`,
  '"tools/call"',
  '"notifications/cancelled"',
  '"alpha__one"',
  '"shared://doc"',
];

const MEMBERS: readonly string[] = [
  '"jsonrpc":"2.0"',
  '"jsonrpc":"1.0"',
  '"id":1',
  '"id":null',
  '"ID":1',
  '"\\u0069d":2',
  '"method":"ping"',
  '"method":7',
  '"params":{}',
  '"params":null',
  '"result":{}',
  '"error":{"code":-32002,"message":"m"}',
  '"error":null',
  '"_meta":{"progressToken":1}',
  '"uri":"a://x"',
  '"name":"beta__two"',
  '"future":[1]',
];

const TEXTS: readonly ((text: string, random: Random) => string)[] = [
  // A value becomes another one.
  (text, random) => {
    const at = text.indexOf(':', place(text.length, random));
    const end = /[,}\]]/.exec(text.slice(at + 1));
    if (at < 0 || end === null) return text;
    return text.slice(0, at + 1) + pick(VALUES, random) + text.slice(at + 1 + end.index);
  },
  // A member more, at the front of some object.
  (text, random) => {
    const at = text.indexOf('{', place(text.length / 2, random));
    if (at < 0) return text;
    const comma = text[at + 1] === '}' ? '' : ',';
    return `${text.slice(0, at + 1)}${pick(MEMBERS, random)}${comma}${text.slice(at + 1)}`;
  },
  // A member more, at the end of the message.
  (text, random) => text.replace(/\}$/, `,${pick(MEMBERS, random)}}`),
  (text) => `[${text}]`,
  (text, random) => `[${text},${pick(VALUES, random)},${text}]`,
  (text) => `${text}${text}`,
  (text) => `log: ${text}`,
  (text, random) => `${' '.repeat(place(5, random))}${text.replaceAll(':', ' :\t')}\r`,
  (text, random) => text.replace(pick(['"2.0"', '"id"', '"method"', '"result"', '"params"'], random), '"x"'),
  (text, random) => text.replace(/"id":[^,}]+/, `"id":${pick(VALUES, random)}`),
  (text, random) => text.replace(/"(params|result)":\{/, `"$1":{"text":"${'y'.repeat(place(20_000, random))}",`),
  (_text, random) => pick(VALUES, random),
];

type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/** The message as objects: a member taken out, moved, doubled or changed somewhere inside. */
function restructured(text: string, random: Random): string {
  const root = JSON.parse(text) as Json;
  let at: Json = root;
  for (let depth = place(3, random); depth > 0; depth--) {
    const inside: Json[] = Object.values(at as object).filter((value) => typeof value === 'object' && value !== null);
    if (inside.length === 0) break;
    at = pick(inside, random);
  }
  if (Array.isArray(at)) at.push(JSON.parse(pick(SMALL, random)) as Json);
  else if (typeof at === 'object' && at !== null) changeMember(at, random);
  return JSON.stringify(root);
}

/** Of VALUES those that survive a parser. */
const SMALL = VALUES.filter((value) => value.length < 100 && !value.includes('e400'));

function changeMember(object: { [key: string]: Json }, random: Random): void {
  const keys = Object.keys(object);
  const key = keys.length === 0 ? 'a' : pick(keys, random);
  const value = object[key] ?? null;
  const dice = random();
  if (dice < 0.3) delete object[key];
  else if (dice < 0.6) object[key] = JSON.parse(pick(SMALL, random)) as Json;
  else if (dice < 0.75) {
    // To the end of its object.
    delete object[key];
    object[key] = value;
  } else if (dice < 0.9) object[key] = [value, value];
  else object[`${key}2`] = value;
}
