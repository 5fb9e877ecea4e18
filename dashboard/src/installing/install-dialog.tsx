import { useState } from 'preact/hooks';
import type { SearchHit } from '../../../src/api/contract/search.ts';
import type { InstallRequest } from '../../../src/api/contract.ts';
import { ApprovalDialog } from '../approval/approval-dialog.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ChooseWhat } from './choose-what.tsx';
import { type Filled, installRequest, NOTHING_FILLED } from './install-request.ts';
import { Setup } from './setup.tsx';
import { SnippetDialog } from './snippet-dialog.tsx';
import './install.css';

/** Chooses what to install; then the terminal decides. */
export function InstallDialog({ onClose }: { onClose: () => void }) {
  const [hit, setHit] = useState<SearchHit | null>(null);
  const [text, setText] = useState<string | null>(null);
  const [request, setRequest] = useState<InstallRequest | null>(null);
  if (text !== null) return <SnippetDialog text={text} onClose={onClose} onBack={() => setText(null)} />;
  if (hit !== null) return <InstallHitDialog hit={hit} onClose={onClose} onBack={() => setHit(null)} />;
  if (request !== null) return <Asking request={request} onClose={onClose} onBack={() => setRequest(null)} />;
  return (
    <Dialog title="Install a server" onClose={onClose}>
      <ChooseWhat
        onChoose={(chosen) => {
          if (chosen.kind === 'snippet') setText(chosen.text);
          else if (chosen.kind === 'hit' && chosen.hit.inputs.length > 0) setHit(chosen.hit);
          else setRequest(installRequest(chosen, NOTHING_FILLED));
        }}
      />
    </Dialog>
  );
}

interface InstallHitProps {
  hit: SearchHit;
  onClose: () => void;
  /** Back to where it was chosen, where that is not below the dialog. */
  onBack?: () => void;
}

/** The same for one that is chosen already: what it would run is shown, what it needs is filled in, and then the terminal decides. */
export function InstallHitDialog({ hit, onClose, onBack }: InstallHitProps) {
  const [filled, setFilled] = useState<Filled>(NOTHING_FILLED);
  const [request, setRequest] = useState<InstallRequest | null>(null);
  if (request !== null) return <Asking request={request} onClose={onClose} onBack={() => setRequest(null)} />;
  return (
    <Dialog title={`Install ${hit.title}`} onClose={onClose}>
      <Setup
        hit={hit}
        filled={filled}
        onFill={setFilled}
        onDone={() => setRequest(installRequest({ kind: 'hit', hit }, filled))}
        onBack={onBack ?? null}
      />
    </Dialog>
  );
}

// — internal —

interface AskingProps {
  request: InstallRequest;
  onClose: () => void;
  onBack: () => void;
}

function Asking({ request, onClose, onBack }: AskingProps) {
  return (
    <ApprovalDialog
      title={`Install ${request.spec}`}
      request={{ action: 'install', install: request }}
      onClose={onClose}
      onBack={onBack}
    />
  );
}
