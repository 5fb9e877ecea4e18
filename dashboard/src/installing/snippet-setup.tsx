import { useState } from 'preact/hooks';
import type { ApprovalRequest } from '../../../src/api/contract/approvals.ts';
import type { SnippetServer } from '../../../src/install/snippet.ts';
import { shown } from '../text.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { InputField } from './input-field.tsx';
import { missingInputs } from './install-request.ts';
import {
  mustBeNamed,
  type SnippetFilled,
  snippetInputs,
  snippetRequest,
  valueTexts,
  wayText,
} from './snippet-request.ts';

interface SnippetSetupProps {
  server: SnippetServer;
  filled: SnippetFilled;
  onFill: (filled: SnippetFilled) => void;
  onDone: (request: ApprovalRequest) => void;
  onBack: () => void;
}

/** What one server of a pasted configuration would run, and a form for what it needs to know. */
export function SnippetSetup({ server, filled, onFill, onDone, onBack }: SnippetSetupProps) {
  const [isTried, setTried] = useState(false);
  const { way, line, column, warnings } = server;
  const inputs = snippetInputs(server);
  const missing = missingInputs(inputs, filled.values);
  const isNameless = mustBeNamed(server) && filled.name === null;
  const hasFolder = way.kind !== 'command' || filled.folder.trim() !== '';
  const submit = (event: Event) => {
    event.preventDefault();
    setTried(true);
    if (missing.length === 0 && !isNameless && hasFolder) onDone(snippetRequest(server, filled));
  };
  const values = valueTexts(server);
  return (
    <form class="stack" onSubmit={submit} noValidate>
      <div>
        <p class="soft">{INTRODUCTIONS[way.kind]}</p>
        <code class="command-line">{wayText(server)}</code>
      </div>
      {values.length === 0 ? null : (
        <dl class="pairs">
          {values.map(([name, value]) => (
            <div key={`${name} ${value}`} class="pair">
              <dt>{name}</dt>
              <dd class="text">
                <code>{value}</code>
              </dd>
            </div>
          ))}
        </dl>
      )}
      <p class="note">
        From line {line}, column {column} of what was pasted. You are shown all of it once more, with the exact version,
        before anything is fetched or run.
      </p>
      {(server.disabled ? [...warnings, 'it is switched off there'] : warnings).map((warning) => (
        <p key={warning} class="note" data-tone="busy">
          {shown(warning)}
        </p>
      ))}
      <Field
        label="Name"
        hint="What it is called here; hosts see it before the names of its tools."
        error={isTried && isNameless ? 'It needs a name' : undefined}
        required={mustBeNamed(server)}
      >
        {(ids) => (
          <input
            {...ids}
            autocomplete="off"
            spellcheck={false}
            value={filled.name ?? ''}
            placeholder={server.name === null ? '' : shown(server.name)}
            onInput={({ currentTarget: { value } }) => onFill({ ...filled, name: value.trim() === '' ? null : value })}
          />
        )}
      </Field>
      {way.kind === 'command' ? (
        <Field
          label="Folder"
          hint="Where it runs, with its whole path."
          error={isTried && !hasFolder ? 'It needs a folder' : undefined}
          required
        >
          {(ids) => (
            <input
              {...ids}
              autocomplete="off"
              spellcheck={false}
              value={filled.folder}
              onInput={({ currentTarget: { value } }) => onFill({ ...filled, folder: value })}
            />
          )}
        </Field>
      ) : null}
      {inputs.length === 0 ? null : <p>It needs to know:</p>}
      {inputs.map((input) => (
        <InputField
          key={input.name}
          input={input}
          value={filled.values.get(input.name) ?? ''}
          error={isTried && missing.includes(input.name) ? 'It needs a value' : undefined}
          onChange={(value) => onFill({ ...filled, values: new Map(filled.values).set(input.name, value) })}
        />
      ))}
      <div class="toolbar">
        <button type="submit" class="button" data-kind="main">
          Install
        </button>
        <Button onPress={onBack}>Back</Button>
      </div>
    </form>
  );
}

// — internal —

const INTRODUCTIONS: Record<SnippetServer['way']['kind'], string> = {
  package: 'It would be fetched, kept at the version of today, and run as you',
  address: 'It is reached at',
  command: 'It would run, as you',
};
