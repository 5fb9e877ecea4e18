import { findEntry } from '../../registry/catalog.ts';
import { shortName } from '../../registry/official/published-listing.ts';
import type { Published } from '../../registry/published.ts';
import { McpdError } from '../errors.ts';
import type { ChoiceFacts } from './choice.ts';
import { readDocument } from './document.ts';
import { readFolder } from './folder.ts';
import {
  catalogOrigin,
  namedBundle,
  namedPackage,
  noPackage,
  publishedOrigin,
  readOrigin,
  registryOrigin,
  unknownName,
} from './origins.ts';
import { lackingOf } from './packages/kinds.ts';
import type { Origin } from './plan.ts';
import type { InstallPorts } from './ports.ts';
import { type Spec, specText } from './spec.ts';

/**
 * What a spec names, looked up; `wanted` is the package of a published server that a person wants.
 * @throws McpdError PACKAGE_UNKNOWN with the closest names; INPUT_INVALID for a wish that cannot be met; as the reading of folders and documents
 */
export async function originOf(
  spec: Spec,
  wanted: string | null,
  { catalog, published: asked, packages }: Pick<InstallPorts, 'catalog' | 'published' | 'packages'>,
  signal: AbortSignal,
): Promise<Origin> {
  const facts = async (published: Published): Promise<ChoiceFacts> => {
    const kinds = published.packages.map(({ kind }) => kind);
    const isChoice = kinds.length + published.remotes.length > 1;
    return { lacking: isChoice ? await lackingOf(packages, kinds) : new Set(), wanted };
  };
  switch (spec.kind) {
    case 'registry': {
      const found = await asked(spec.name, spec.version, signal);
      return registryOrigin(found, await facts(found.published));
    }
    case 'document': {
      const published = await readDocument(spec.path);
      checkNotDeleted(published.title, published.status);
      const settings = { name: shortName(published.name), sharing: 'auto' } as const;
      const found = { kind: 'document', ref: spec.path } as const;
      return publishedOrigin(found, withStatus(published), settings, await facts(published));
    }
    case 'catalog': {
      const entry = findEntry(spec.name, catalog());
      if (entry === null) throw unknownName(spec.name, catalog());
      return catalogOrigin(entry, await facts(entry.published));
    }
    default:
      if (wanted !== null) throw nothingToChoose(specText(spec), wanted);
      return namedOrigin(spec);
  }
}

/** A package that describes itself is looked at before it is planned. @throws McpdError as its source */
export async function readFrom(
  { packages }: Pick<InstallPorts, 'packages'>,
  origin: Origin,
  signal: AbortSignal,
  report: (detail: string) => void,
): Promise<Origin> {
  if (origin.kind !== 'package' || origin.package.kind === 'bundled') return origin;
  const source = packages[origin.package.kind];
  return source?.read === undefined ? origin : readOrigin(origin, await source.read(origin.package, signal, report));
}

// — internal —

/** Of a spec that names one thing, which says all of it. */
async function namedOrigin(spec: Exclude<Spec, { kind: 'registry' | 'document' | 'catalog' }>): Promise<Origin> {
  switch (spec.kind) {
    case 'package':
      return namedPackage(spec);
    case 'bundle':
      return namedBundle(spec);
    case 'folder':
      return { kind: 'folder', folder: await readFolder(spec.path) };
    case 'url':
      throw noPackage(spec.url);
  }
}

function nothingToChoose(spec: string, wanted: string): McpdError {
  return new McpdError('INPUT_INVALID', {
    what: `${spec.slice(0, 120)} is one thing already: there is no ${wanted} to choose`,
    why: '--package is for names of the catalog and of MCP registries, and for server.json',
    fix: 'leave --package out',
  });
}

function checkNotDeleted(title: string, status: Published['status']): void {
  if (status !== 'deleted') return;
  throw new McpdError('PACKAGE_UNKNOWN', {
    what: `${title} was taken back by its publisher`,
    why: 'its status is "deleted"',
    fix: 'mcpd search',
  });
}

function withStatus(published: Published): Published {
  if (published.status !== 'deprecated') return published;
  const words = published.statusMessage === null ? '' : `: ${published.statusMessage}`;
  return { ...published, warnings: [...published.warnings, `its publisher has given it up${words}`] };
}
