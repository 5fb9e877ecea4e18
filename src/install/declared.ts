import { createHash } from 'node:crypto';
import { DeclaredSet } from '../api/contract.ts';
import type { ServerDefinition } from '../core/model.ts';
import { McpdError } from '../errors.ts';
import { serverNameOf } from '../server-names.ts';

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
      file.declarations.push({ name, entry: readEntry(name, value), digest: digestOf(value) });
    } catch (error) {
      if (!(error instanceof McpdError)) throw error;
      file.failed.push({ name: written, error });
    }
  }
  return file;
}

/** What has to be done so that the registry has what the file at `path` declares. */
export function compareDeclared(
  path: string,
  file: DeclaredFile,
  installed: readonly ServerDefinition[],
): DeclaredDiff {
  const present = new Map(installed.map((definition) => [definition.name, definition]));
  const diff: DeclaredDiff = { add: [], change: [], remove: [], unchanged: [], failed: [...file.failed] };
  // An entry that will not do changes nothing: what was declared under its name before stays.
  const kept = new Set([...file.declarations, ...file.failed].map(({ name }) => nameOrNull(name)));
  for (const declaration of file.declarations) {
    const before = present.get(declaration.name);
    if (before === undefined) diff.add.push(declaration);
    else if (!isFrom(before, path)) diff.failed.push({ name: declaration.name, error: elsewhere(before) });
    else if (before.source.kind === 'file' && before.source.digest === declaration.digest)
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
    const words = error instanceof Error ? error.message : String(error);
    const at = /position (\d+)/.exec(words)?.[1];
    // Without a position the text ends too early.
    const before = text.slice(0, at === undefined ? text.trimEnd().length : Number(at)).split('\n');
    const reason = words
      .replace(/,? ?(in JSON )?at position.*$/s, '')
      .replace(/"[^"]*"\.\.\. is not valid JSON.*$/s, 'this is not JSON');
    throw new McpdError('CONFIG_INVALID', {
      what: `${path} is not valid JSON`,
      why: `line ${before.length}, column ${(before.at(-1)?.length ?? 0) + 1}: ${reason}`,
      fix: 'repair that place; nothing was changed',
    });
  }
}

function readEntry(name: string, value: unknown): DeclaredEntry {
  const invalid = (why: string, fix?: string) =>
    new McpdError('CONFIG_INVALID', {
      what: `the entry ${name} will not do`,
      why,
      ...(fix === undefined ? {} : { fix }),
    });
  const parsed = DeclaredSet.safeParse({ mcpServers: { entry: value } });
  const entry = parsed.data?.mcpServers['entry'];
  if (entry === undefined) {
    const issue = parsed.error?.issues[0];
    const member = issue?.path.slice(2).join('.') ?? '';
    throw invalid(
      member === '' ? 'it is not an object' : `its member ${member} is not as expected: ${issue?.message ?? ''}`,
    );
  }
  if (entry.command !== undefined && entry.install !== undefined)
    throw invalid('it has both "command" and "install"', 'keep one of the two');
  if (entry.command === undefined && entry.install === undefined) {
    const remote = isRecord(value) && typeof value['url'] === 'string';
    throw invalid(
      remote ? 'it has a "url", and remote servers cannot be declared yet' : 'it has neither "command" nor "install"',
    );
  }
  return entry;
}

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
    what: `there is a server "${name}" already, which does not come from this file`,
    why: source.kind === 'file' ? `it is declared in ${source.ref}` : `it comes from ${source.ref}`,
    fix: `rename it in the file, or: mcpd uninstall ${name}`,
  });
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
