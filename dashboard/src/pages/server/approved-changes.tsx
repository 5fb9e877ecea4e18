import { useState } from 'preact/hooks';
import type { ServerInfo } from '../../../../src/api/contract.ts';
import { shellWord } from '../../../../src/shell-word.ts';
import { ApprovalDialog } from '../../approval/approval-dialog.tsx';
import { SetSecret } from '../../approval/set-secret.tsx';
import { Button } from '../../ui/button.tsx';
import { Command } from '../../ui/code.tsx';

/** Values that the server gets and nobody sees. Each is set here and agreed to in a terminal, or set there. */
export function Secrets({ info }: { info: ServerInfo }) {
  if (info.secrets.length === 0) return <p class="soft">It needs none.</p>;
  return (
    <ul class="secrets">
      {info.secrets.map((secret) => (
        <li key={secret}>
          <SetSecret server={info.name} secret={secret} />
          <Command text={`mcpd secret set ${info.name} ${shellWord(secret)}`} />
        </li>
      ))}
    </ul>
  );
}

/** Asks for it to be removed; a person agrees in a terminal. */
export function Uninstall({ name }: { name: string }) {
  const [purge, setPurge] = useState(false);
  const [isAsked, setAsked] = useState(false);
  return (
    <div class="stack">
      <p class="soft">It is stopped and forgotten. Its data stays, unless you choose otherwise.</p>
      <label class="check-line">
        <input type="checkbox" checked={purge} onChange={() => setPurge(!purge)} />
        Delete its data as well
      </label>
      <div class="toolbar">
        <Button kind="danger" onPress={() => setAsked(true)}>
          Uninstall {name}
        </Button>
        <Command text={`mcpd uninstall ${name}${purge ? ' --purge' : ''}`} />
      </div>
      {isAsked ? (
        <ApprovalDialog
          title={`Uninstall ${name}`}
          request={{ action: 'uninstall', server: name, purge }}
          onClose={() => setAsked(false)}
        />
      ) : null}
    </div>
  );
}
