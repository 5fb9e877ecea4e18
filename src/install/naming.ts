import { serverNameOf } from '../server-names.ts';

/** What a server is called here, and how it is described in a line. Pure. */

/** A server's name from what was asked for, else from the package; a slugged one is told. @throws McpdError NAME_INVALID */
export function nameOf(asked: string | undefined, own: string): { name: string; warnings: string[] } {
  const name = serverNameOf(asked ?? own);
  if (asked === undefined || name === asked) return { name, warnings: [] };
  return { name, warnings: [`"${asked.slice(0, 60)}" is called ${name} here: names are a-z, 0-9, - and _`] };
}

/** Descriptions of packages are shown in tables. */
export function oneLine(text: string): string {
  const line = text.replace(/\s+/g, ' ').trim();
  return line.length <= DESCRIPTION_MAX ? line : `${line.slice(0, DESCRIPTION_MAX - 1)}…`;
}

// — internal —

const DESCRIPTION_MAX = 200;
