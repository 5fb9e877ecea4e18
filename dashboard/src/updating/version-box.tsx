import { useState } from 'preact/hooks';
import type { VersionState } from '../../../src/api/contract/updates.ts';
import type { ServerStatus } from '../../../src/api/contract.ts';
import { shellWord } from '../../../src/shell-word.ts';
import { Button } from '../ui/button.tsx';
import { Command } from '../ui/code.tsx';
import { ErrorNote } from '../ui/notes.tsx';
import { Pairs } from '../ui/pairs.tsx';
import { RollbackDialog, UpdateDialog } from './update-dialog.tsx';
import { newestText, useVersions } from './versions.ts';

/** Which version of its package a server has, which there is, and the ways between them. Nothing for a server without a package. */
export function VersionBox({ server: { name, source } }: { server: ServerStatus }) {
  const { known, thrown, look, pin } = useVersions();
  /** What was asked for stays as it was shown while its dialog is open. */
  const [asked, setAsked] = useState<{ to: string } | { back: VersionState } | null>(null);
  const state = known?.servers.find(({ server }) => server === name);
  if (state === undefined) return thrown === null ? null : <ErrorNote thrown={thrown} />;
  const { kind, identifier, installed, available, isOutdated, isPinned, kept } = state;
  const isDeclared = source.kind === 'file';
  return (
    <section class="panel-box stack" aria-label="Version">
      <h2>Version</h2>
      <Pairs
        pairs={[
          ['Package', `${kind}:${identifier}`],
          ['Installed', isPinned ? `${installed}, and held there` : installed],
          ['Newest', newestText(state)],
          ['Kept', kept ?? 'no version before this one'],
        ]}
      />
      <div class="toolbar">
        <Button onPress={look}>Look for a newer one</Button>
        {isDeclared ? null : (
          <>
            {isOutdated && !isPinned && available !== null ? (
              <Button kind="main" onPress={() => setAsked({ to: available })}>
                Update to {available}…
              </Button>
            ) : null}
            {kept === null ? null : <Button onPress={() => setAsked({ back: state })}>Go back to {kept}…</Button>}
            <Button onPress={() => pin(name, !isPinned)}>
              {isPinned ? 'Let it be updated' : `Hold at ${installed}`}
            </Button>
          </>
        )}
      </div>
      {isDeclared ? (
        <p class="note">
          It is declared in {source.ref}: change its version there, then{' '}
          <Command text={`mcpd apply -f ${shellWord(source.ref)}`} />
        </p>
      ) : null}
      {asked !== null && 'to' in asked ? (
        <UpdateDialog server={name} to={asked.to} onClose={() => setAsked(null)} />
      ) : null}
      {asked !== null && 'back' in asked ? <RollbackDialog state={asked.back} onClose={() => setAsked(null)} /> : null}
    </section>
  );
}
