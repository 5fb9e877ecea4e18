import { useState } from 'preact/hooks';
import type { VersionState } from '../../../../src/api/contract/updates.ts';
import { now } from '../../live/store.ts';
import { hrefOf } from '../../route.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/notes.tsx';
import { moveBetweenRows } from '../../ui/row-keys.ts';
import { UpdateDialog } from '../../updating/update-dialog.tsx';
import { lookText, newestText, useVersions } from '../../updating/versions.ts';

/** Which of the installed servers have a newer version. Nothing where none has a package. */
export function Updates() {
  const { known, thrown, look } = useVersions();
  const [asked, setAsked] = useState<{ server: string; to: string } | null>(null);
  if (known === null) return thrown === null ? null : <ErrorNote thrown={thrown} />;
  if (known.servers.length === 0) return null;
  const told = known.servers.filter(({ isOutdated, error }) => isOutdated || error !== null);
  return (
    <section aria-label="Installed, with a newer version" class="found">
      <h2>Updates</h2>
      <div class="toolbar">
        <Button onPress={look}>Look for newer versions</Button>
        <span class="note" role="status">
          {lookText(known, now.peek())}
        </span>
      </div>
      {told.length === 0 ? null : (
        <div class="table-box catalog">
          <table aria-label="Updates" onKeyDown={moveBetweenRows}>
            <thead>
              <tr>
                <th scope="col">Server</th>
                <th scope="col">Package</th>
                <th scope="col">Installed</th>
                <th scope="col">Newest</th>
                <th scope="col">Update</th>
              </tr>
            </thead>
            <tbody>
              {told.map((state) => (
                <Row key={state.server} state={state} onUpdate={(to) => setAsked({ server: state.server, to })} />
              ))}
            </tbody>
          </table>
        </div>
      )}
      {asked === null ? null : <UpdateDialog {...asked} onClose={() => setAsked(null)} />}
    </section>
  );
}

// — internal —

function Row({ state, onUpdate }: { state: VersionState; onUpdate: (to: string) => void }) {
  const { server, kind, identifier, installed, available, isOutdated, isPinned } = state;
  return (
    <tr>
      <th scope="row">
        <a data-at="server" href={hrefOf('servers', server)}>
          {server}
        </a>
      </th>
      <td class="text" data-label="Package">{`${kind}:${identifier}`}</td>
      <td class="text" data-label="Installed">
        {installed}
      </td>
      <td class="text" data-label="Newest">
        {newestText(state)}
      </td>
      <td data-label="Update">
        {isOutdated && !isPinned && available !== null ? (
          <Button label={`Update ${server}`} onPress={() => onUpdate(available)}>
            Update…
          </Button>
        ) : null}
        {isPinned ? 'held at its version' : null}
      </td>
    </tr>
  );
}
