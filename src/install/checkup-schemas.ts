import { CHECKUP_NAME_CHARS_MAX } from '../checkup-limits.ts';
import { checkEntry } from '../core/entries.ts';
import type { ListKind } from '../core/model.ts';

/** What is wrong with the entries of a server's lists, for hosts that are strict. Pure: `entries` are raw JSON, as the server sent them. */

/** Entries that mcpd itself has to repair or to leave out before any host gets them. */
export function repairedEntries(kind: ListKind, entries: readonly string[]): string[] {
  return entries.flatMap((entry) => {
    const { finding } = checkEntry(kind, entry);
    return finding === null ? [] : [finding];
  });
}

/** Names that the APIs behind hosts refuse, and names that occur twice. */
export function refusedNames(tools: readonly string[]): string[] {
  const seen = new Set<string>();
  return named(tools).flatMap(({ name }) => {
    const twice = seen.has(name);
    seen.add(name);
    if (twice) return [`two tools are called ${short(name)}`];
    if (name.length > CHECKUP_NAME_CHARS_MAX) return [`${short(name)} has ${name.length} characters`];
    return /^[A-Za-z0-9_-]+$/.test(name) ? [] : [`${short(name)} has characters other than A-Z, a-z, 0-9, _ and -`];
  });
}

/** Tools without a word about what they do: a model has only their name to go by. */
export function undescribed(tools: readonly string[]): string[] {
  return named(tools).flatMap(({ name, tool }) => {
    const { description } = tool;
    return typeof description === 'string' && description.trim() !== '' ? [] : [`${short(name)} has no description`];
  });
}

/** Schemas of arguments that strict hosts refuse, and with them the tool or all of the request. */
export function refusedSchemas(tools: readonly string[]): string[] {
  return named(tools).flatMap(({ name, tool }) => {
    const fault = faultOf(tool['inputSchema']);
    return fault === null ? [] : [`${short(name)}: ${fault}`];
  });
}

// — internal —

/** Names in a reason: what follows must still be read. */
const NAME_SHOWN = 60;
/** A schema as deep as this is no description of arguments any more. */
const DEPTH_MAX = 64;
const COMBINING = ['anyOf', 'oneOf', 'allOf'] as const;

type Members = Record<string, unknown>;

function named(tools: readonly string[]): { name: string; tool: Members }[] {
  return tools.flatMap((text) => {
    const tool: unknown = JSON.parse(text);
    if (!isMembers(tool)) return [];
    const { name } = tool;
    return typeof name === 'string' && name !== '' ? [{ name, tool }] : [];
  });
}

function faultOf(schema: unknown): string | null {
  if (!isMembers(schema)) return 'its inputSchema is no object';
  if (schema['type'] !== 'object') return 'its inputSchema is not of "type": "object"';
  const combining = COMBINING.find((key) => schema[key] !== undefined);
  if (combining !== undefined) return `its inputSchema has ${combining} at the top, which strict hosts refuse`;
  return partFault(schema, 0, '');
}

/** In the order of the schema, the first one. */
function partFault(part: unknown, depth: number, path: string): string | null {
  if (depth > DEPTH_MAX) return `its inputSchema is more than ${DEPTH_MAX} levels deep`;
  if (Array.isArray(part)) return first(part.map((each, at) => () => partFault(each, depth + 1, `${path}/${at}`)));
  if (!isMembers(part)) return null;
  const { $ref: reference, type, items } = part;
  if (typeof reference === 'string' && !reference.startsWith('#'))
    return `its inputSchema refers to another document at ${path || '/'}, which no host fetches`;
  if (type === 'array' && items === undefined)
    return `the array at ${path || '/'} has no "items", which strict hosts refuse`;
  return first(
    Object.entries(part).map(
      ([key, each]) =>
        () =>
          partFault(each, depth + 1, `${path}/${key}`),
    ),
  );
}

function first(looks: readonly (() => string | null)[]): string | null {
  for (const look of looks) {
    const fault = look();
    if (fault !== null) return fault;
  }
  return null;
}

function short(name: string): string {
  return name.length <= NAME_SHOWN ? name : `${name.slice(0, NAME_SHOWN)}…`;
}

function isMembers(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
