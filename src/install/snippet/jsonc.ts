/**
 * Reads JSON as people paste it: with comments, trailing commas and a byte order mark, each value with its place, so that what will not do
 * can be shown where it stands. Pure. Nothing of the text is quoted in a fault: a secret as likely as not.
 */

export type JsonNode = { at: number } & (
  | { kind: 'object'; members: JsonMember[] }
  | { kind: 'array'; items: JsonNode[] }
  | { kind: 'string'; value: string }
  | { kind: 'number'; value: number }
  | { kind: 'boolean'; value: boolean }
  | { kind: 'null' }
);

interface JsonMember {
  name: string;
  /** Offset of the name. */
  at: number;
  value: JsonNode;
}

/** Values inside one another; deeper text is no configuration of a server. */
export const JSON_DEPTH_MAX = 64;

export class JsonFault extends Error {
  readonly at: number;

  constructor(at: number, reason: string) {
    super(reason);
    this.at = at;
  }
}

/** @throws JsonFault */
export function parseJsonc(text: string): JsonNode {
  const reader = new Reader(text);
  const node = reader.value(0);
  reader.end();
  return node;
}

/** Both count from 1; a tab and a character of two code units are as many columns as code units. */
export function placeOf(text: string, at: number): { line: number; column: number } {
  const before = text.slice(0, at).split('\n');
  return { line: before.length, column: (before.at(-1)?.length ?? 0) + 1 };
}

/** Of the last member of that name, as JSON.parse has it. */
export function memberOf(node: JsonNode, name: string): JsonNode | undefined {
  return node.kind === 'object' ? node.members.findLast((member) => member.name === name)?.value : undefined;
}

// — internal —

class Reader {
  readonly #text: string;
  #at: number;

  constructor(text: string) {
    this.#text = text;
    this.#at = text.startsWith('\uFEFF') ? 1 : 0;
  }

  value(depth: number): JsonNode {
    this.#skip();
    if (depth > JSON_DEPTH_MAX) throw this.#fault(`values stand more than ${JSON_DEPTH_MAX} deep inside one another`);
    const at = this.#at;
    const next = this.#text[at];
    if (next === '{') return { kind: 'object', at, members: this.#members(depth) };
    if (next === '[') return { kind: 'array', at, items: this.#items(depth) };
    if (next === '"') return { kind: 'string', at, value: this.#string() };
    if (next === undefined) throw this.#fault('the text ends where a value should be');
    const word = this.#match(WORD);
    if (word === 'true' || word === 'false') return { kind: 'boolean', at, value: word === 'true' };
    if (word === 'null') return { kind: 'null', at };
    if (word !== '' && NUMBER.test(word)) return { kind: 'number', at, value: Number(word) };
    this.#at = at;
    throw this.#fault(next === "'" ? 'texts stand between double quotes' : 'no value begins so');
  }

  end(): void {
    this.#skip();
    if (this.#at < this.#text.length) throw this.#fault('something follows the end');
  }

  #members(depth: number): JsonMember[] {
    const members: JsonMember[] = [];
    this.#list('}', () => {
      const at = this.#at;
      if (this.#text[at] !== '"') throw this.#fault('the name of a member between double quotes should be here');
      const name = this.#string();
      this.#skip();
      if (this.#text[this.#at] !== ':') throw this.#fault('a colon should be here');
      this.#at += 1;
      members.push({ name, at, value: this.value(depth + 1) });
    });
    return members;
  }

  #items(depth: number): JsonNode[] {
    const items: JsonNode[] = [];
    this.#list(']', () => items.push(this.value(depth + 1)));
    return items;
  }

  /** What stands between brackets, with commas between and perhaps one behind the last. */
  #list(close: '}' | ']', one: () => void): void {
    this.#at += 1;
    for (;;) {
      this.#skip();
      if (this.#text[this.#at] === close) break;
      if (this.#at >= this.#text.length) throw this.#fault(`the text ends before its "${close}"`);
      one();
      this.#skip();
      if (this.#text[this.#at] === ',') this.#at += 1;
      else if (this.#at < this.#text.length && this.#text[this.#at] !== close)
        throw this.#fault(`a comma or "${close}" should be here`);
    }
    this.#at += 1;
  }

  #string(): string {
    const at = this.#at;
    const raw = this.#match(STRING);
    if (raw === '') throw this.#fault('this text does not end on its line');
    try {
      return JSON.parse(raw) as string;
    } catch {
      this.#at = at;
      throw this.#fault('this text holds what JSON does not allow: a wrong escape, or a control character');
    }
  }

  #skip(): void {
    while (this.#match(BLANK) !== '');
    if (this.#text.startsWith('/*', this.#at)) throw this.#fault('this comment has no end');
  }

  /** What the sticky pattern matches here, behind which the reader then stands; empty when nothing does. */
  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const [found = ''] = pattern.exec(this.#text) ?? [];
    this.#at += found.length;
    return found;
  }

  #fault(reason: string): JsonFault {
    return new JsonFault(this.#at, reason);
  }
}

const WORD = /[A-Za-z0-9+.-]+/y;
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;
/** Blanks that an editor leaves count too: a no-break space is not seen. */
const BLANK = /[\s\u00A0]+|\/\/[^\n]*|\/\*[\s\S]*?\*\//y;
const STRING = /"(?:[^"\\\n]|\\.)*"/y;
