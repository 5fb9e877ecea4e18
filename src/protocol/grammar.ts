/**
 * The grammar of JSON (RFC 8259) as a table: a state and a byte give the next state, or a step that the scanner takes. The table alone
 * decides what is JSON. Four surroundings have rows of their own, so that neither a container nor a nesting has to be asked: the line
 * itself, the message (the outermost object, whose members are the envelope), an object and an array inside it.
 */

/** A state is a multiple of this; added to it is the class of a byte. */
const CLASSES = 32;

/** Bytes that the grammar treats alike, class 1 and on. Class 0 is any other byte; control bytes and those above 0x7f come last. */
// biome-ignore format: a list
const CLASS_MEMBERS = [
  ' ', '\t\r', '\n', '"', '\\', '/', '{', '}', '[', ']', ':', ',', '-', '+', '.', '0', '123456789', 'e', 'E',
  'a', 'b', 'f', 'l', 'n', 'r', 's', 't', 'u', 'cdABCDF',
];
const CONTROL = CLASS_MEMBERS.length + 1;
const ABOVE_ASCII = CONTROL + 1;

const classOf = (byte: number): number => {
  const at = CLASS_MEMBERS.findIndex((members) => members.includes(String.fromCharCode(byte)));
  if (at >= 0) return at + 1;
  if (byte < 0x20) return CONTROL;
  return byte > 0x7f ? ABOVE_ASCII : 0;
};

/** The class of each byte. */
export const BYTE_CLASS = Uint8Array.from({ length: 256 }, (_, byte) => classOf(byte));

/** Cells from here on are steps: the step in the upper bits, a state in the lower ones. */
export const STEP_MIN = 0x1000;
export const STEP_SHIFT = 12;
export const STEP_STATE = STEP_MIN - 1;

/** What the scanner does where the next state alone does not say it. `state` is the one in the cell. */
export const STEP = {
  /** Not JSON. */
  fail: 1,
  /** The line ends. */
  newline: 2,
  /** A string opens; behind it comes `state`. */
  string: 3,
  /** A string goes on behind an escape. */
  inside: 4,
  /** A byte above ASCII, in a string. */
  aboveAscii: 5,
  /** A string closes. */
  stringEnd: 6,
  /** An object opens; behind it comes `state`. */
  object: 7,
  /** An array opens; behind it comes `state`. */
  array: 8,
  /** A container closes. */
  close: 9,
  /** Before the first byte of a member of the message: noted, then read again in `state`. */
  valueStart: 10,
  /** Behind the last byte of a number or literal of the message: noted, then read again in `state`. */
  valueEnd: 11,
} as const;

let rowCount = 1;
const newState = (): number => rowCount++ * CLASSES;

/** The scanner gave up; it has no row. */
export const FAILED = 0;
/** Nothing but blanks yet. */
export const START = newState();
/** In a string. */
export const STRING = newState();
/** Behind the value of the line. */
export const END = newState();
/** The message has just opened: a key or its end. */
export const MESSAGE_OPEN = newState();
/** Behind a key of the message. */
export const MESSAGE_COLON = newState();
/** Behind a value of the message. */
export const MESSAGE_AFTER = newState();
export const OBJECT_OPEN = newState();
export const ARRAY_OPEN = newState();

const MESSAGE_KEY = newState();
const MESSAGE_VALUE = newState();
const MESSAGE_VALUE_NOTED = newState();
const OBJECT_KEY = newState();
const OBJECT_COLON = newState();
const OBJECT_VALUE = newState();
const OBJECT_AFTER = newState();
const ARRAY_VALUE = newState();
const ARRAY_AFTER = newState();
const ESCAPE = newState();
const HEX = [newState(), newState(), newState(), newState()] as const;

const BLANK = ' \t\r';
const DIGITS_1_9 = '123456789';
const DIGITS = `0${DIGITS_1_9}`;
const HEX_DIGITS = `${DIGITS}abcdefABCDEF`;

type Row = Map<number, number>;
const rows = new Map<number, Row>();
/** States in which the line, if it ends there, is JSON. */
const complete = new Set<number>([END]);

const step = (kind: number, state: number): number => (kind << STEP_SHIFT) | state;
const CLOSE = step(STEP.close, 0);

function on(state: number, bytes: string, cell: number): void {
  const row = rows.get(state) ?? new Map<number, number>();
  rows.set(state, row);
  for (const byte of bytes) row.set(BYTE_CLASS[byte.charCodeAt(0)] ?? 0, cell);
}

/** What may come right behind a number or literal: bytes and cells. */
type Ends = readonly (readonly [bytes: string, cell: number])[];

/** Rows for a value that is expected in the states `at`, and behind which comes `after`. */
function value(at: readonly number[], after: number, ends: Ends): void {
  for (const state of at) {
    on(state, BLANK, state);
    on(state, '"', step(STEP.string, after));
    on(state, '{', step(STEP.object, after));
    on(state, '[', step(STEP.array, after));
  }
  const ended = newState();
  endsAt(ended, ends);
  for (const literal of ['true', 'false', 'null']) {
    let before = at;
    for (const [index, letter] of [...literal].entries()) {
      const next = index === literal.length - 1 ? ended : newState();
      for (const state of before) on(state, letter, next);
      before = [next];
    }
  }
  number(at, ends);
}

function number(at: readonly number[], ends: Ends): void {
  const [minus, zero, whole, point, fraction] = [newState(), newState(), newState(), newState(), newState()];
  const [exponent, exponentSign, exponentDigits] = [newState(), newState(), newState()];
  for (const state of at) on(state, '-', minus);
  for (const first of [...at, minus]) {
    on(first, '0', zero);
    on(first, DIGITS_1_9, whole);
  }
  on(whole, DIGITS, whole);
  for (const state of [zero, whole]) on(state, '.', point);
  for (const state of [point, fraction]) on(state, DIGITS, fraction);
  for (const state of [zero, whole, fraction]) on(state, 'eE', exponent);
  on(exponent, '+-', exponentSign);
  for (const state of [exponent, exponentSign, exponentDigits]) on(state, DIGITS, exponentDigits);
  for (const state of [zero, whole, fraction, exponentDigits]) endsAt(state, ends);
}

function endsAt(state: number, ends: Ends): void {
  for (const [bytes, cell] of ends) on(state, bytes, cell);
  if (ends === LINE_ENDS) complete.add(state);
}

const LINE_ENDS: Ends = [[BLANK, END]];
const MESSAGE_ENDS: Ends = [[`${BLANK},}`, step(STEP.valueEnd, MESSAGE_AFTER)]];
const OBJECT_ENDS: Ends = [
  [BLANK, OBJECT_AFTER],
  [',', OBJECT_KEY],
  ['}', CLOSE],
];
const ARRAY_ENDS: Ends = [
  [BLANK, ARRAY_AFTER],
  [',', ARRAY_VALUE],
  [']', CLOSE],
];

value([START], END, LINE_ENDS);
on(END, BLANK, END);

for (const state of [MESSAGE_OPEN, MESSAGE_KEY]) {
  on(state, BLANK, state);
  on(state, '"', step(STEP.string, MESSAGE_COLON));
}
on(MESSAGE_OPEN, '}', CLOSE);
on(MESSAGE_COLON, BLANK, MESSAGE_COLON);
on(MESSAGE_COLON, ':', MESSAGE_VALUE);
on(MESSAGE_VALUE, BLANK, MESSAGE_VALUE);
on(MESSAGE_VALUE, `"{[tfn-${DIGITS}`, step(STEP.valueStart, MESSAGE_VALUE_NOTED));
value([MESSAGE_VALUE_NOTED], MESSAGE_AFTER, MESSAGE_ENDS);
on(MESSAGE_AFTER, BLANK, MESSAGE_AFTER);
on(MESSAGE_AFTER, ',', MESSAGE_KEY);
on(MESSAGE_AFTER, '}', CLOSE);

for (const state of [OBJECT_OPEN, OBJECT_KEY]) {
  on(state, BLANK, state);
  on(state, '"', step(STEP.string, OBJECT_COLON));
}
on(OBJECT_OPEN, '}', CLOSE);
on(OBJECT_COLON, BLANK, OBJECT_COLON);
on(OBJECT_COLON, ':', OBJECT_VALUE);
value([OBJECT_VALUE], OBJECT_AFTER, OBJECT_ENDS);
endsAt(OBJECT_AFTER, OBJECT_ENDS);

value([ARRAY_VALUE, ARRAY_OPEN], ARRAY_AFTER, ARRAY_ENDS);
on(ARRAY_OPEN, ']', CLOSE);
endsAt(ARRAY_AFTER, ARRAY_ENDS);

on(ESCAPE, '"\\/bfnrt', step(STEP.inside, STRING));
on(ESCAPE, 'u', HEX[0]);
on(HEX[0], HEX_DIGITS, HEX[1]);
on(HEX[1], HEX_DIGITS, HEX[2]);
on(HEX[2], HEX_DIGITS, HEX[3]);
on(HEX[3], HEX_DIGITS, step(STEP.inside, STRING));

/** The cell of state plus byte class. */
export const TABLE = table();

/** Whether a line that ends in this state is JSON. */
export function isComplete(state: number): boolean {
  return complete.has(state);
}

function table(): Uint16Array {
  const cells = new Uint16Array(rowCount * CLASSES).fill(step(STEP.fail, 0));
  cells.fill(STRING, STRING, STRING + CLASSES);
  cells[STRING + CONTROL] = step(STEP.fail, 0);
  cells[STRING + ABOVE_ASCII] = step(STEP.aboveAscii, STRING);
  on(STRING, '\t\r', step(STEP.fail, 0));
  on(STRING, '"', step(STEP.stringEnd, 0));
  on(STRING, '\\', ESCAPE);
  for (const [state, row] of rows) for (const [byteClass, cell] of row) cells[state + byteClass] = cell;
  for (let state = START; state < cells.length; state += CLASSES) cells[state + classOf(0x0a)] = step(STEP.newline, 0);
  return cells;
}
