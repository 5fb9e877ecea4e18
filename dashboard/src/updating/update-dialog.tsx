import { useEffect, useState } from 'preact/hooks';
import type { UpdateOffer, VersionState, WaitingOffer } from '../../../src/api/contract/updates.ts';
import { get } from '../api.ts';
import { ApprovalDialog } from '../approval/approval-dialog.tsx';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNote } from '../ui/notes.tsx';
import { Pairs } from '../ui/pairs.tsx';
import { OfferDiff } from './offer-diff.tsx';

interface UpdateDialogProps {
  server: string;
  /** The version that is shown as the newest. */
  to: string;
  onClose: () => void;
}

/**
 * Another version runs other code, so a person says yes twice: before it is fetched and run once, aside, and when it is seen what it would
 * change.
 */
export function UpdateDialog({ server, to, onClose }: UpdateDialogProps) {
  const [stage, setStage] = useState<Stage>({ kind: 'looking' });
  const title = `Update ${server}`;
  /** `none`: what comes where no offer waits. */
  const look = (none: Stage) => {
    get<WaitingOffer>(`/api/servers/${server}/update`).then(
      ({ offer }) => setStage(offer === null ? none : { kind: 'offer', offer }),
      (thrown: unknown) => setStage({ kind: 'failed', thrown }),
    );
  };
  useEffect(() => look({ kind: 'trying' }), []);
  switch (stage.kind) {
    case 'trying':
      return (
        <ApprovalDialog
          title={title}
          request={{ action: 'try-update', server, version: to }}
          onDone={() => look({ kind: 'current' })}
          onClose={onClose}
        />
      );
    case 'offer':
      return (
        <Offer title={title} offer={stage.offer} onClose={onClose} onYes={() => setStage({ ...stage, kind: 'yes' })} />
      );
    case 'yes':
      return (
        <ApprovalDialog
          title={title}
          request={{ action: 'update', server, agreement: stage.offer.agreement }}
          onClose={onClose}
        >
          <OfferDiff offer={stage.offer} />
        </ApprovalDialog>
      );
    default:
      return (
        <Dialog title={title} onClose={onClose} actions={<Button onPress={onClose}>Close</Button>}>
          {stage.kind === 'looking' ? <p class="soft">Looking what waits …</p> : null}
          {stage.kind === 'current' ? <p role="status">{server} has that version already.</p> : null}
          {stage.kind === 'failed' ? <ErrorNote thrown={stage.thrown} /> : null}
        </Dialog>
      );
  }
}

/** Asks for the version before; a person agrees in a terminal. */
export function RollbackDialog({ state, onClose }: { state: VersionState; onClose: () => void }) {
  const { server } = state;
  return (
    <ApprovalDialog
      title={`Go back to ${state.kept} of ${server}`}
      request={{ action: 'rollback', server }}
      onClose={onClose}
    />
  );
}

// — internal —

type Stage =
  | { kind: 'looking' | 'trying' | 'current' }
  /** It waits, and `yes`: it is asked for. */
  | { kind: 'offer' | 'yes'; offer: UpdateOffer }
  | { kind: 'failed'; thrown: unknown };

interface OfferProps {
  title: string;
  offer: UpdateOffer;
  onClose: () => void;
  onYes: () => void;
}

function Offer({ title, offer, onClose, onYes }: OfferProps) {
  return (
    <Dialog
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onPress={onClose}>Leave it at {offer.from}</Button>
          <Button kind="main" onPress={onYes}>
            Update to {offer.to}…
          </Button>
        </>
      }
    >
      <Pairs
        pairs={[
          ['Package', offer.package],
          ['Version', `${offer.from} → ${offer.to}`],
          ['Integrity', offer.integrity === '' ? 'not told' : offer.integrity],
        ]}
      />
      <div>
        <p class="soft">It would run, as you</p>
        <code class="command-line">{offer.commandLine}</code>
      </div>
      <OfferDiff offer={offer} />
    </Dialog>
  );
}
