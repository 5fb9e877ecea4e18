import type { EntryChange } from '../api/contract/updates.ts';
import { type CachedList, LIST_KINDS, type ListKind, type ServerMemory } from '../core/model.ts';
import { UPDATE_VALUE_CHARS_MAX } from '../operation-limits.ts';

/** By which member an entry is known. */
export const LIST_KEYS: Readonly<Record<ListKind, string>> = {
  tools: 'name',
  prompts: 'name',
  resources: 'uri',
  templates: 'uriTemplate',
};

/** What a server lists otherwise than before: its entries by name, in the order of the lists. Pure. */
export function listChanges(before: ServerMemory | null, after: ServerMemory): EntryChange[] {
  return LIST_KINDS.flatMap((kind) => changesOf(kind, entriesOf(before?.lists, kind), entriesOf(after.lists, kind)));
}

// — internal —

type Entry = Record<string, unknown>;

function entriesOf(lists: readonly CachedList[] | undefined, kind: ListKind): Map<string, Entry> {
  const entries = lists?.find((list) => list.kind === kind)?.entries ?? [];
  return new Map(
    entries.map((text) => {
      const entry = JSON.parse(text) as Entry;
      return [String(entry[LIST_KEYS[kind]]), entry];
    }),
  );
}

function changesOf(
  list: ListKind,
  before: ReadonlyMap<string, Entry>,
  after: ReadonlyMap<string, Entry>,
): EntryChange[] {
  const keys = [...new Set([...before.keys(), ...after.keys()])];
  return keys.flatMap((key): EntryChange[] => {
    const [old, fresh] = [before.get(key), after.get(key)];
    const members = memberChanges(old ?? {}, fresh ?? {}, LIST_KEYS[list]);
    if (old === undefined) return [{ list, key, change: 'added', members }];
    if (fresh === undefined) return [{ list, key, change: 'removed', members: [] }];
    return members.length === 0 ? [] : [{ list, key, change: 'changed', members }];
  });
}

function memberChanges(before: Entry, after: Entry, key: string): EntryChange['members'] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].filter((name) => name !== key);
  return names.flatMap((name) => {
    const texts = [before, after].map((entry) => (Object.hasOwn(entry, name) ? inOrder(entry[name]) : null));
    const [old = null, fresh = null] = texts;
    return old === fresh ? [] : [{ name, before: cut(old), after: cut(fresh) }];
  });
}

/** The order of members says nothing: a schema that is printed otherwise is the same one. */
function inOrder(value: unknown): string {
  return JSON.stringify(value, (_, part: unknown) => {
    if (typeof part !== 'object' || part === null || Array.isArray(part)) return part;
    return Object.fromEntries(Object.entries(part).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
}

function cut(text: string | null): string | null {
  if (text === null || text.length <= UPDATE_VALUE_CHARS_MAX) return text;
  return `${text.slice(0, UPDATE_VALUE_CHARS_MAX)}… (${text.length} characters)`;
}
