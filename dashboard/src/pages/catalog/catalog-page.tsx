import { useState } from 'preact/hooks';
import type { RegistryAsking, SearchHit } from '../../../../src/api/contract/search.ts';
import { InstallDialog, InstallHitDialog } from '../../installing/install-dialog.tsx';
import { connection, now } from '../../live/store.ts';
import { hrefOf, replaceWith, route, withQuery } from '../../route.ts';
import { counted } from '../../text.ts';
import { Button } from '../../ui/button.tsx';
import { Command } from '../../ui/code.tsx';
import { SearchField } from '../../ui/field.tsx';
import { ErrorNote } from '../../ui/notes.tsx';
import { remarksOf } from './asking-words.ts';
import { HitTable } from './hit-table.tsx';
import { Updates } from './updates.tsx';
import { useSearch } from './use-search.ts';
import './catalog.css';

/** What can be installed by name: `#/catalog?q=WORDS`. */
export function CatalogPage() {
  const [chosen, setChosen] = useState<SearchHit | null>(null);
  const [isInstalling, setInstalling] = useState(false);
  const words = route.value.query.get('q') ?? '';
  const query = words.trim();
  // After a lost connection the daemon may be another one.
  const { catalog, registries, isAsking, thrown } = useSearch(query, connection.value === 'live');
  const bundled = catalog?.hits ?? [];
  return (
    <>
      <div class="page-head">
        <h1>Catalog</h1>
        <Button onPress={() => setInstalling(true)}>Paste or name…</Button>
        <SearchField
          label="Search servers to install"
          value={words}
          onChange={(q) => replaceWith(withQuery(hrefOf('catalog'), { q }))}
        />
      </div>
      {isInstalling ? <InstallDialog onClose={() => setInstalling(false)} /> : null}
      {chosen === null ? null : <InstallHitDialog hit={chosen} onClose={() => setChosen(null)} />}
      {thrown === null ? null : <ErrorNote thrown={thrown} />}
      <p class="note catalog-found" role="status">
        {isAsking ? 'Asking the MCP registries …' : ''}
        {!isAsking && query !== '' && catalog !== null ? foundText(bundled, registries?.hits ?? []) : ''}
      </p>
      <div class="stack">
        {query === '' ? <Updates /> : null}
        <section aria-label="In the catalog" class="found">
          <h2>In the catalog</h2>
          {catalog === null && thrown === null ? <p class="soft">Looking …</p> : null}
          {catalog !== null && bundled.length === 0 ? <p class="note">Nothing like that comes with mcpd.</p> : null}
          {bundled.length === 0 ? null : <HitTable label="In the catalog" hits={bundled} onOpen={setChosen} />}
        </section>
        {query === '' ? <p class="note">A search looks in the MCP registries as well.</p> : null}
        {registries?.registries.length === 0 ? <NoRegistry /> : null}
        {registries?.registries.map((asking) => (
          <FromRegistry
            key={asking.address}
            asking={asking}
            hits={registries.hits.filter(({ registry }) => registry === asking.address)}
            onOpen={setChosen}
          />
        ))}
      </div>
    </>
  );
}

// — internal —

interface FromRegistryProps {
  asking: RegistryAsking;
  hits: readonly SearchHit[];
  onOpen: (hit: SearchHit) => void;
}

function FromRegistry({ asking, hits, onOpen }: FromRegistryProps) {
  const { place, state, error } = asking;
  const title = `From ${place}`;
  return (
    <section aria-label={title} class="found">
      <h2 class="text">{title}</h2>
      {remarksOf(asking, now.peek()).map(({ tone, text }) => (
        <p key={text} class="note" data-tone={tone}>
          {text}
        </p>
      ))}
      {state === 'unreachable' && error?.fix !== undefined ? <Command text={error.fix} /> : null}
      {hits.length > 0 ? <HitTable label={title} hits={hits} onOpen={onOpen} /> : null}
      {hits.length === 0 && state !== 'unreachable' ? <p class="note">It has nothing like that.</p> : null}
    </section>
  );
}

function NoRegistry() {
  return (
    <p class="note">
      No MCP registry is asked: only the catalog was searched. <Command text="mcpd registries" />
    </p>
  );
}

function foundText(bundled: readonly SearchHit[], all: readonly SearchHit[]): string {
  const published = all.filter(({ source }) => source === 'registry').length;
  return `${counted(bundled.length, 'server')} in the catalog, ${published === 0 ? 'none' : published} in the MCP registries.`;
}
