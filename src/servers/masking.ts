import { SECRET_MASKED_CHARS_MIN } from '../limits.ts';
import { type Beginning, beginningOf, CLUE_CHARS, type Pattern, patternsOf } from './secret-forms.ts';

const MASK = '***';

/** Replaces every known secret in a text, in the forms in which programs print them. */
export interface Mask {
  /** A text that ends in the middle of a secret loses that beginning as well. */
  (text: string): string;
  /** How many characters at the end of `text` may be the beginning of a secret of which the rest is still to come. */
  begun(text: string): number;
}

/**
 * A mask for these values: plain, escaped as in JSON, URL-encoded, each also in part, and in base64 at any offset, so that the
 * `Authorization: Basic` of `user:secret` is found too. Values shorter than SECRET_MASKED_CHARS_MIN are no secrets.
 */
export function maskOf(values: Iterable<string>): Mask {
  const secrets = [...new Set(Array.from(values, withItsLines).flat())].sort((a, b) => b.length - a.length);
  if (secrets.length === 0) return Object.assign((text: string) => text, { begun: () => 0 });
  const known = secrets.map((value): Known => ({ patterns: patternsOf(value), beginning: beginningOf(value) }));
  const clues = new Clues(known);
  const mask = (text: string) => {
    let masked = text;
    const suspects = clues.in(text);
    for (const suspect of suspects) masked = masked.replace(patternOf(suspect), MASK);
    const cut = longestOf(suspects, masked, SECRET_MASKED_CHARS_MIN);
    return cut === 0 ? masked : masked.slice(0, -cut) + MASK;
  };
  return Object.assign(mask, { begun: (text: string) => longestOf(known, text, 1) });
}

// — internal —

interface Known {
  patterns: readonly Pattern[];
  beginning: Beginning;
  /** Of all patterns together; made when it is first needed. */
  compiled?: RegExp;
}

function patternOf(known: Known): RegExp {
  known.compiled ??= new RegExp(known.patterns.map(({ source }) => source).join('|'), 'g');
  return known.compiled;
}

/**
 * Tells of which secrets a text may hold one, by one look at each character: most lines hold none, and trying all forms of all secrets at each place
 * of a line takes milliseconds. A clue is CLUE_CHARS characters that stand in each text in which a pattern matches.
 */
class Clues {
  readonly #byClue = new Map<string, Set<Known>>();
  /** 1 for each sum of a clue. Of a text that holds none of the clues hardly a character has one. */
  readonly #sums = new Uint8Array(SUM_MASK + 1);
  readonly #clueless: readonly Known[];
  readonly #order: ReadonlyMap<Known, number>;

  /** In the order in which `in` returns them. */
  constructor(all: readonly Known[]) {
    this.#order = new Map(all.map((known, at) => [known, at]));
    this.#clueless = all.filter(({ patterns }) => patterns.some(({ clue }) => clue === null));
    for (const known of all) {
      const clues = [...known.patterns.map(({ clue }) => clue), ...known.beginning.clues];
      for (const clue of clues) if (clue !== null) this.#add(clue, known);
    }
  }

  in(text: string): Known[] {
    const found = new Set(this.#clueless);
    let sum = 0;
    for (let at = 0; at < text.length; at++) {
      sum = nextSum(sum, text.charCodeAt(at));
      if (this.#sums[sum] === 0) continue;
      for (const known of this.#byClue.get(text.slice(at + 1 - CLUE_CHARS, at + 1)) ?? []) found.add(known);
    }
    return found.size < 2
      ? [...found]
      : [...found].sort((a, b) => (this.#order.get(a) ?? 0) - (this.#order.get(b) ?? 0));
  }

  #add(clue: string, known: Known): void {
    const all = this.#byClue.get(clue) ?? new Set();
    this.#byClue.set(clue, all.add(known));
    let sum = 0;
    for (let at = 0; at < clue.length; at++) sum = nextSum(sum, clue.charCodeAt(at));
    this.#sums[sum] = 1;
  }
}

const SUM_MASK = 0xffff;

/** Each character is moved on by a quarter, so that after CLUE_CHARS of them nothing is left of those before. */
function nextSum(sum: number, unit: number): number {
  return ((sum << 4) ^ unit) & SUM_MASK;
}

/** A line at a time is how a log meets a key of several lines. */
function withItsLines(value: string): string[] {
  return [value, ...value.split(/[\r\n]+/)].filter((part) => part.length >= SECRET_MASKED_CHARS_MIN);
}

function longestOf(all: readonly Known[], text: string, charsMin: number): number {
  return Math.max(0, ...all.map(({ beginning }) => beginning.length(text, charsMin)));
}
