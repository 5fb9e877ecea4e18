/**
 * The grammar of JSON (RFC 8259) as a table: a state and a byte give the next state, or a step that the scanner takes. The table alone
 * decides what is JSON. Four surroundings have rows of their own, so that neither a container nor a nesting has to be asked: the line
 * itself, the message (the outermost object, whose members are the envelope), an object and an array inside it.
 */
import {
  ABOVE_ASCII,
  ARRAY,
  ARRAY_OPEN,
  CLASSES,
  CLOSE,
  END,
  FAIL,
  MESSAGE_AFTER,
  MESSAGE_COLON,
  MESSAGE_OPEN,
  NEWLINE,
  OBJECT,
  OBJECT_OPEN,
  START,
  STEP_MIN,
  STEP_SHIFT,
  STRING,
  STRING_CLOSE,
  STRING_GOES_ON,
  STRING_OPEN,
  VALUE_END,
  VALUE_START,
} from './grammar-codes.ts';

/** Bytes that the grammar treats alike, class 1 and on. Class 0 is any other byte; control bytes and those above 0x7f come last. */
// biome-ignore format: a list
const CLASS_MEMBERS = [
  ' ', '\t\r', '\n', '"', '\\', '/', '{', '}', '[', ']', ':', ',', '-', '+', '.', '0', '123456789', 'e', 'E',
  'a', 'b', 'f', 'l', 'n', 'r', 's', 't', 'u', 'cdABCDF',
];
const CONTROL = CLASS_MEMBERS.length + 1;
const ABOVE = CONTROL + 1;

/** The class of each byte. */
export const BYTE_CLASS = byteClasses();

let lastState = ARRAY_OPEN;
const newState = (): number => {
  lastState += CLASSES;
  return lastState;
};

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
// One mark of each class is enough, since a class has one cell.
const DIGIT_1_9 = '1';
const DIGIT = '01';
const HEX_DIGIT = '01abcefE';

/** The cell of state plus byte class. */
export const TABLE = new Uint16Array(STEP_MIN).fill(FAIL << STEP_SHIFT);
/** States in which the line, if it ends there, is JSON. */
const complete = new Set<number>([END]);

const step = (kind: number, state: number): number => (kind << STEP_SHIFT) | state;
const CLOSED = step(CLOSE, 0);

function on(state: number, bytes: string, cell: number): void {
  for (let i = 0; i < bytes.length; i++) TABLE[state + (BYTE_CLASS[bytes.charCodeAt(i)] ?? 0)] = cell;
}

/** What may come right behind a number or literal: bytes and cells. */
type Ends = readonly (readonly [bytes: string, cell: number])[];

/** Rows for a value that is expected in the states `at`, and behind which comes `after`. */
function value(at: readonly number[], after: number, ends: Ends): void {
  for (const state of at) {
    on(state, BLANK, state);
    on(state, '"', step(STRING_OPEN, after));
    on(state, '{', step(OBJECT, after));
    on(state, '[', step(ARRAY, after));
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
    on(first, DIGIT_1_9, whole);
  }
  on(whole, DIGIT, whole);
  for (const state of [zero, whole]) on(state, '.', point);
  for (const state of [point, fraction]) on(state, DIGIT, fraction);
  for (const state of [zero, whole, fraction]) on(state, 'eE', exponent);
  on(exponent, '+-', exponentSign);
  for (const state of [exponent, exponentSign, exponentDigits]) on(state, DIGIT, exponentDigits);
  for (const state of [zero, whole, fraction, exponentDigits]) endsAt(state, ends);
}

function endsAt(state: number, ends: Ends): void {
  for (const [bytes, cell] of ends) on(state, bytes, cell);
  if (ends === LINE_ENDS) complete.add(state);
}

const LINE_ENDS: Ends = [[BLANK, END]];
const MESSAGE_ENDS: Ends = [[`${BLANK},}`, step(VALUE_END, MESSAGE_AFTER)]];
const OBJECT_ENDS: Ends = [
  [BLANK, OBJECT_AFTER],
  [',', OBJECT_KEY],
  ['}', CLOSED],
];
const ARRAY_ENDS: Ends = [
  [BLANK, ARRAY_AFTER],
  [',', ARRAY_VALUE],
  [']', CLOSED],
];

value([START], END, LINE_ENDS);
on(END, BLANK, END);

for (const state of [MESSAGE_OPEN, MESSAGE_KEY]) {
  on(state, BLANK, state);
  on(state, '"', step(STRING_OPEN, MESSAGE_COLON));
}
on(MESSAGE_OPEN, '}', CLOSED);
on(MESSAGE_COLON, BLANK, MESSAGE_COLON);
on(MESSAGE_COLON, ':', MESSAGE_VALUE);
on(MESSAGE_VALUE, BLANK, MESSAGE_VALUE);
on(MESSAGE_VALUE, `"{[tfn-${DIGIT}`, step(VALUE_START, MESSAGE_VALUE_NOTED));
value([MESSAGE_VALUE_NOTED], MESSAGE_AFTER, MESSAGE_ENDS);
on(MESSAGE_AFTER, BLANK, MESSAGE_AFTER);
on(MESSAGE_AFTER, ',', MESSAGE_KEY);
on(MESSAGE_AFTER, '}', CLOSED);

for (const state of [OBJECT_OPEN, OBJECT_KEY]) {
  on(state, BLANK, state);
  on(state, '"', step(STRING_OPEN, OBJECT_COLON));
}
on(OBJECT_OPEN, '}', CLOSED);
on(OBJECT_COLON, BLANK, OBJECT_COLON);
on(OBJECT_COLON, ':', OBJECT_VALUE);
value([OBJECT_VALUE], OBJECT_AFTER, OBJECT_ENDS);
endsAt(OBJECT_AFTER, OBJECT_ENDS);

value([ARRAY_VALUE, ARRAY_OPEN], ARRAY_AFTER, ARRAY_ENDS);
on(ARRAY_OPEN, ']', CLOSED);
endsAt(ARRAY_AFTER, ARRAY_ENDS);

on(ESCAPE, '"\\/bfnrt', step(STRING_GOES_ON, STRING));
on(ESCAPE, 'u', HEX[0]);
on(HEX[0], HEX_DIGIT, HEX[1]);
on(HEX[1], HEX_DIGIT, HEX[2]);
on(HEX[2], HEX_DIGIT, HEX[3]);
on(HEX[3], HEX_DIGIT, step(STRING_GOES_ON, STRING));

TABLE.fill(STRING, STRING, STRING + CLASSES);
TABLE[STRING + CONTROL] = step(FAIL, 0);
TABLE[STRING + ABOVE] = step(ABOVE_ASCII, STRING);
on(STRING, '\t\r', step(FAIL, 0));
on(STRING, '"', step(STRING_CLOSE, 0));
on(STRING, '\\', ESCAPE);

for (let state = START; state <= lastState; state += CLASSES) on(state, '\n', step(NEWLINE, 0));

/** Whether a line that ends in this state is JSON. */
export function isComplete(state: number): boolean {
  return complete.has(state);
}

function byteClasses(): Uint8Array {
  const classes = new Uint8Array(256).fill(CONTROL, 0, 0x20).fill(ABOVE, 0x80);
  for (const [index, members] of CLASS_MEMBERS.entries()) {
    for (let i = 0; i < members.length; i++) classes[members.charCodeAt(i)] = index + 1;
  }
  return classes;
}
