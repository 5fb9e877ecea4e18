/**
 * The numbers of the grammar's table. They have a file of their own, with nothing but plain numbers in it, because the bundler puts such
 * numbers where they are used; a variable in their place costs the innermost loop a third of its speed.
 */

/** A state is a multiple of this; added to it is the class of a byte. */
export const CLASSES = 32;

/** Cells from here on are steps: the step in the upper bits, a state in the lower ones. */
export const STEP_MIN = 0x1000;
export const STEP_SHIFT = 12;
export const STEP_STATE = 0xfff;

// Steps: what the scanner does where the next state alone does not say it. `state` is the one in the cell.
/** Not JSON. */
export const FAIL = 1;
/** The line ends. */
export const NEWLINE = 2;
/** A string opens; behind it comes `state`. */
export const STRING_OPEN = 3;
/** A string closes. */
export const STRING_CLOSE = 4;
/** A string goes on behind an escape. */
export const STRING_GOES_ON = 5;
/** A byte above ASCII, in a string. */
export const ABOVE_ASCII = 6;
/** An object opens; behind it comes `state`. */
export const OBJECT = 7;
/** An array opens; behind it comes `state`. */
export const ARRAY = 8;
/** A container closes. */
export const CLOSE = 9;
/** Before the first byte of a value of the message: noted, then read again in `state`. */
export const VALUE_START = 10;
/** Behind the last byte of a number or literal of the message: noted, then read again in `state`. */
export const VALUE_END = 11;

// States that the scanner knows.
/** The scanner gave up; it has no row. */
export const FAILED = 0;
/** Nothing but blanks yet. */
export const START = 0x20;
/** In a string. */
export const STRING = 0x40;
/** Behind the value of the line. */
export const END = 0x60;
/** The message has just opened: a key or its end. */
export const MESSAGE_OPEN = 0x80;
/** Behind a key of the message. */
export const MESSAGE_COLON = 0xa0;
/** Behind a value of the message. */
export const MESSAGE_AFTER = 0xc0;
/** From here on states are inside of members of the message, or of a line that is no object. */
export const NESTED_MIN = 0xe0;
export const OBJECT_OPEN = 0xe0;
export const ARRAY_OPEN = 0x100;

export const LINE_FEED = 0x0a;
export const QUOTE = 0x22;
export const BACKSLASH = 0x5c;
