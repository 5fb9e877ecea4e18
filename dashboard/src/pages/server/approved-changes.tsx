import { useState } from 'preact/hooks';
import type { ApprovalRequest } from '../../../../src/api/contract/approvals.ts';
import type { ServerInfo } from '../../../../src/api/contract.ts';
import { shellWord } from '../../../../src/shell-word.ts';
import { ApprovalDialog } from '../../approval/approval-dialog.tsx';
import { Button } from '../../ui/button.tsx';
import { Command } from '../../ui/code.tsx';
import { Dialog } from '../../ui/dialog.tsx';
import { Field } from '../../ui/field.tsx';

/** Values that the server gets and nobody sees. Each is set here and agreed to in a terminal, or set there. */
export function Secrets({ info }: { info: ServerInfo }) {
  const [asked, setAsked] = useState<string | null>(null);
  const [request, setRequest] = useState<ApprovalRequest | null>(null);
  if (info.secrets.length === 0) return <p class="soft">It needs none.</p>;
  return (
    <>
      <ul class="secrets">
        {info.secrets.map((secret) => (
          <li key={secret}>
            <code>{secret}</code>
            <Button label={`Set ${secret}`} onPress={() => setAsked(secret)}>
              Set
            </Button>
            <Command text={`mcpd secret set ${info.name} ${shellWord(secret)}`} />
          </li>
        ))}
      </ul>
      {asked === null ? null : (
        <ValueDialog
          secret={asked}
          onClose={() => setAsked(null)}
          onDone={(value) => {
            setAsked(null);
            setRequest({ action: 'set-secret', server: info.name, secret: { name: asked, value } });
          }}
        />
      )}
      {request === null ? null : (
        <ApprovalDialog title={`A secret of ${info.name}`} request={request} onClose={() => setRequest(null)} />
      )}
    </>
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

// — internal —

interface ValueDialogProps {
  secret: string;
  onClose: () => void;
  onDone: (value: string) => void;
}

function ValueDialog({ secret, onClose, onDone }: ValueDialogProps) {
  const [value, setValue] = useState('');
  const submit = (event: Event) => {
    event.preventDefault();
    if (value !== '') onDone(value);
  };
  return (
    <Dialog title={`Set ${secret}`} onClose={onClose}>
      <form class="stack" onSubmit={submit}>
        <Field label="Value" hint="It goes to mcpd and to the server, and is never shown again.">
          {(ids) => (
            <input
              {...ids}
              type="password"
              autocomplete="off"
              value={value}
              onInput={(event) => setValue(event.currentTarget.value)}
            />
          )}
        </Field>
        <div class="toolbar">
          <button type="submit" class="button" data-kind="main" disabled={value === ''}>
            Ask for it
          </button>
        </div>
      </form>
    </Dialog>
  );
}
