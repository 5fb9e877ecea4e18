import { McpdError } from './errors.ts';

/** The rules for a server's name, in one place: file names, exposed names and URLs are built from it. */

const RULE = /^[a-z0-9][a-z0-9_-]{0,31}$/;
const LENGTH_MAX = 32;
/** `mcpd` is where mcpd's own tools live; the others are devices on Windows, whatever extension follows. */
const RESERVED = new Set(['mcpd', 'con', 'prn', 'aux', 'nul', ...numbered('com'), ...numbered('lpt')]);

export function isServerName(name: string): boolean {
  return RULE.test(name) && !name.includes('__') && !name.endsWith('_') && !RESERVED.has(name);
}

/**
 * The name itself where it keeps the rules, else the one nearest to it.
 * @throws McpdError NAME_INVALID when nothing usable is in it
 */
export function serverNameOf(text: string): string {
  const name = isServerName(text) ? text : slugOf(text);
  if (name !== null) return name;
  throw new McpdError('NAME_INVALID', {
    what: `"${shortened(text)}" cannot be a server's name`,
    why: RESERVED.has(text.toLowerCase())
      ? 'this name is reserved'
      : `names are 1 to ${LENGTH_MAX} of a-z, 0-9, - and _, begin with a letter or digit, and have no "__" and no "_" at the end`,
    fix: 'choose another name (mcpd install: --name NAME)',
  });
}

/**
 * The server name nearest to any other text: `@acme/Cool.Server` becomes `cool-server`. A package's scope is dropped, letters lose
 * their accents, everything else becomes a hyphen. Null when nothing usable is left.
 */
export function slugOf(text: string): string | null {
  const unscoped = /^@[^/]*\/(.+)$/s.exec(text)?.[1] ?? text;
  const slug = unscoped
    .normalize('NFKD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9_-]+/g, '-')
    .replace(/_{2,}/g, '_')
    .replace(/-{2,}/g, '-')
    .replace(/^[_-]+/, '')
    .slice(0, LENGTH_MAX)
    .replace(/[_-]+$/, '');
  return isServerName(slug) ? slug : null;
}

/** @throws McpdError NAME_TAKEN with a free name, when `taken` has it */
export function checkNameFree(name: string, taken: (name: string) => boolean): void {
  if (!taken(name)) return;
  throw new McpdError('NAME_TAKEN', {
    what: `there is a server "${name}" already`,
    fix: `mcpd uninstall ${name}, or take another name, such as ${freeName(name, taken)} (mcpd install: --name ${freeName(name, taken)})`,
  });
}

// — internal —

function freeName(name: string, taken: (name: string) => boolean): string {
  for (let number = 2; ; number++) {
    const suffix = `-${number}`;
    const candidate = name.slice(0, LENGTH_MAX - suffix.length).replace(/[_-]+$/, '') + suffix;
    if (!taken(candidate)) return candidate;
  }
}

function shortened(name: string): string {
  return name.length <= 60 ? name : `${name.slice(0, 59)}…`;
}

function numbered(device: string): string[] {
  return Array.from({ length: 9 }, (_, index) => `${device}${index + 1}`);
}
