import { findEntry } from '../../registry/catalog.ts';
import { shortName } from '../../registry/official/published-listing.ts';
import type { Published } from '../../registry/published.ts';
import { McpdError } from '../errors.ts';
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
import type { Origin } from './plan.ts';
import type { InstallPorts } from './ports.ts';
import type { Spec } from './spec.ts';

/** What a spec names, looked up. @throws McpdError PACKAGE_UNKNOWN with the closest names; as the reading of folders and documents */
export async function originOf(
  spec: Spec,
  { catalog, published: asked }: Pick<InstallPorts, 'catalog' | 'published'>,
  signal: AbortSignal,
): Promise<Origin> {
  switch (spec.kind) {
    case 'package':
      return namedPackage(spec);
    case 'registry':
      return registryOrigin(await asked(spec.name, spec.version, signal));
    case 'bundle':
      return namedBundle(spec);
    case 'folder':
      return { kind: 'folder', folder: await readFolder(spec.path) };
    case 'document': {
      const published = await readDocument(spec.path);
      checkNotDeleted(published.title, published.status);
      const settings = { name: shortName(published.name), sharing: 'auto' } as const;
      return publishedOrigin({ kind: 'document', ref: spec.path }, withStatus(published), settings);
    }
    case 'url':
      throw noPackage(spec.url);
    case 'catalog': {
      const entry = findEntry(spec.name, catalog());
      if (entry === null) throw unknownName(spec.name, catalog());
      return catalogOrigin(entry);
    }
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
