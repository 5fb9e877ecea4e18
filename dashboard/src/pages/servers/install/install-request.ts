import type { CatalogHit, InputSpec, InstallRequest } from '../../../../../src/api/contract.ts';

/** What a person has chosen to install: an entry of the catalog, or what he typed. */
export type Chosen = { kind: 'hit'; hit: CatalogHit } | { kind: 'typed'; spec: string };

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
