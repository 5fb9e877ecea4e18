import { type CatalogEntry, inputsOf } from '../../registry/catalog.ts';
import type { CatalogHit } from '../api/contract.ts';
import type { ServerDefinition } from '../core/model.ts';
import { inputSpec } from './inputs.ts';

/** Entries of the catalog as people see them, and whether they are installed, under whatever name. */
export function catalogHits(entries: readonly CatalogEntry[], installed: readonly ServerDefinition[]): CatalogHit[] {
  const refs = new Set(installed.flatMap(({ source }) => (source.kind === 'catalog' ? [source.ref] : [])));
  return entries.map((entry) => ({
    name: entry.name,
    title: entry.title,
    description: entry.description,
    origin: entry.origin.kind === 'npm' ? `npm:${entry.origin.identifier}` : 'bundled',
    inputs: inputsOf(entry).map(inputSpec),
    installed: refs.has(entry.name),
  }));
}
