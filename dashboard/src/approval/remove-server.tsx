import { useState } from 'preact/hooks';
import { Button } from '../ui/button.tsx';
import { ApprovalDialog } from './approval-dialog.tsx';

/** Asks to remove a server; its data stays. */
export function RemoveServer({ name }: { name: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button kind="danger" label={`Remove ${name}`} onPress={() => setOpen(true)}>
        Remove…
      </Button>
      {isOpen ? (
        <ApprovalDialog
          title={`Remove ${name}`}
          request={{ action: 'uninstall', server: name }}
          onClose={() => setOpen(false)}
        />
      ) : null}
    </>
  );
}
