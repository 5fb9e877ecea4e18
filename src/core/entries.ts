import { text as bytesText, members } from '../protocol/members.ts';
import { LISTS } from '../protocol/methods.ts';
import type { ListKind } from './model.ts';

/**
 * Entries of lists, made acceptable to hosts. One odd entry must never cost a host the whole list: what can be repaired is repaired,
 * what cannot be used is dropped, and both are said. Values that stay keep the bytes the server sent.
 */

export interface CheckedEntry {
  /** Raw JSON of the entry as hosts get it, but for its name; null when it was dropped. */
  raw: string | null;
  /** The tool's or prompt's raw name, the URI or the template; null when it has none. */
  key: string | null;
  /** What was repaired or why it was dropped; null when it is as the server sent it. */
  finding: string | null;
}

type Repair = 'drop-member' | { replaceWith: string };
/** `text` gives the raw JSON of the value. */
type Check = (value: unknown, text: () => string) => Repair | null;

/** `text` is the raw JSON of one entry (one member or element of a message that the scanner accepted). */
export function checkEntry(kind: ListKind, text: string): CheckedEntry {
  const value: unknown = JSON.parse(text);
  if (!isObject(value))
    return { raw: null, key: null, finding: `an entry of ${LISTS[kind].method} is ${describe(value)}, not an object` };
  const { key: keyName } = LISTS[kind];
  const key = value[keyName];
  if (typeof key !== 'string' || key === '') {
    return {
      raw: null,
      key: null,
      finding: `an entry of ${LISTS[kind].method} has no usable ${keyName} (${describe(key)})`,
    };
  }
  const unusable = kind === 'tools' ? unusableSchema(value['inputSchema']) : null;
  if (unusable !== null) return { raw: null, key, finding: `${key}: dropped, ${unusable}` };

  const repairs = new Map<string, Repair>();
  for (const [name, check] of Object.entries(CHECKS[kind])) {
    const repair = Object.hasOwn(value, name) ? check(value[name], () => memberText(text, name)) : null;
    if (repair !== null) repairs.set(name, repair);
  }
  if (kind === 'tools' && !Object.hasOwn(value, 'inputSchema'))
    repairs.set('inputSchema', { replaceWith: '{"type":"object"}' });
  if ((kind === 'resources' || kind === 'templates') && typeof value['name'] !== 'string')
    repairs.set('name', { replaceWith: JSON.stringify(key) });
  if (repairs.size === 0) return { raw: text, key, finding: null };
  return { raw: rebuilt(text, value, repairs), key, finding: `${key}${REPAIRED}${[...repairs.keys()].join(', ')}` };
}

/** The finding tells of an entry that is there, other than those of entries that are not. */
export function isRepair(finding: string): boolean {
  return REPAIR.test(finding);
}

// — internal —

const REPAIRED = ': repaired ';
/** To its end: an entry may be called like this too. */
const REPAIR = new RegExp(`${REPAIRED}\\w+(?:, \\w+)*$`);

const string: Check = (value) => (typeof value === 'string' ? null : 'drop-member');
const object: Check = (value) => (isObject(value) ? null : 'drop-member');
const number: Check = (value) => (typeof value === 'number' ? null : 'drop-member');
const icons: Check = (value) =>
  Array.isArray(value) && value.every((icon) => isObject(icon) && typeof icon['src'] === 'string')
    ? null
    : 'drop-member';
const promptArguments: Check = (value) =>
  Array.isArray(value) && value.every((one) => isObject(one) && typeof one['name'] === 'string') ? null : 'drop-member';
const annotations: Check = (value) => {
  if (!isObject(value)) return 'drop-member';
  const hints = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'];
  return hints.every((hint) => value[hint] === undefined || typeof value[hint] === 'boolean') ? null : 'drop-member';
};

const SHARED = { title: string, description: string, _meta: object, icons } as const;

/** The optional members that hosts parse strictly, and what becomes of a value of the wrong shape. */
const CHECKS: Record<ListKind, Record<string, Check>> = {
  tools: {
    ...SHARED,
    annotations,
    execution: object,
    inputSchema: (value, text) => repairedSchema(value, text()),
    outputSchema: (value) => (isObject(value) ? null : 'drop-member'),
  },
  prompts: { ...SHARED, arguments: promptArguments },
  resources: { ...SHARED, mimeType: string, size: number, annotations: object },
  templates: { ...SHARED, mimeType: string, annotations: object },
};

/** Why no object of arguments can fit this schema, or null. */
function unusableSchema(schema: unknown): string | null {
  if (!isObject(schema)) return null;
  const { type } = schema;
  if (typeof type === 'string' && type !== 'object')
    return `its inputSchema is of type ${JSON.stringify(type)}, and arguments are always an object`;
  if (Array.isArray(type) && !type.includes('object')) return 'its inputSchema allows no object';
  return null;
}

/** Hosts accept only `{"type":"object", …}` with a sound frame; whatever lies deeper is the server's business. */
function repairedSchema(schema: unknown, text: string): Repair | null {
  if (!isObject(schema)) return { replaceWith: '{"type":"object"}' };
  const repairs = new Map<string, Repair>();
  for (const [name, value] of Object.entries(schema)) {
    const repair = SCHEMA_CHECKS.get(name)?.(value, () => memberText(text, name)) ?? null;
    if (repair !== null) repairs.set(name, repair);
  }
  if (schema['type'] !== 'object') repairs.set('type', { replaceWith: '"object"' });
  return repairs.size === 0 ? null : { replaceWith: rebuilt(text, schema, repairs) };
}

const schemas: Check = (value, text) => {
  if (!isObject(value)) return 'drop-member';
  const odd = Object.entries(value).filter(([, one]) => !isObject(one));
  if (odd.length === 0) return null;
  return { replaceWith: rebuilt(text(), value, new Map(odd.map(([name]) => [name, { replaceWith: '{}' }]))) };
};

const SCHEMA_CHECKS: ReadonlyMap<string, Check> = new Map<string, Check>([
  ['$ref', (value) => (value === '#' ? 'drop-member' : null)],
  [
    'required',
    (value) => (Array.isArray(value) && value.every((one) => typeof one === 'string') ? null : 'drop-member'),
  ],
  ['properties', schemas],
  ['$defs', object],
  ['definitions', object],
]);

/** The entry with its repaired members replaced or left out. The others keep their bytes. */
function rebuilt(text: string, value: Record<string, unknown>, repairs: ReadonlyMap<string, Repair>): string {
  const parts: string[] = [];
  for (const [name, raw] of rawMembers(text, value)) {
    const repair = repairs.get(name);
    if (repair === 'drop-member') continue;
    parts.push(`${JSON.stringify(name)}:${repair === undefined ? raw : repair.replaceWith}`);
  }
  for (const [name, repair] of repairs) {
    if (repair !== 'drop-member' && !Object.hasOwn(value, name))
      parts.push(`${JSON.stringify(name)}:${repair.replaceWith}`);
  }
  return `{${parts.join(',')}}`;
}

/** Raw JSON of one member; of a key given twice the last counts. */
function memberText(text: string, name: string): string {
  const bytes = Buffer.from(text);
  const found = members(bytes, { start: 0, end: bytes.length }).findLast(({ key }) => key === name);
  return found === undefined ? 'null' : bytesText(bytes, found);
}

function rawMembers(text: string, value: Record<string, unknown>): [string, string][] {
  const bytes = Buffer.from(text);
  const list = members(bytes, { start: 0, end: bytes.length });
  // Of a key given twice the last counts, as in JSON.parse, whose view the checks had.
  const last = new Map(list.map((entry) => [entry.key, entry]));
  return Object.keys(value).flatMap((name): [string, string][] => {
    const entry = last.get(name);
    return entry === undefined ? [] : [[name, bytesText(bytes, entry)]];
  });
}

function describe(value: unknown): string {
  if (value === undefined) return 'missing';
  if (value === null) return 'null';
  return Array.isArray(value) ? 'an array' : `a ${typeof value}`;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
