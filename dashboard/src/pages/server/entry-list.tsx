import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import { counted } from '../../text.ts';
import { SearchField } from '../../ui/field.tsx';
import { Empty } from '../../ui/notes.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';

export interface Entry {
  /** The server's own name for it, or its URI. */
  raw: string;
  /** How hosts know it. */
  name: string;
  description: string;
}

interface EntryListProps<T extends Entry> {
  /** Null while nobody knows yet. */
  entries: readonly T[] | null;
  noun: string;
  /** What is shown of the chosen one. */
  children: (entry: T) => ComponentChildren;
}

const ROW_HEIGHT = 54;

/** What a server offers of one kind: a list to search, and the chosen one beside it. */
export function EntryList<T extends Entry>({ entries, noun, children }: EntryListProps<T>) {
  const [words, setWords] = useState('');
  const [raw, setRaw] = useState<string | null>(null);
  if (entries === null) return <p class="soft">Looking …</p>;
  if (entries.length === 0)
    return (
      <Empty title={`No ${noun}s`}>
        <p>This server lists none.</p>
      </Empty>
    );
  const wanted = words.trim().toLowerCase();
  const shown = entries.filter(({ name, description }) => `${name} ${description}`.toLowerCase().includes(wanted));
  const chosen = entries.find((entry) => entry.raw === raw) ?? shown[0];
  return (
    <div class="entries">
      <div class="entry-column">
        <SearchField label={`Search ${noun}s`} value={words} onChange={setWords} />
        <p class="note" role="status">
          {shown.length === entries.length
            ? counted(entries.length, noun)
            : `${shown.length} of ${counted(entries.length, noun)}`}
        </p>
        <VirtualList
          items={shown}
          keyOf={(entry) => entry.raw}
          rowHeight={ROW_HEIGHT}
          label={`${noun}s`}
          onOpen={(entry) => setRaw(entry.raw)}
          render={(entry) => (
            <div class="entry" data-chosen={entry === chosen ? '' : undefined}>
              <strong class="text">{entry.raw}</strong>
              <span class="note text">{entry.description}</span>
            </div>
          )}
        />
      </div>
      {chosen === undefined ? null : (
        <section class="panel-box stack" aria-label={chosen.raw}>
          {children(chosen)}
        </section>
      )}
    </div>
  );
}
