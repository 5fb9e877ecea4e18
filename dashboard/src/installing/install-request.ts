import type { SearchHit } from '../../../src/api/contract/search.ts';
import type { InputSpec, InstallRequest } from '../../../src/api/contract.ts';
import { closest } from '../../../src/closest.ts';
import { isGitAddress } from '../../../src/install/packages/git-address.ts';
import { isSnippet } from '../../../src/install/snippet.ts';

/** What a person has chosen to install: something that a search found, what he typed, or a configuration of servers that he pasted. */
export type Chosen = Named | { kind: 'snippet'; text: string };
type Named = { kind: 'hit'; hit: SearchHit } | { kind: 'typed'; spec: string };

/** What a person fills in for an install. */
export interface Filled {
  /** What it shall be called here; null leaves it to mcpd. */
  name: string | null;
  values: ReadonlyMap<string, string>;
}

export const NOTHING_FILLED: Filled = { name: null, values: new Map() };

/** Whether it names by itself what is to be installed: a package, a folder, an address. Anything else is looked up in the catalog. */
export function isSpec(words: string): boolean {
  const text = words.trim();
  return /^((npm|pypi|oci|docker|nuget|mcpb):|https?:\/\/|\/(?![/*]))\S+$/.test(text) || isRepository(text);
}

function isRepository(text: string): boolean {
  return /^\S+$/.test(text) && isGitAddress(text) && !/^git[+:]$/i.test(text);
}

/** What Enter means: what was typed, where it names something, else the first that was found and is not installed; null when there is none. */
export function chosenByEnter(words: string, hits: readonly SearchHit[]): Chosen | null {
  if (isSnippet(words)) return { kind: 'snippet', text: words };
  if (isSpec(words)) return { kind: 'typed', spec: words };
  const hit = words.trim() === '' ? undefined : hits.find(({ installed }) => !installed);
  return hit === undefined ? null : { kind: 'hit', hit };
}

/** Those of the catalog that were most likely meant, nearest first; none when a name is typed well or is like no other. */
export function meantHits(words: string, catalog: readonly SearchHit[]): SearchHit[] {
  const names = closest(
    words.trim(),
    catalog.map(({ name }) => name),
  );
  return names.flatMap((near) => catalog.find(({ name }) => name === near) ?? []);
}

/** Inputs that have neither a value nor a default, although the server needs them. */
export function missingInputs(inputs: readonly InputSpec[], values: ReadonlyMap<string, string>): string[] {
  return inputs
    .filter(({ name, required, default: usual }) => required && usual === null && !values.get(name))
    .map(({ name }) => name);
}

/** How it is asked for: of a registry the very version that is shown. */
export function specOf({ name, source, version }: SearchHit): string {
  return source === 'registry' && version !== null ? `${name}@${version}` : name;
}

/** Only what was filled in is sent: mcpd knows the defaults itself. */
export function installRequest(chosen: Named, { name, values }: Filled): InstallRequest {
  if (chosen.kind === 'typed') return { spec: chosen.spec.trim() };
  const given = chosen.hit.inputs.flatMap((input) => {
    const value = values.get(input.name);
    return value ? [[input.name, { value, secret: input.secret }] as const] : [];
  });
  return {
    spec: specOf(chosen.hit),
    ...(name === null ? {} : { name }),
    ...(given.length === 0 ? {} : { env: Object.fromEntries(given) }),
  };
}
