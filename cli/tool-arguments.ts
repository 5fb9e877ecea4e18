import { McpdError } from '../src/errors.ts';

/**
 * The arguments of a tool call as JSON text, from `key=value` and `key:=json` words and the tool's input schema. Text and not an object:
 * a 64-bit number typed by a person arrives at the server digit for digit.
 *
 * - `key:=json` is taken as it is
 * - `key=value` is a string unless the schema says number, integer, boolean, object, array or null
 * - a key given several times, or a value that is not JSON, fills an array that the schema wants
 * @throws McpdError INPUT_INVALID naming the key
 */
export function argumentsJson(words: readonly string[], schema: unknown): string {
  const given = new Map<string, Given[]>();
  for (const word of words) {
    const { key, ...value } = wordParts(word);
    given.set(key, [...(given.get(key) ?? []), value]);
  }
  const members = [...given].map(
    ([key, values]) => `${JSON.stringify(key)}:${memberJson(key, values, propertyOf(schema, key), schema)}`,
  );
  return `{${members.join(',')}}`;
}

/** @throws McpdError INPUT_INVALID: `text` is not a JSON object */
export function objectJson(text: string): string {
  const kind = kindOf(text);
  if (kind === 'object') return text;
  throw new McpdError('INPUT_INVALID', {
    what: 'the arguments of a call are a JSON object',
    why: kind === null ? 'this is not JSON' : `this is JSON, but of type ${kind}`,
    fix: `--json '{"city":"Turin"}'`,
  });
}

// — internal —

const KINDS = ['string', 'number', 'integer', 'boolean', 'object', 'array', 'null'] as const;
type Kind = (typeof KINDS)[number];
type Schema = Record<string, unknown>;

/** A value as it was typed; `raw` after `:=`. */
interface Given {
  text: string;
  raw: boolean;
}

function wordParts(word: string): Given & { key: string } {
  const match = /^([^=]+?)(:?=)([\s\S]*)$/.exec(word);
  if (match === null) {
    throw new McpdError('INPUT_INVALID', {
      what: `${word} is no argument`,
      why: 'arguments are key=value, or key:=json',
      fix: word.startsWith('=') || word === '' ? 'key=value' : `${word}=…`,
    });
  }
  const [, key = '', sign, text = ''] = match;
  if (sign === '=') return { key, text, raw: false };
  if (kindOf(text) === null)
    throw new McpdError('INPUT_INVALID', {
      what: `the value of ${key} is not JSON`,
      why: 'after := stands JSON',
      fix: `${key}=… for a string`,
    });
  return { key, text, raw: true };
}

function memberJson(key: string, values: readonly Given[], schema: Schema, root: unknown): string {
  const kinds = kindsOf(schema);
  const [first] = values;
  const isItem = first !== undefined && kinds.has('array') && !first.raw && kindOf(first.text) !== 'array';
  if (first !== undefined && values.length === 1 && !isItem) return valueJson(key, first, schema);
  if (kinds.size > 0 && !kinds.has('array'))
    throw new McpdError('INPUT_INVALID', {
      what: `${key} is given ${values.length} times`,
      why: 'the tool takes one value',
      fix: `one ${key}=… only`,
    });
  const items = resolved(schema['items'], root);
  return `[${values.map((value) => valueJson(key, value, items)).join(',')}]`;
}

function valueJson(key: string, { text: value, raw }: Given, schema: Schema): string {
  if (raw) return value;
  const choice = choicesOf(schema).find((option) => isPlain(option) && String(option) === value);
  if (choice !== undefined) return JSON.stringify(choice);
  const kinds = kindsOf(schema);
  const text = value.trim();
  const kind = kindOf(text);
  if (kind !== null && kind !== 'string' && (kinds.has(kind) || (kind === 'integer' && kinds.has('number'))))
    return text;
  if (kinds.size === 0 || kinds.has('string')) return JSON.stringify(value);
  throw new McpdError('INPUT_INVALID', {
    what: `${key}=${value} does not fit`,
    why: `the tool wants ${key} as ${[...kinds].join(' or ')}`,
    fix: exampleOf(key, kinds),
  });
}

function exampleOf(key: string, kinds: ReadonlySet<Kind>): string {
  if (kinds.has('boolean')) return `${key}=true`;
  if (kinds.has('number') || kinds.has('integer')) return `${key}=3`;
  return kinds.has('array') ? `${key}:='["a","b"]'` : `${key}:='{"a":1}'`;
}

/** The JSON type of a text, or null when it is not JSON. */
function kindOf(text: string): Kind | null {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return null; // Not JSON is an answer here, not a failure.
  }
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return /^-?\d+$/.test(text.trim()) ? 'integer' : 'number';
  return typeof value as Kind;
}

function propertyOf(schema: unknown, key: string): Schema {
  const properties = resolved(schema, schema)['properties'];
  const found = isSchema(properties) && Object.hasOwn(properties, key) ? properties[key] : undefined;
  return resolved(found, schema);
}

/** Follows `$ref` within the same schema, a few steps at most: a circle ends too. */
function resolved(schema: unknown, root: unknown): Schema {
  let at = schema;
  for (let steps = 0; steps < 8 && isSchema(at) && typeof at['$ref'] === 'string'; steps += 1) {
    const path = at['$ref'].startsWith('#/') ? at['$ref'].slice(2).split('/') : [];
    at = path.reduce<unknown>(
      (inside, part) => (isSchema(inside) && Object.hasOwn(inside, part) ? inside[part] : undefined),
      root,
    );
  }
  if (!isSchema(at)) return {};
  const options = at['anyOf'] ?? at['oneOf'];
  if (!Array.isArray(options)) return at;
  const resolvedOptions = options.map((option) =>
    isSchema(option) && option['$ref'] !== undefined ? resolved(option, root) : option,
  );
  return { ...at, anyOf: resolvedOptions };
}

function kindsOf(schema: Schema): Set<Kind> {
  const kinds = new Set<Kind>();
  const type = schema['type'];
  for (const kind of KINDS) if (Array.isArray(type) ? type.includes(kind) : type === kind) kinds.add(kind);
  const options = schema['anyOf'];
  if (Array.isArray(options))
    for (const option of options) if (isSchema(option)) for (const kind of kindsOf(option)) kinds.add(kind);
  return kinds;
}

function choicesOf(schema: Schema): unknown[] {
  if (Array.isArray(schema['enum'])) return schema['enum'];
  return schema['const'] === undefined ? [] : [schema['const']];
}

/** Not text, and nothing that a server could make to fail when it is turned into text. */
function isPlain(option: unknown): boolean {
  return option === null || typeof option === 'number' || typeof option === 'boolean';
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
