import { useMemo, useState } from 'preact/hooks';
import type { ApprovalRequest } from '../../../src/api/contract/approvals.ts';
import { McpdError } from '../../../src/errors.ts';
import { readSnippet, type Snippet } from '../../../src/install/snippet.ts';
import { ApiError } from '../api.ts';
import { ApprovalDialog } from '../approval/approval-dialog.tsx';
import { counted, shown } from '../text.ts';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNote } from '../ui/notes.tsx';
import { Badge } from '../ui/state-dot.tsx';
import { type SnippetFilled, wayText } from './snippet-request.ts';
import { SnippetSetup } from './snippet-setup.tsx';

interface SnippetDialogProps {
  /** As it was pasted. */
  text: string;
  onClose: () => void;
  onBack: () => void;
}

/** The servers of a configuration that was pasted, each looked at, filled in and agreed to by itself. Nothing of the text is asked of anybody before. */
export function SnippetDialog({ text, onClose, onBack }: SnippetDialogProps) {
  const { servers, unread } = useMemo(() => read(text), [text]);
  const [stage, setStage] = useState<Stage>(servers.length === 1 ? { kind: 'server', at: 0 } : { kind: 'list' });
  const [filled, setFilled] = useState<ReadonlyMap<number, SnippetFilled>>(new Map());
  const [done, setDone] = useState<ReadonlySet<number>>(new Set());
  const server = stage.kind === 'list' ? undefined : servers[stage.at];
  const toList = servers.length > 1 || unread.length > 0 ? () => setStage({ kind: 'list' }) : null;
  if (stage.kind === 'asking')
    return (
      <ApprovalDialog
        title={`Install ${titleOf(server?.name)}`}
        request={stage.request}
        onClose={toList ?? onClose}
        onBack={() => setStage({ kind: 'server', at: stage.at })}
        onDone={() => setDone(new Set(done).add(stage.at))}
      />
    );
  if (stage.kind === 'server' && server !== undefined)
    return (
      <Dialog title={`Install ${titleOf(server.name)}`} onClose={onClose}>
        <SnippetSetup
          server={server}
          filled={filled.get(stage.at) ?? startOf(server.way)}
          onFill={(next) => setFilled(new Map(filled).set(stage.at, next))}
          onDone={(request) => setStage({ kind: 'asking', at: stage.at, request })}
          onBack={toList ?? onBack}
        />
      </Dialog>
    );
  return (
    <Dialog title="Install what was pasted" onClose={onClose} actions={<Button onPress={onBack}>Back</Button>}>
      {servers.length === 0 ? null : (
        <>
          <p>{counted(servers.length, 'server')}; each is looked at, and asked for, by itself.</p>
          <ul class="hits" aria-label="Servers in it">
            {servers.map((one, at) => (
              <li key={`${one.line} ${one.column}`}>
                <button type="button" onClick={() => setStage({ kind: 'server', at })} disabled={done.has(at)}>
                  <strong>{titleOf(one.name)}</strong> {done.has(at) ? <Badge tone="good">installed</Badge> : null}
                  {one.disabled ? <Badge tone="busy">switched off there</Badge> : null}
                  <span class="note">{wayText(one)}</span>
                </button>
              </li>
            ))}
          </ul>
        </>
      )}
      {unread.map(({ name, error }) => (
        <ErrorNote key={name} thrown={new ApiError(safe(error))} />
      ))}
    </Dialog>
  );
}

// — internal —

type Stage =
  | { kind: 'list' }
  | { kind: 'server'; at: number }
  | { kind: 'asking'; at: number; request: ApprovalRequest };

/** A text that cannot be read at all is one entry that cannot. */
function read(text: string): Snippet {
  try {
    return readSnippet(text, 'what was pasted');
  } catch (thrown) {
    if (thrown instanceof McpdError) return { servers: [], unread: [{ name: '', error: thrown }] };
    throw thrown;
  }
}

/** It names what stands in the text. */
function safe(error: McpdError): ApiError['report'] {
  const { code, what, why } = error.report();
  return { code, what: shown(what), ...(why === undefined ? {} : { why: shown(why) }) };
}

function titleOf(name: string | null | undefined): string {
  return name == null ? 'a server without a name' : shown(name);
}

function startOf(way: Snippet['servers'][number]['way']): SnippetFilled {
  return { name: null, values: new Map(), folder: way.kind === 'command' ? (way.cwd ?? '') : '' };
}
