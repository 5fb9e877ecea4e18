import { useEffect, useState } from 'preact/hooks';
import type { ServerStatus } from '../../../../src/api/contract.ts';
import { patch } from '../../api.ts';
import { Field } from '../../ui/field.tsx';
import { failed, told } from '../../ui/toasts.tsx';
import { defaultTexts, type LimitTexts, limitsOf, textsOf } from './limit-text.ts';

const FIELDS: readonly { name: keyof LimitTexts; label: string; hint: string }[] = [
  { name: 'callTimeout', label: 'A call may take', hint: 'Then it is given up, and its host told.' },
  { name: 'startTimeout', label: 'A start may take', hint: 'Then it has failed.' },
  { name: 'idle', label: 'Stops when not used for', hint: 'It starts again with its next call.' },
  { name: 'memory', label: 'Memory', hint: 'Above it the server is renewed once it rests; at twice of it, at once.' },
  { name: 'line', label: 'One message', hint: 'A longer one from the server is refused.' },
];

const DEFAULTS = defaultTexts();

/** Empty takes the default again, which stands in the empty field. */
export function LimitsForm({ server }: { server: ServerStatus }) {
  const known = textsOf(server.limits);
  const [texts, setTexts] = useState(known);
  const [isTried, setTried] = useState(false);
  const [isBusy, setBusy] = useState(false);
  // Changed elsewhere, by `mcpd set`: what is shown would undo it.
  useEffect(() => setTexts(known), [JSON.stringify(known)]);
  const read = limitsOf(texts, server.limits);
  const errors = 'errors' in read && isTried ? read.errors : {};
  const isSame = 'limits' in read && Object.keys(read.limits).length === 0;
  const submit = (event: Event) => {
    event.preventDefault();
    setTried(true);
    if (!('limits' in read) || isBusy) return;
    setBusy(true);
    patch(`/api/servers/${server.name}`, { limits: read.limits })
      .then(() => {
        setTried(false);
        told(`limits of ${server.name} saved`);
      }, failed)
      .finally(() => setBusy(false));
  };
  return (
    <form class="stack" onSubmit={submit} noValidate>
      <p class="note">Units are ms, s, m, h and d, or KB, MB and GB. An empty field takes the default.</p>
      <div class="limits">
        {FIELDS.map(({ name, label, hint }) => (
          <Field key={name} label={label} hint={hint} error={errors[name]}>
            {(ids) => (
              <input
                {...ids}
                type="text"
                autocomplete="off"
                spellcheck={false}
                placeholder={`${DEFAULTS[name]} (default)`}
                value={texts[name]}
                onInput={(event) => setTexts({ ...texts, [name]: event.currentTarget.value })}
              />
            )}
          </Field>
        ))}
      </div>
      <div class="toolbar">
        <button type="submit" class="button" data-kind={isSame ? 'plain' : 'main'} disabled={isSame} aria-busy={isBusy}>
          Save limits
        </button>
        {isSame ? null : (
          <button type="button" class="button" onClick={() => setTexts(known)}>
            As before
          </button>
        )}
      </div>
    </form>
  );
}
