import type { SearchHit } from '../../../../src/api/contract/search.ts';
import { servers } from '../../live/store.ts';
import { hrefOf } from '../../route.ts';
import { moveBetweenRows } from '../../ui/row-keys.ts';
import { Badge } from '../../ui/state-dot.tsx';
import { installedAs } from './installed-as.ts';

interface HitTableProps {
  label: string;
  hits: readonly SearchHit[];
  onOpen: (hit: SearchHit) => void;
}

/** Servers that can be installed, one a row; each opens. */
export function HitTable({ label, hits, onOpen }: HitTableProps) {
  return (
    <div class="table-box catalog">
      <table aria-label={label} onKeyDown={moveBetweenRows}>
        <thead>
          <tr>
            <th scope="col">Server</th>
            <th scope="col">Kind</th>
            <th scope="col">Version</th>
            <th scope="col">Publisher</th>
            <th scope="col">Licence</th>
            <th scope="col">Installed</th>
          </tr>
        </thead>
        <tbody>
          {hits.map((hit) => (
            <Row key={`${hit.registry} ${hit.name}`} hit={hit} onOpen={() => onOpen(hit)} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

// — internal —

function Row({ hit, onOpen }: { hit: SearchHit; onOpen: () => void }) {
  const { name, title, description, kinds, version, publisher, licence, status, statusMessage } = hit;
  const names = installedAs(hit, servers.value.values());
  return (
    <tr>
      <th scope="row">
        <button type="button" class="open text" data-at="open" onClick={onOpen}>
          {title}
        </button>{' '}
        {title === name ? null : <span class="soft text own-name">{name}</span>}{' '}
        {status === 'active' ? null : <Badge tone="busy">{status}</Badge>}
        <span class="note">{description}</span>
        {statusMessage === null ? null : <span class="note">{statusMessage}</span>}
      </th>
      <td data-label="Kind">{kinds.length === 0 ? 'none that mcpd can install' : kinds.map(kindText).join(', ')}</td>
      <td class="text" data-label="Version">
        {version ?? '–'}
      </td>
      <td class="text" data-label="Publisher">
        {publisher ?? '–'}
      </td>
      <td class="text" data-label="Licence">
        {licence ?? '–'}
      </td>
      <td data-label="Installed">
        {names.length === 0
          ? '–'
          : names.map((one) => (
              <a key={one} data-at="server" href={hrefOf('servers', one)}>
                {one}
              </a>
            ))}
      </td>
    </tr>
  );
}

function kindText(kind: string): string {
  return kind === 'bundled' ? 'part of mcpd' : kind;
}
