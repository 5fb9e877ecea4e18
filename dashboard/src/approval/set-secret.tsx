import { useState } from 'preact/hooks';
import { Button } from '../ui/button.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Field } from '../ui/field.tsx';
import { ApprovalDialog } from './approval-dialog.tsx';

/** Asks to give a server the value of a secret. It is typed here, and shown nowhere again. */
export function SetSecret({ server, secret }: { server: string; secret: string }) {
  const [stage, setStage] = useState<'closed' | 'typing' | 'asking'>('closed');
  const [value, setValue] = useState('');
  const close = () => {
    setStage('closed');
    setValue('');
  };
  return (
    <>
      <Button label={`Set ${secret} of ${server}`} onPress={() => setStage('typing')}>
        {`Set ${secret}…`}
      </Button>
      {stage === 'typing' ? (
        <Dialog title={`${secret} of ${server}`} onClose={close}>
          <form
            class="stack"
            onSubmit={(event) => {
              event.preventDefault();
              if (value !== '') setStage('asking');
            }}
          >
            <Field
              label="Value"
              hint="Kept in a file that only you can read; the server gets it, and nobody is shown it."
            >
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
                Continue
              </button>
            </div>
          </form>
        </Dialog>
      ) : null}
      {stage === 'asking' ? (
        <ApprovalDialog
          title={`${secret} of ${server}`}
          request={{ action: 'set-secret', server, secret: { name: secret, value } }}
          onClose={close}
        />
      ) : null}
    </>
  );
}
