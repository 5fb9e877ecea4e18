import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ServerStatus } from '../../../../src/api/contract.ts';
import { servers } from '../../live/store.ts';
import { counted, shown } from '../../text.ts';
import { Command } from '../../ui/code.tsx';
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
  server: string;
  /** Null while nobody knows yet. */
  entries: readonly T[] | null;
  noun: string;
  /** What is shown of the chosen one. */
  children: (entry: T) => ComponentChildren;
}

const ROW_HEIGHT = 54;

/** What a server offers of one kind: a list to search, and the chosen one beside it. */
export function EntryList<T extends Entry>({ server, entries, noun, children }: EntryListProps<T>) {
  const [words, setWords] = useState('');
  const [raw, setRaw] = useState<string | null>(null);
  if (entries === null) return <p class="soft">Looking …</p>;
  const status = servers.value.get(server);
  if (entries.length === 0 && status?.listed === false) return <Unread server={status} noun={noun} />;
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

// — internal —

/** Nobody has read its lists, which is not the same as that they are empty. */
function Unread({ server, noun }: { server: ServerStatus; noun: string }) {
  const { name, state, enabled, launch, reason, fix } = server;
  if (state === 'starting') return <p class="soft">It is being asked just now …</p>;
  const never = launch.kind === 'http' ? 'It was not reached yet' : 'It has not run yet';
  const cause = reason ?? (enabled ? null : 'it is disabled');
  return (
    <Empty icon="question" title={`Its ${noun}s are not known yet`}>
      <p class="text">{cause === null ? `${never}.` : `${never}: ${shown(cause)}`}</p>
      <Command text={fix ?? `mcpd start ${name}`} />
    </Empty>
  );
}
