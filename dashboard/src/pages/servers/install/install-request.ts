import type { CatalogHit, InputSpec, InstallRequest } from '../../../../../src/api/contract.ts';

/** What a person has chosen to install: an entry of the catalog, or what he typed. */
export type Chosen = { kind: 'hit'; hit: CatalogHit } | { kind: 'typed'; spec: string };

/** Whether it names by itself what is to be installed: a package, a folder, an address. Anything else is looked up in the catalog. */
export function isSpec(words: string): boolean {
  return /^(npm:|https?:\/\/|\/)\S+$/.test(words.trim());
}

/** What Enter means: what was typed, where it names something, else the first that was found and is not installed; null when there is none. */
export function chosenByEnter(words: string, hits: readonly CatalogHit[]): Chosen | null {
  if (isSpec(words)) return { kind: 'typed', spec: words };
  const hit = words.trim() === '' ? undefined : hits.find(({ installed }) => !installed);
  return hit === undefined ? null : { kind: 'hit', hit };
}

/** Inputs that have neither a value nor a default, although the server needs them. */
export function missingInputs(inputs: readonly InputSpec[], values: ReadonlyMap<string, string>): string[] {
  return inputs
    .filter(({ name, required, default: usual }) => required && usual === null && !values.get(name))
    .map(({ name }) => name);
}

/** Only what was filled in is sent: mcpd knows the defaults itself. */
export function installRequest(chosen: Chosen, values: ReadonlyMap<string, string>): InstallRequest {
  if (chosen.kind === 'typed') return { spec: chosen.spec.trim() };
  const given = chosen.hit.inputs.flatMap(({ name, secret }) => {
    const value = values.get(name);
    return value ? [[name, { value, secret }] as const] : [];
  });
  return given.length === 0 ? { spec: chosen.hit.name } : { spec: chosen.hit.name, env: Object.fromEntries(given) };
}
