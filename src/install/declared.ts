import { createHash } from 'node:crypto';
import { DeclaredSet } from '../api/contract.ts';
import type { ServerDefinition } from '../core/model.ts';
import { McpdError } from '../errors.ts';
import { serverNameOf } from '../server-names.ts';
import { jsonFault } from './json-fault.ts';

/** `mcpd apply -f`: what a file declares, compared with what is installed. Pure. */

export type DeclaredEntry = DeclaredSet['mcpServers'][string];

export interface Declaration {
  /** The server's name; the file's own words slugged. */
  name: string;
  entry: DeclaredEntry;
  /** sha-256 (hex) of the entry, whatever the order of its members. */
  digest: string;
}

export interface DeclaredFile {
  declarations: Declaration[];
  /** Entries that will not do; the others count all the same. */
  failed: { name: string; error: McpdError }[];
  warnings: string[];
}

export interface DeclaredDiff {
  add: Declaration[];
  change: { declaration: Declaration; present: ServerDefinition }[];
  /** Only what came from this file. */
  remove: string[];
  unchanged: string[];
  failed: { name: string; error: McpdError }[];
}

/** @throws McpdError CONFIG_INVALID with line and column: a file that is no whole declares nothing */
export function readDeclared(path: string, text: string): DeclaredFile {
  const parsed = parseJson(path, text.replace(/^\uFEFF/, ''));
  const servers = isRecord(parsed) ? parsed['mcpServers'] : undefined;
  if (!isRecord(servers)) {
    throw new McpdError('CONFIG_INVALID', {
      what: `${path} declares no servers`,
      why: 'it has no object "mcpServers"',
      fix: 'mcpd export shows what such a file looks like',
    });
  }
  const file: DeclaredFile = { declarations: [], failed: [], warnings: [] };
  const names = new Set<string>();
  for (const [written, value] of Object.entries(servers)) {
    try {
      const name = serverNameOf(written);
      if (names.has(name)) throw twice(name, written);
      names.add(name);
      if (name !== written) file.warnings.push(`${name} is called "${written.slice(0, 60)}" in the file`);
      const { entry, warnings } = readEntry(name, value);
      file.warnings.push(...warnings);
      file.declarations.push({ name, entry, digest: digestOf(value) });
    } catch (error) {
      if (!(error instanceof McpdError)) throw error;
      file.failed.push({ name: written, error });
    }
  }
  return file;
}

/** What has to be done so that the registry has what the file at `path` declares. `exported` is what exports would write now. */
export function compareDeclared(
  path: string,
  file: DeclaredFile,
  installed: readonly ServerDefinition[],
  ...exported: DeclaredSet['mcpServers'][]
): DeclaredDiff {
  const present = new Map(installed.map((definition) => [definition.name, definition]));
  const diff: DeclaredDiff = { add: [], change: [], remove: [], unchanged: [], failed: [...file.failed] };
  // An entry that will not do changes nothing: what was declared under its name before stays.
  const kept = new Set([...file.declarations, ...file.failed].map(({ name }) => nameOrNull(name)));
  for (const declaration of file.declarations) {
    const before = present.get(declaration.name);
    if (before === undefined) diff.add.push(declaration);
    else if (!isFrom(before, path)) {
      // A server of the same name that somebody installed: fine if it is just what the file says, as after an export.
      const digests = exported.flatMap((set) => set[before.name] ?? []).map(digestOf);
      if (digests.includes(declaration.digest)) diff.unchanged.push(before.name);
      else diff.failed.push({ name: declaration.name, error: elsewhere(before) });
    } else if (before.source.kind === 'file' && before.source.digest === declaration.digest)
      diff.unchanged.push(before.name);
    else diff.change.push({ declaration, present: before });
  }
  diff.remove = installed.filter((each) => isFrom(each, path) && !kept.has(each.name)).map(({ name }) => name);
  return diff;
}

// — internal —

function parseJson(path: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new McpdError('CONFIG_INVALID', {
      what: `${path} is not valid JSON`,
      why: jsonFault(text, error),
      fix: 'repair that place; nothing was changed',
    });
  }
}

/** Members of an entry that mean something here, and what they hold. */
const MEMBERS: ReadonlyMap<string, string> = new Map([
  ['command', 'a text'],
  ['args', 'a list of texts'],
  ['env', 'texts by the names of variables'],
  ['cwd', 'a text'],
  ['install', 'a text'],
  ['package', 'integrity, registry (an https address without a password) and runtimeArguments'],
  ['start', '"on-demand", "always" or "manual"'],
  ['sharing', '"auto", "shared", "per-session" or "per-workspace"'],
  ['enabled', 'true or false'],
  ['disabled', 'true or false'],
  ['limits', 'whole numbers above zero by name'],
  ['url', 'a text'],
  ['transport', '"auto", "streamable-http" or "sse"'],
  ['headers', 'texts by the names of headers'],
  ['type', '"stdio", "http" or "sse"'],
]);

function readEntry(name: string, value: unknown): { entry: DeclaredEntry; warnings: string[] } {
  const invalid = (why: string, fix?: string) =>
    new McpdError('CONFIG_INVALID', {
      what: `the entry ${name} will not do`,
      why,
      ...(fix === undefined ? {} : { fix }),
    });
  const parsed = DeclaredSet.safeParse({ mcpServers: { entry: value } });
  const entry = parsed.data?.mcpServers['entry'];
  if (entry === undefined || !isRecord(value)) {
    const path = parsed.error?.issues[0]?.path.slice(2).map(String) ?? [];
    const [member = ''] = path;
    throw invalid(
      member === ''
        ? 'it is not an object'
        : `its member ${path.join('.')} does not fit: "${member}" holds ${MEMBERS.get(member) ?? 'something else'}`,
    );
  }
  const ways = WAYS.filter((way) => entry[way] !== undefined);
  if (ways.length > 1) throw invalid(`it has both "${ways[0]}" and "${ways[1]}"`, 'keep one of the two');
  if (ways.length === 0) throw invalid('it has neither "command" nor "install" nor "url"');
  if (entry.package !== undefined && entry.install === undefined)
    throw invalid('it has "package" without "install"', 'name what it is installed from');
  const unknown = Object.keys(value).filter((member) => !MEMBERS.has(member));
  return {
    // Several hosts write `disabled`: what is off there must not start here.
    entry: (value['disabled'] ?? false) !== false ? { ...entry, enabled: false } : entry,
    warnings:
      unknown.length === 0 ? [] : [`${name}: mcpd makes no use of ${unknown.slice(0, UNKNOWN_SHOWN).join(', ')}`],
  };
}

/** What a server can be: exactly one of them. */
const WAYS = ['command', 'install', 'url'] as const;

/** Unknown members that a warning names. */
const UNKNOWN_SHOWN = 5;

function digestOf(value: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(value)))
    .digest('hex');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isRecord(value)) return value;
  return Object.entries(value)
    .sort(([one], [other]) => (one < other ? -1 : 1))
    .map(([key, member]) => [key, sorted(member)]);
}

function nameOrNull(written: string): string | null {
  try {
    return serverNameOf(written);
  } catch {
    return null; // it was reported as failed already, and no server can have it
  }
}

function isFrom(definition: ServerDefinition, path: string): boolean {
  return definition.source.kind === 'file' && definition.source.ref === path;
}

function twice(name: string, written: string): McpdError {
  return new McpdError('NAME_TAKEN', {
    what: `two entries come to the name ${name}`,
    why: `"${written.slice(0, 60)}" is the second`,
    fix: 'rename one of them in the file',
  });
}

function elsewhere({ name, source }: ServerDefinition): McpdError {
  return new McpdError('NAME_TAKEN', {
    what: `there is another server "${name}" already, which was not declared in this file`,
    why:
      source.kind === 'file'
        ? `it is declared in ${source.ref}`
        : `it was installed by hand (${source.ref}), and differs from what the file says`,
    fix: `rename it in the file, or: mcpd uninstall ${name}`,
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
