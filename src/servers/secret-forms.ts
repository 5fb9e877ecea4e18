import { SECRET_MASKED_CHARS_MIN } from '../limits.ts';

/** The forms in which programs print a value that is secret. Pure. */

export interface Pattern {
  /** Of a regular expression. */
  source: string;
  /** CLUE_CHARS letters and digits that stand in whatever it matches; null when there are none. */
  clue: string | null;
}

export const CLUE_CHARS = 4;

/** They find `value`: as text, with any of its characters escaped, and in base64. */
export function patternsOf(value: string): Pattern[] {
  return [
    { source: Array.from(value, anyFormOf).join(''), clue: clueIn(value) },
    ...base64Of(value).map((base64) => ({ source: base64Pattern(base64), clue: clueIn(base64.inner) })),
  ];
}

/** Tells of the end of a text that it begins a form of one value, and goes no further. */
export interface Beginning {
  /** With one of these it begins, each CLUE_CHARS long. */
  clues: readonly string[];
  /** How many characters at the end of `text` it is; 0 for fewer than `charsMin`. */
  length(text: string, charsMin: number): number;
}

export function beginningOf(value: string): Beginning {
  const characters = Array.from(value, formsOf);
  const json = JSON.stringify(value).slice(1, -1);
  const url = encodeURIComponent(Buffer.from(value).toString()); // a lone surrogate has no such form
  const base64 = base64Of(value)
    .map(({ inner }) => inner)
    .flatMap((text) => [text, text.replaceAll('+', '-').replaceAll('/', '_')]);
  return {
    clues: [value, json, JSON.stringify(json).slice(1, -1), url, url.replaceAll('%20', '+'), ...base64].map((text) =>
      text.slice(0, CLUE_CHARS),
    ),
    length: (text, charsMin) =>
      Math.max(
        beginningLength(text, characters, charsMin),
        ...base64.map((form) => prefixLength(text, form, charsMin)),
      ),
  };
}

// — internal —

function clueIn(text: string): string | null {
  return /[A-Za-z0-9]{4}/.exec(text)?.[0] ?? null;
}

interface Base64 {
  /** Only the characters that depend on nothing but the value. */
  inner: string;
  /** Behind these stands one that depends on what follows too. */
  isCut: boolean;
}

/** Behind 0, 1 or 2 unknown bytes, and before more. */
function base64Of(value: string): Base64[] {
  const bytes = Buffer.from(value);
  return [0, 2, 3]
    .map((startsAt, offset) => {
      const text = Buffer.concat([Buffer.alloc(offset), bytes])
        .toString('base64')
        .replace(/=+$/, '');
      const isCut = (offset + bytes.length) % 3 !== 0;
      return { inner: text.slice(startsAt, isCut ? -1 : undefined), isCut };
    })
    .filter(({ inner }) => inner.length >= SECRET_MASKED_CHARS_MIN);
}

/** Of both alphabets, with or without padding, also inside of JSON and of URLs. */
function base64Pattern({ inner, isCut }: Base64): string {
  const text = inner.replaceAll('+', PLUS).replaceAll('/', SLASH);
  return `${text}${isCut ? `(?:[A-Za-z0-9]|${PLUS}|${SLASH})?` : ''}(?:=|%3[dD]){0,2}`;
}

const PLUS = '(?:[+-]|%2[bB])';
const SLASH = String.raw`(?:\\{0,16}[/_]|%2[fF])`;

/** One character: itself, escaped by backslashes (as often as JSON stands in JSON), or by percent signs. Letters and digits nobody escapes. */
function anyFormOf(character: string): string {
  if (/^[A-Za-z0-9]$/.test(character)) return character;
  const short = SHORT_ESCAPES[character] ?? literal(character);
  const units = Array.from({ length: character.length }, (_, at) => hexDigits(character.charCodeAt(at), 4));
  const unicode = units.map((digits) => `${BACKSLASHES}u${digits}`).join('');
  const bytes = [...Buffer.from(character)].map((byte) => `%(?:25){0,4}${hexDigits(byte, 2)}`).join('');
  // The longest first: a backslash alone is a form of itself.
  return `(?:${BACKSLASHES}${short}|${unicode}|${bytes}|${literal(character)}${character === ' ' ? String.raw`|\+` : ''})`;
}

/** As many as JSON has that stands in JSON four times. Bounded, or a text of backslashes would take longer than it is long. */
const BACKSLASHES = String.raw`\\{1,16}`;

/** Longest form of a character: `\\u00fc` behind some backslashes, or four bytes that were encoded twice. */
const FORM_CHARS_MAX = 24;
/** A form of a character that is cut itself. */
const CUT_FORM = /^(?:(?:\\+u[0-9a-fA-F]{4})?\\+(?:u[0-9a-fA-F]{0,4})?|(?:%(?:25)*[0-9a-fA-F]{0,2}){1,4})$/;

/** By character: values consist of the same ones. */
const FORMS = new Map<string, RegExp>();

function formsOf(character: string): RegExp {
  const forms = FORMS.get(character) ?? new RegExp(anyFormOf(character), 'y');
  FORMS.set(character, forms);
  return forms;
}

/** As many characters as the end of `text` has of a value in any mixture of forms. */
function beginningLength(text: string, characters: readonly RegExp[], charsMin: number): number {
  for (let from = Math.max(0, text.length - characters.length * FORM_CHARS_MAX); from <= text.length - charsMin; from++)
    if (isBeginning(text, from, characters)) return text.length - from;
  return 0;
}

function isBeginning(text: string, from: number, characters: readonly RegExp[]): boolean {
  let at = from;
  for (const character of characters) {
    if (at === text.length) return true;
    character.lastIndex = at;
    if (!character.test(text)) return at > from && CUT_FORM.test(text.slice(at));
    at = character.lastIndex;
  }
  return false;
}

/** How many characters at the end of `text` begin `form` and are not all of it. */
function prefixLength(text: string, form: string, charsMin: number): number {
  const head = form.slice(0, charsMin);
  const from = Math.max(0, text.length - form.length + 1);
  for (let at = text.indexOf(head, from); at >= 0; at = text.indexOf(head, at + 1))
    if (form.startsWith(text.slice(at))) return text.length - at;
  return 0;
}

/** What stands behind the backslash in JSON. */
const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '\n': 'n',
  '\r': 'r',
  '\t': 't',
  '\b': 'b',
  '\f': 'f',
  // Two or more of them.
  '\\': String.raw`\\`,
};

/** In small letters or capitals. */
function hexDigits(number: number, count: number): string {
  const digits = number.toString(16).padStart(count, '0');
  return digits.replace(/[a-f]/g, (letter) => `[${letter}${letter.toUpperCase()}]`);
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\/-]/g, '\\$&');
}
