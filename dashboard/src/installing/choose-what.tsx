import { useEffect, useState } from 'preact/hooks';
import type { SearchAnswer, SearchHit } from '../../../src/api/contract/search.ts';
import { isSnippet } from '../../../src/install/snippet.ts';
import { get, wasAborted } from '../api.ts';
import { Field } from '../ui/field.tsx';
import { ErrorNote } from '../ui/notes.tsx';
import { Badge } from '../ui/state-dot.tsx';
import { type Chosen, chosenByEnter, isSpec, meantHits } from './install-request.ts';

/** While somebody types, the catalog is not asked for each letter. */
const TYPING_MS = 150;

/** A field for what to install, with what the catalog has of it. */
export function ChooseWhat({ onChoose }: { onChoose: (chosen: Chosen) => void }) {
  const [words, setWords] = useState('');
  const [found, setFound] = useState<{ words: string; hits: readonly SearchHit[] } | null>(null);
  /** The whole of it, once nothing was found: a name that is mistyped may be near one of these. */
  const [catalog, setCatalog] = useState<readonly SearchHit[]>([]);
  const [isAsked, setAsked] = useState(false);
  const [thrown, setThrown] = useState<unknown>(null);
  useEffect(() => {
    // A configuration is no search, and too long for an address.
    if (isSnippet(words)) return;
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
  const isPasted = isSnippet(words);
  const isTyped = isPasted || isSpec(words);
  // While an answer is awaited, the one before says nothing of these words.
  const byEnter = found?.words === words || isTyped ? chosenByEnter(words, hits) : undefined;
  const hasNothing = byEnter === null && words.trim() !== '';
  const isUnknown = hasNothing && hits.length === 0;
  useEffect(() => {
    if (isUnknown && catalog.length === 0)
      get<SearchAnswer>('/api/search?catalog=1').then((answer) => setCatalog(answer.hits), setThrown);
  }, [isUnknown]);
  const meant = isUnknown ? meantHits(words, catalog) : [];
  const shownHits = isPasted ? [] : meant.length > 0 ? meant : hits;
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
      <Field
        label="What"
        hint="Words for the catalog; npm:PACKAGE, a folder, the address of a remote server; or paste the configuration of a host or a README."
      >
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
            // The field has one line, and would join those of a configuration, comments and all.
            onPaste={(event) => {
              const text = event.clipboardData?.getData('text/plain') ?? '';
              if (!isSnippet(text)) return;
              event.preventDefault();
              onChoose({ kind: 'snippet', text });
            }}
          />
        )}
      </Field>
      {thrown === null ? null : <ErrorNote thrown={thrown} />}
      {isTyped ? (
        <button type="submit" class="button" data-kind="main">
          {isPasted ? 'Look at this configuration' : 'Install this'}
        </button>
      ) : null}
      <p class="note" role="status">
        {found === null && thrown === null ? 'Looking …' : null}
        {hasNothing && thrown === null ? nothingText(words, hits, meant) : null}
        {byEnter?.kind === 'hit' && words.trim() !== '' ? `Enter chooses ${byEnter.hit.title}.` : null}
      </p>
      <ul class="hits" aria-label={meant.length > 0 ? 'Did you mean' : 'In the catalog'}>
        {shownHits.map((hit) => (
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

function nothingText(words: string, hits: readonly SearchHit[], meant: readonly SearchHit[]): string {
  if (hits.length > 0) return 'What is like that in the catalog is installed already.';
  const names = meant.map(({ name }) => name);
  const last = names.pop();
  if (last !== undefined)
    return `The catalog has no “${words.trim()}”. Did you mean ${names.length === 0 ? last : `${names.join(', ')} or ${last}`}?`;
  return `The catalog has nothing like “${words.trim()}”. A package of npm is written npm:NAME, a folder with its whole path, a remote server with its address.`;
}
