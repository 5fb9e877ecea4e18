import { useEffect, useState } from 'preact/hooks';
import type { CatalogHit, InputSpec, InstallRequest } from '../../../../../src/api/contract.ts';
import { get, wasAborted } from '../../../api.ts';
import { ApprovalDialog } from '../../../approval/approval-dialog.tsx';
import { Dialog } from '../../../ui/dialog.tsx';
import { Field, type FieldIds } from '../../../ui/field.tsx';
import { ErrorNote } from '../../../ui/notes.tsx';
import { Badge } from '../../../ui/state-dot.tsx';
import { type Chosen, chosenByEnter, installRequest, isSpec, missingInputs } from './install-request.ts';
import './install.css';

/** While somebody types, the catalog is not asked for each letter. */
const TYPING_MS = 150;

/** Chooses what to install; then the terminal decides. */
export function InstallDialog({ onClose }: { onClose: () => void }) {
  const [chosen, setChosen] = useState<Chosen | null>(null);
  const [request, setRequest] = useState<InstallRequest | null>(null);
  if (request !== null) {
    return (
      <ApprovalDialog
        title={`Install ${request.spec}`}
        request={{ action: 'install', install: request }}
        onClose={onClose}
      />
    );
  }
  return (
    <Dialog title="Install a server" onClose={onClose}>
      {chosen?.kind === 'hit' ? (
        <Inputs hit={chosen.hit} onDone={setRequest} onBack={() => setChosen(null)} />
      ) : (
        <Search
          onChoose={(next) => {
            if (next.kind === 'hit' && next.hit.inputs.length > 0) setChosen(next);
            else setRequest(installRequest(next, new Map()));
          }}
        />
      )}
    </Dialog>
  );
}

// — internal —

function Search({ onChoose }: { onChoose: (chosen: Chosen) => void }) {
  const [words, setWords] = useState('');
  const [found, setFound] = useState<{ words: string; hits: readonly CatalogHit[] } | null>(null);
  const [isAsked, setAsked] = useState(false);
  const [thrown, setThrown] = useState<unknown>(null);
  useEffect(() => {
    const newer = new AbortController();
    const timer = setTimeout(() => {
      get<CatalogHit[]>(`/api/catalog?query=${encodeURIComponent(words)}`, { signal: newer.signal }).then(
        (hits) => {
          setFound({ words, hits });
          setThrown(null);
        },
        (error: unknown) => {
          if (!wasAborted(error)) setThrown(error);
        },
      );
    }, TYPING_MS);
    return () => {
      clearTimeout(timer);
      newer.abort();
    };
  }, [words]);
  const hits = found?.hits ?? [];
  const isTyped = isSpec(words);
  // While an answer is awaited, the one before says nothing of these words.
  const byEnter = found?.words === words || isTyped ? chosenByEnter(words, hits) : undefined;
  const hasNothing = byEnter === null && words.trim() !== '';
  useEffect(() => {
    if (!isAsked || byEnter === undefined) return;
    setAsked(false);
    if (byEnter !== null) onChoose(byEnter);
  }, [isAsked, byEnter]);
  const submit = (event: Event) => {
    event.preventDefault();
    setAsked(true);
  };
  return (
    <form class="stack" onSubmit={submit}>
      <Field label="What" hint="Words for the catalog; or npm:PACKAGE, a folder, or the address of a remote server.">
        {(ids) => (
          <input
            {...ids}
            type="search"
            data-first
            value={words}
            autocomplete="off"
            onInput={(event) => {
              setWords(event.currentTarget.value);
              setAsked(false);
            }}
          />
        )}
      </Field>
      {thrown === null ? null : <ErrorNote thrown={thrown} />}
      {isTyped ? (
        <button type="submit" class="button" data-kind="main">
          Install this
        </button>
      ) : null}
      <p class="note" role="status">
        {found === null && thrown === null ? 'Looking …' : null}
        {hasNothing && thrown === null ? nothingText(words, hits) : null}
        {byEnter?.kind === 'hit' && words.trim() !== '' ? `Enter chooses ${byEnter.hit.title}.` : null}
      </p>
      <ul class="hits" aria-label="In the catalog">
        {hits.map((hit) => (
          <li key={hit.name}>
            <button type="button" onClick={() => onChoose({ kind: 'hit', hit })} disabled={hit.installed}>
              <strong>{hit.title}</strong> <span class="soft">{hit.name}</span>{' '}
              {hit.installed ? <Badge>installed</Badge> : null}
              <span class="note">{hit.description}</span>
            </button>
          </li>
        ))}
      </ul>
    </form>
  );
}

function nothingText(words: string, hits: readonly CatalogHit[]): string {
  if (hits.length > 0) return 'What is like that in the catalog is installed already.';
  return `The catalog has nothing like “${words.trim()}”. A package of npm is written npm:NAME, a folder with its whole path, a remote server with its address.`;
}

interface InputsProps {
  hit: CatalogHit;
  onDone: (request: InstallRequest) => void;
  onBack: () => void;
}

function Inputs({ hit, onDone, onBack }: InputsProps) {
  const [values, setValues] = useState<ReadonlyMap<string, string>>(new Map());
  const [isTried, setTried] = useState(false);
  const missing = missingInputs(hit.inputs, values);
  const submit = (event: Event) => {
    event.preventDefault();
    setTried(true);
    if (missing.length === 0) onDone(installRequest({ kind: 'hit', hit }, values));
  };
  return (
    <form class="stack" onSubmit={submit} noValidate>
      <p>{hit.title} needs to know:</p>
      {hit.inputs.map((input) => (
        <InputField
          key={input.name}
          input={input}
          value={values.get(input.name) ?? ''}
          error={isTried && missing.includes(input.name) ? 'It needs a value' : undefined}
          onChange={(value) => setValues(new Map(values).set(input.name, value))}
        />
      ))}
      <div class="toolbar">
        <button type="submit" class="button" data-kind="main">
          Install
        </button>
        <button type="button" class="button" onClick={onBack}>
          Back
        </button>
      </div>
    </form>
  );
}

interface InputFieldProps {
  input: InputSpec;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}

function InputField({ input, value, error, onChange }: InputFieldProps) {
  const { name, description, required, secret, default: usual, choices } = input;
  const typed = {
    autocomplete: 'off',
    value,
    placeholder: usual ?? '',
    onInput: (event: { currentTarget: HTMLInputElement }) => onChange(event.currentTarget.value),
  };
  const control = (ids: FieldIds) => {
    if (secret) return <input {...ids} {...typed} type="password" />;
    if (choices === null) return <input {...ids} {...typed} type="text" />;
    return (
      <select {...ids} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">{usual ?? 'choose'}</option>
        {choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    );
  };
  return (
    <Field label={name} hint={description} error={error} required={required && usual === null}>
      {control}
    </Field>
  );
}
