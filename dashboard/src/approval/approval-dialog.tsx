import type { ComponentChildren } from 'preact';
import { useEffect, useState } from 'preact/hooks';
import type { ApprovalEvent, ApprovalInfo, ApprovalRequest } from '../../../src/api/contract/approvals.ts';
import { ApiError, linesOf, post, remove, reportOf, wasAborted } from '../api.ts';
import { durationText } from '../duration.ts';
import { now } from '../live/store.ts';
import { hrefOf } from '../route.ts';
import { Button } from '../ui/button.tsx';
import { CodeBlock, Command } from '../ui/code.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { ErrorNote } from '../ui/notes.tsx';
import { failed } from '../ui/toasts.tsx';
import { afterApprovalEvent, endText, type Progress, runningText } from './progress.ts';
import './approval.css';

interface ApprovalDialogProps {
  title: string;
  request: ApprovalRequest;
  onClose: () => void;
  /** Back to what was filled in, when it was refused before anybody was asked. */
  onBack?: () => void;
  /** It was carried out. */
  onDone?: () => void;
  /** Shown in place of the details, where it says the same in a better way. */
  children?: ComponentChildren;
}

/**
 * Asks for what no page may do alone, and shows what waits for a yes in a terminal, how it goes, and how it ended. Closing it takes back
 * what can be taken back; the rest goes on.
 */
export function ApprovalDialog({ title, request, onClose, onBack, onDone, children }: ApprovalDialogProps) {
  const [progress, setProgress] = useState<Progress | null>(null);
  const [thrown, setThrown] = useState<unknown>(null);

  // Asked once: what is shown is what is carried out, and nothing of it changes while the dialog is open.
  useEffect(() => {
    const leaving = new AbortController();
    let last: ApprovalInfo | null = null;
    const follow = async () => {
      last = await post<ApprovalInfo>('/api/approvals', request);
      if (leaving.signal.aborted) return takeBack(last);
      let known: Progress = { approval: last, lines: [] };
      setProgress(known);
      const path = `/api/approvals/${last.id}/events`;
      for await (const event of linesOf<ApprovalEvent>(path, { signal: leaving.signal })) {
        known = afterApprovalEvent(known, event);
        last = known.approval;
        setProgress(known);
      }
      if (last.state === 'done') onDone?.();
    };
    follow().catch((error: unknown) => {
      if (!wasAborted(error)) setThrown(error);
    });
    return () => {
      leaving.abort();
      takeBack(last);
    };
  }, []);

  const approval = progress?.approval;
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          {progress === null && thrown !== null && onBack !== undefined ? <Button onPress={onBack}>Back</Button> : null}
          <Button onPress={onClose}>{approval?.canBeTakenBack === true ? 'Take it back' : 'Close'}</Button>
        </>
      }
    >
      {thrown === null ? null : <ErrorNote thrown={thrown} />}
      {progress === null || approval === undefined ? null : (
        <>
          <p>
            mcpd shall <strong class="text">{approval.says}</strong>
          </p>
          {children ?? <Details approval={approval} />}
          {approval.state === 'waiting' ? <HowToSayYes approval={approval} /> : null}
          {progress.lines.length === 0 ? null : <CodeBlock text={progress.lines.join('\n')} label="What was done" />}
          <p role="status">
            {approval.state === 'running' ? runningText(approval) : (endText(approval) ?? '')}
            <Outcome approval={approval} />
          </p>
          {approval.error === null ? null : <ErrorNote thrown={new ApiError(approval.error)} />}
        </>
      )}
    </Dialog>
  );
}

// — internal —

/** One that ended meanwhile needs no taking back, and says so; there is nothing to tell a person. */
function takeBack(approval: ApprovalInfo | null): void {
  if (approval?.canBeTakenBack === true) remove(`/api/approvals/${approval.id}`).catch(failed);
}

/** The way to what was installed. */
function Outcome({ approval: { action, state, server } }: { approval: ApprovalInfo }) {
  if (state !== 'done' || server === null || (action !== 'install' && action !== 'add')) return null;
  return (
    <>
      {' '}
      <a href={hrefOf('servers', server)}>See {server}</a>
    </>
  );
}

function Details({ approval }: { approval: ApprovalInfo }) {
  return (
    <>
      <dl class="pairs">
        {approval.details.map(({ label, value }) => (
          <div key={`${label} ${value}`} class="pair">
            <dt>{label}</dt>
            <dd>
              <code>{value}</code>
            </dd>
          </div>
        ))}
      </dl>
      {approval.warnings.map((warning) => (
        <p key={warning} class="note" data-tone="busy">
          {warning}
        </p>
      ))}
    </>
  );
}

function HowToSayYes({ approval }: { approval: ApprovalInfo }) {
  const [code, setCode] = useState('');
  const [error, setError] = useState<string | undefined>(undefined);
  const confirm = () => {
    setError(undefined);
    post(`/api/approvals/${approval.id}/confirm`, { code }).catch((thrown: unknown) => setError(reportOf(thrown).what));
  };
  return (
    <div class="say-yes">
      <p>
        It runs as you, so a page alone may not do it. Say yes in a terminal; it waits for{' '}
        {durationText(approval.expiresAt - now.value)}:
      </p>
      <Command text={`mcpd approve ${approval.id}`} />
      <form
        onSubmit={(event) => {
          event.preventDefault();
          confirm();
        }}
      >
        <Field label={`Or the code of: mcpd approve ${approval.id} --code`} error={error}>
          {(ids) => (
            <input
              {...ids}
              value={code}
              inputMode="numeric"
              autocomplete="one-time-code"
              maxLength={12}
              onInput={(event) => setCode(event.currentTarget.value)}
            />
          )}
        </Field>
        <button type="submit" class="button" disabled={code.trim() === ''}>
          Confirm
        </button>
      </form>
    </div>
  );
}
