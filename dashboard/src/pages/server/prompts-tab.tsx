import type { ServerInfo } from '../../../../src/api/contract.ts';
import { servers } from '../../live/store.ts';
import { ErrorNote } from '../../ui/notes.tsx';
import { useAnswer } from '../../use-answer.ts';
import { EntryList } from './entry-list.tsx';
import { TryForm } from './try-form.tsx';

/** What a prompt takes is not part of what is known of it here, so its arguments are given as JSON. */
const ANY_TEXTS = { type: 'object', additionalProperties: { type: 'string' } };

export function PromptsTab({ name }: { name: string }) {
  const { answer, thrown } = useAnswer<ServerInfo>(`/api/servers/${name}`, servers.value.get(name)?.since);
  return (
    <>
      {thrown === null ? null : <ErrorNote thrown={thrown} />}
      <EntryList server={name} entries={answer?.lists.prompts ?? null} noun="prompt">
        {(prompt) => (
          <>
            <h2 class="text">{prompt.raw}</h2>
            <p class="text prose">{prompt.description}</p>
            <TryForm
              key={prompt.raw}
              server={name}
              label={`Try ${prompt.raw}`}
              schema={ANY_TEXTS}
              requestOf={(given) => ({ kind: 'prompt', name: prompt.raw, arguments: textsOf(given) })}
            />
          </>
        )}
      </EntryList>
    </>
  );
}

// — internal —

/** Arguments of prompts are texts. */
function textsOf(given: Record<string, unknown>): Record<string, string> {
  const texts = Object.entries(given).map(([key, value]) => [
    key,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return Object.fromEntries(texts) as Record<string, string>;
}
