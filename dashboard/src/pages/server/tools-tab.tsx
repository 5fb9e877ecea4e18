import type { ToolInfo } from '../../../../src/api/contract.ts';
import { servers } from '../../live/store.ts';
import { shown } from '../../text.ts';
import { CodeBlock } from '../../ui/code.tsx';
import { ErrorNote } from '../../ui/notes.tsx';
import { useAnswer } from '../../use-answer.ts';
import { EntryList } from './entry-list.tsx';
import { TryForm } from './try-form.tsx';

/** The tools of a server; each can be tried. */
export function ToolsTab({ name }: { name: string }) {
  // Lists come with a start, and change while it runs.
  const { answer, thrown } = useAnswer<ToolInfo[]>(`/api/tools?server=${name}`, servers.value.get(name)?.since);
  return (
    <>
      {thrown === null ? null : <ErrorNote thrown={thrown} />}
      <EntryList server={name} entries={answer} noun="tool">
        {(tool) => (
          <>
            <h2 class="text">{tool.raw}</h2>
            {tool.name === tool.raw ? null : (
              <p class="note">
                Hosts know it as <code>{tool.name}</code>
              </p>
            )}
            <p class="text prose">{tool.description}</p>
            <TryForm
              key={tool.raw}
              server={name}
              label={`Try ${tool.raw}`}
              schema={tool.inputSchema}
              requestOf={(given) => ({ kind: 'tool', name: tool.raw, arguments: given })}
            />
            <details>
              <summary>Schema</summary>
              <CodeBlock text={shown(JSON.stringify(tool.inputSchema, null, 2) ?? 'null')} label="schema" />
            </details>
          </>
        )}
      </EntryList>
    </>
  );
}
