import type { ComponentChildren } from 'preact';
import { useState } from 'preact/hooks';
import type { ServerStatus } from '../../../../src/api/contract.ts';
import { servers } from '../../live/store.ts';
import { counted, shown } from '../../text.ts';
import { Command } from '../../ui/code.tsx';
import { SearchField } from '../../ui/field.tsx';
import { Empty } from '../../ui/notes.tsx';
import { VirtualList } from '../../ui/virtual-list.tsx';
import type { Entry } from './offer.ts';

interface EntryListProps {
  server: string;
  /** Null while nobody knows yet. */
  entries: readonly Entry[] | null;
  noun: string;
  /** Of the chosen one; null is the first. */
  raw: string | null;
  onChoose: (raw: string) => void;
  /** What is shown of the chosen one. */
  children: (entry: Entry) => ComponentChildren;
}

const ROW_HEIGHT = 54;

/** What a server offers of one kind: a list to search, and the chosen one beside it. */
export function EntryList({ server, entries, noun, raw, onChoose, children }: EntryListProps) {
  const [words, setWords] = useState('');
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
  const found = entries.filter(({ title, name, description }) =>
    `${title} ${name} ${description}`.toLowerCase().includes(wanted),
  );
  const chosen = entries.find((entry) => entry.raw === raw) ?? found[0];
  return (
    <div class="entries">
      <div class="entry-column">
        <SearchField label={`Search ${noun}s`} value={words} onChange={setWords} />
        <p class="note" role="status">
          {found.length === entries.length
            ? counted(entries.length, noun)
            : `${found.length} of ${counted(entries.length, noun)}`}
        </p>
        <VirtualList
          items={found}
          keyOf={(entry) => entry.raw}
          rowHeight={ROW_HEIGHT}
          label={`${noun}s`}
          onOpen={(entry) => onChoose(entry.raw)}
          render={(entry) => (
            <div class="entry" data-chosen={entry === chosen ? '' : undefined}>
              <strong>
                <span class="text">{entry.title}</span>
                {entry.onlyFor === null ? null : <span class="only-for">{entry.onlyFor.join(', ')} only</span>}
              </strong>
              <span class="note text">{entry.description}</span>
            </div>
          )}
        />
      </div>
      {chosen === undefined ? null : (
        <section class="panel-box stack" aria-label={chosen.title}>
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
