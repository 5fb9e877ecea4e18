import { useEffect, useState } from 'preact/hooks';
import type { SearchAnswer, SearchHit } from '../../../src/api/contract/search.ts';
import { get, wasAborted } from '../api.ts';
import { Field } from '../ui/field.tsx';
import { ErrorNote } from '../ui/notes.tsx';
import { Badge } from '../ui/state-dot.tsx';
import { type Chosen, chosenByEnter, isSpec } from './install-request.ts';

/** While somebody types, the catalog is not asked for each letter. */
const TYPING_MS = 150;

/** A field for what to install, with what the catalog has of it. */
export function ChooseWhat({ onChoose }: { onChoose: (chosen: Chosen) => void }) {
  const [words, setWords] = useState('');
  const [found, setFound] = useState<{ words: string; hits: readonly SearchHit[] } | null>(null);
  const [isAsked, setAsked] = useState(false);
  const [thrown, setThrown] = useState<unknown>(null);
  useEffect(() => {
    const newer = new AbortController();
    const timer = setTimeout(() => {
      get<SearchAnswer>(`/api/search?catalog=1&query=${encodeURIComponent(words)}`, { signal: newer.signal }).then(
        ({ hits }) => {
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

// — internal —

function nothingText(words: string, hits: readonly SearchHit[]): string {
  if (hits.length > 0) return 'What is like that in the catalog is installed already.';
  return `The catalog has nothing like “${words.trim()}”. A package of npm is written npm:NAME, a folder with its whole path, a remote server with its address.`;
}
