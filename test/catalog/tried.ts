import { readFileSync, writeFileSync } from 'node:fs';
import { type CatalogEntry, inputsOf } from '../../registry/catalog.ts';

/** What came of installing an entry: at which version, and how many tools it listed; `fault` is why it did not. */
export type Trial = { version: string } & ({ tools: number } | { fault: string });

/** docs/catalog.json: by name, what `npm run catalog:check` found last. */
export type Trials = Record<string, Trial>;

const FILE = new URL('../../docs/catalog.json', import.meta.url);

/** What keeps an entry from starting everywhere although it asks for nothing that is needed, or for a file only. */
const NEEDS_MORE: Record<string, string> = {
  elasticsearch: 'an Elasticsearch',
  'google-calendar': 'a client of Google Cloud',
  kubernetes: 'a cluster',
  slack: 'one of three tokens',
  xcodebuild: 'macOS',
};

/** Why an entry is not installed by a machine that has no account anywhere and reaches npm's registry; null: it is. */
export function untriedBecause(entry: CatalogEntry): string | null {
  const { packages, remotes } = entry.published;
  const [pack] = packages;
  if (pack === undefined) return `runs at ${new URL(remotes[0]?.url ?? '').host}`;
  if (pack.kind === 'bundled') return 'comes with mcpd, and is in its tests';
  if (pack.kind !== 'npm') return pack.kind === 'oci' ? 'needs Docker or Podman' : 'needs PyPI';
  if (NEEDS_MORE[entry.name] !== undefined) return `needs ${NEEDS_MORE[entry.name]}`;
  const needed = inputsOf(entry).filter(
    ({ required, secret, format }) => required && (secret || format !== 'filepath'),
  );
  if (needed.length === 0) return null;
  return needed.some(({ secret }) => secret) ? 'needs a secret of yours' : 'needs a value of yours';
}

export function readTrials(): Trials {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Trials;
}

/** Over what was found before; what is in the catalog no more, or is not tried any more, goes. */
export function keepTrials(found: ReadonlyMap<string, Trial>, tried: readonly CatalogEntry[]): void {
  const before = readTrials();
  const now = tried.flatMap(({ name }) => {
    const trial = found.get(name) ?? before[name];
    return trial === undefined ? [] : [[name, trial] as const];
  });
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(now), null, 2)}\n`);
}
