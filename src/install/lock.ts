import { createHash } from 'node:crypto';
import type { LockedServer, LockFile } from '../api/contract/lock.ts';
import {
  type InstalledPackage,
  LIST_KINDS,
  type ListKind,
  type ServerDefinition,
  type ServerMemory,
} from '../core/model.ts';
import { placed } from '../own-places.ts';
import { LIST_KEYS } from './list-changes.ts';

/** What mcpd.lock says, and what is otherwise than it says. Pure. */

/** A server as it is now. */
export interface Present {
  definition: ServerDefinition;
  memory: ServerMemory | null;
}

/**
 * The lock after a change: servers that run what they ran keep what was agreed to of their lists, others are taken as they are now.
 * @param filesOf the digest of a package's files, for servers that are new in it
 */
export function nextLock(
  before: LockFile,
  present: readonly Present[],
  filesOf: ReadonlyMap<string, string>,
): LockFile {
  const servers = present.map(({ definition, memory }): [string, LockedServer] => {
    const { name } = definition;
    const known = before.servers[name];
    if (known?.fingerprint !== definition.fingerprint)
      return [name, lockedOf(definition, memory, filesOf.get(name) ?? null)];
    return [name, known.lists === null && memory !== null ? { ...known, ...agreedOf(memory) } : known];
  });
  return { version: 1, servers: Object.fromEntries(servers) };
}

/** The same, with the lists that a server has now. */
export function agreedTo(lock: LockFile, { definition, memory }: Present, files: string | null): LockFile {
  return { ...lock, servers: { ...lock.servers, [definition.name]: lockedOf(definition, memory, files) } };
}

/** As sentences. `files` is the digest of the package's files now; undefined when nobody looked. */
export function differencesOf(
  locked: LockedServer,
  { definition, memory }: Present,
  files: string | null | undefined,
): string[] {
  if (locked.fingerprint !== definition.fingerprint)
    return ['what it runs is not what mcpd.lock says: the lock was not written after the last change'];
  return [
    ...(files === undefined || files === locked.files
      ? []
      : ['files of its package were changed since it was installed']),
    ...(memory === null || locked.lists === null ? [] : memoryDifferences(locked, locked.lists, memory, LIST_KINDS)),
  ];
}

/**
 * What it tells models otherwise than it was agreed to, as sentences: its tools, prompts and templates, and its instructions. Resources are
 * data that come and go. None while the lock is of another launch.
 */
export function driftOf(locked: LockedServer, { definition, memory }: Present): string[] {
  if (locked.fingerprint !== definition.fingerprint || locked.lists === null || memory === null) return [];
  return memoryDifferences(locked, locked.lists, memory, TOLD_KINDS);
}

// — internal —

const TOLD_KINDS = LIST_KINDS.filter((kind) => kind !== 'resources');

/** Of names in a sentence; the others are counted. */
const NAMES_SHOWN = 5;

const NOUNS: Readonly<Record<ListKind, string>> = {
  tools: 'tools',
  prompts: 'prompts',
  resources: 'resources',
  templates: 'templates',
};

function lockedOf(
  { launch, source, fingerprint }: ServerDefinition,
  memory: ServerMemory | null,
  files: string | null,
): LockedServer {
  const agreed = memory === null ? { lists: null, instructions: null } : agreedOf(memory);
  const pack = lockedPackage('package' in source ? (source.package ?? null) : null);
  if (launch.kind === 'http')
    return {
      package: pack,
      argv: [launch.url],
      env: Object.keys(launch.headers).sort(),
      fingerprint,
      files: null,
      ...agreed,
    };
  const { command, args } = placed(launch);
  return {
    package: pack,
    argv: [command, ...args],
    env: Object.keys(launch.env).sort(),
    fingerprint,
    files,
    ...agreed,
  };
}

/** Without the values that a person gave: the lock names variables only. */
function lockedPackage(pack: InstalledPackage | null): InstalledPackage | null {
  if (pack?.asked?.given === undefined) return pack;
  const { asked, ...plain } = pack;
  const { given: _, ...rest } = asked;
  return Object.keys(rest).length === 0 ? plain : { ...plain, asked: rest };
}

function agreedOf(memory: ServerMemory): Pick<LockedServer, 'lists' | 'instructions'> {
  const [tools, prompts, resources, templates] = [
    digestsOf(memory, 'tools'),
    digestsOf(memory, 'prompts'),
    digestsOf(memory, 'resources'),
    digestsOf(memory, 'templates'),
  ];
  return { lists: { tools, prompts, resources, templates }, instructions: digestOf(memory.instructions) };
}

function digestsOf({ lists }: ServerMemory, kind: ListKind): Record<string, string> {
  const entries = lists.find((list) => list.kind === kind)?.entries ?? [];
  return Object.fromEntries(
    entries.map((text) => [
      String((JSON.parse(text) as Record<string, unknown>)[LIST_KEYS[kind]]),
      digestOf(text) ?? '',
    ]),
  );
}

function memoryDifferences(
  { instructions }: LockedServer,
  lists: AgreedLists,
  memory: ServerMemory,
  kinds: readonly ListKind[],
): string[] {
  return [
    ...listDifferences(lists, memory, kinds),
    ...(digestOf(memory.instructions) === instructions
      ? []
      : ['what it tells models was changed since it was installed']),
  ];
}

type AgreedLists = NonNullable<LockedServer['lists']>;

function listDifferences(agreed: AgreedLists, memory: ServerMemory, kinds: readonly ListKind[]): string[] {
  return kinds.flatMap((kind) => {
    const before = new Map(Object.entries(agreed[kind]));
    const after = new Map(Object.entries(digestsOf(memory, kind)));
    const added = [...after.keys()].filter((key) => !before.has(key));
    const removed = [...before.keys()].filter((key) => !after.has(key));
    const changed = [...after].flatMap(([key, digest]) => (before.has(key) && before.get(key) !== digest ? [key] : []));
    const parts = [part('new', added), part('gone', removed), part('otherwise', changed)].flat();
    return parts.length === 0 ? [] : [`its ${NOUNS[kind]} are not those that were agreed to: ${parts.join('; ')}`];
  });
}

function part(what: string, keys: readonly string[]): string[] {
  if (keys.length === 0) return [];
  const more = keys.length - NAMES_SHOWN;
  return [`${what}: ${keys.slice(0, NAMES_SHOWN).join(', ')}${more > 0 ? ` and ${more} more` : ''}`];
}

function digestOf(text: string | null): string | null {
  return text === null ? null : `sha256:${createHash('sha256').update(text).digest('hex')}`;
}
