import { useEffect } from 'preact/hooks';
import type { TryRequest } from '../../../../src/api/contract/tries.ts';
import type { Trial } from '../../trying/trial.ts';
import { answer, begin, cancel, keyOf, see, shownTry, type TryPlace, trialAt } from '../../trying/tries.ts';
import { Button } from '../../ui/button.tsx';
import type { FormField } from './schema-fields.ts';
import { type Given, type RawWay, SchemaForm } from './schema-form.tsx';
import { TryOutcome } from './try-outcome.tsx';
import { TryQuestionView } from './try-question.tsx';

interface TryFormProps {
  place: TryPlace;
  label: string;
  fields: readonly FormField[] | null;
  /** From what was given to what is asked for. */
  requestOf: (given: Given) => TryRequest;
  raw: (run: (request: TryRequest) => void) => RawWay;
  complete?: Parameters<typeof SchemaForm>[0]['complete'];
  preview?: Parameters<typeof SchemaForm>[0]['preview'];
}

/** Tries something of a server: what it takes, what it asks back, and what comes of it. */
export function TryForm({ place, label, fields, requestOf, raw, complete, preview }: TryFormProps) {
  const trial = trialAt(place);
  const isRunning = trial.state === 'running';
  const run = (request: TryRequest) => void begin(place, request);
  const key = keyOf(place);
  useEffect(() => {
    shownTry.value = key;
    return () => {
      if (shownTry.value === key) shownTry.value = null;
    };
  }, [key]);
  useEffect(() => {
    if (trial.state === 'done') see(place);
  }, [trial.state, place]);
  return (
    <div class="try stack">
      <SchemaForm
        label={label}
        fields={fields}
        raw={raw(run)}
        action="Run"
        isBusy={isRunning}
        keepAs={key}
        complete={complete}
        {...(preview === undefined ? {} : { preview })}
        onSubmit={(given) => run(requestOf(given))}
      >
        {isRunning ? (
          <Button kind="danger" onPress={() => cancel(place)}>
            Cancel
          </Button>
        ) : null}
      </SchemaForm>
      <Course trial={trial} />
      {trial.questions.map(({ id, params }) => (
        <TryQuestionView key={id} params={params} onAnswer={(given) => answer(place, id, given)} />
      ))}
      <TryOutcome trial={trial} />
    </div>
  );
}

// — internal —

/** How far it is. */
function Course({ trial }: { trial: Trial }) {
  if (trial.state === 'idle') return null;
  return (
    <div>
      {trial.state === 'running' ? (
        <progress aria-label="Progress" {...(trial.share === null ? {} : { value: trial.share, max: 1 })} />
      ) : null}
      {trial.notes.length === 0 ? null : (
        <div class="try-notes" {...{ role: 'log', tabIndex: 0, 'aria-label': 'What the server says' }}>
          {trial.notes.map((note, at) => (
            <p key={at} class="text">
              {note}
            </p>
          ))}
        </div>
      )}
    </div>
  );
}
