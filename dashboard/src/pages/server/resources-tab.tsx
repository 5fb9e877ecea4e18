import { useState } from 'preact/hooks';
import type { ServerInfo } from '../../../../src/api/contract.ts';
import { servers } from '../../live/store.ts';
import { Field } from '../../ui/field.tsx';
import { ErrorNote } from '../../ui/notes.tsx';
import { useAnswer } from '../../use-answer.ts';
import { type Entry, EntryList } from './entry-list.tsx';
import { TryForm } from './try-form.tsx';

interface ResourceEntry extends Entry {
  isTemplate: boolean;
}

const NOTHING_TO_GIVE = { type: 'object', properties: {} };

/** Resources and templates of a server; each can be read. */
export function ResourcesTab({ name }: { name: string }) {
  const { answer, thrown } = useAnswer<ServerInfo>(`/api/servers/${name}`, servers.value.get(name)?.since);
  const entries =
    answer === null
      ? null
      : [
          ...answer.lists.resources.map((entry) => ({ ...entry, isTemplate: false })),
          ...answer.lists.templates.map((entry) => ({ ...entry, isTemplate: true })),
        ];
  return (
    <>
      {thrown === null ? null : <ErrorNote thrown={thrown} />}
      <EntryList<ResourceEntry> server={name} entries={entries} noun="resource">
        {(entry) => (
          <>
            <h2 class="text">{entry.raw}</h2>
            <p class="text prose">{entry.description}</p>
            <Read key={entry.raw} server={name} entry={entry} />
          </>
        )}
      </EntryList>
    </>
  );
}

// — internal —

function Read({ server, entry }: { server: string; entry: ResourceEntry }) {
  const [uri, setUri] = useState(entry.raw);
  return (
    <>
      {entry.isTemplate ? (
        <Field label="URI" hint="What stands in braces is to be filled in">
          {(ids) => (
            <input
              {...ids}
              type="text"
              value={uri}
              spellcheck={false}
              onInput={(event) => setUri(event.currentTarget.value)}
            />
          )}
        </Field>
      ) : null}
      <TryForm
        server={server}
        label={`Read ${entry.raw}`}
        schema={NOTHING_TO_GIVE}
        requestOf={() => ({ kind: 'resource', uri })}
      />
    </>
  );
}
