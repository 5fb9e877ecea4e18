import type { TryAnswer, TryQuestion, TryRequest } from '../../../../src/api/contract/tries.ts';
import { safeLink } from '../../text.ts';
import { Button } from '../../ui/button.tsx';
import { failed } from '../../ui/toasts.tsx';
import { SchemaForm } from './schema-form.tsx';
import type { Trial } from './trial.ts';
import { TryOutcome } from './try-outcome.tsx';
import { useTry } from './use-try.ts';

interface TryFormProps {
  server: string;
  label: string;
  schema: unknown;
  requestOf: (given: Record<string, unknown>) => TryRequest;
}

/** Tries something of a server: what it takes, what it asks back, and what comes of it. */
export function TryForm({ server, label, schema, requestOf }: TryFormProps) {
  const { trial, run, answer, cancel } = useTry(server);
  return (
    <div class="try stack">
      <SchemaForm label={label} schema={schema} action="Run" onSubmit={(given) => void run(requestOf(given))}>
        {trial.state === 'running' ? (
          <Button kind="danger" onPress={cancel}>
            Cancel
          </Button>
        ) : null}
      </SchemaForm>
      <Course trial={trial} />
      {trial.questions.map(({ id, params }) => (
        <Question key={id} params={params} onAnswer={(given) => answer(id, given)} />
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

interface QuestionProps {
  params: TryQuestion;
  onAnswer: (given: TryAnswer) => Promise<void>;
}

/** What the server wants of a person while it works. */
function Question({ params, onAnswer }: QuestionProps) {
  const refusals = (
    <>
      <Button onPress={() => onAnswer({ action: 'decline' })}>Decline</Button>
      <Button kind="quiet" onPress={() => onAnswer({ action: 'cancel' })}>
        Cancel the question
      </Button>
    </>
  );
  return (
    <section class="panel-box stack question" aria-label="The server asks">
      <h3>The server asks</h3>
      <p class="text prose">{params.message}</p>
      {params.mode === 'form' ? (
        <SchemaForm
          label="Answer"
          schema={params.schema}
          action="Answer"
          onSubmit={(content) => void onAnswer({ action: 'accept', content }).catch(failed)}
        >
          {refusals}
        </SchemaForm>
      ) : (
        <>
          <PageLink url={params.url} host={params.host} />
          <div class="toolbar">
            <Button kind="main" onPress={() => onAnswer({ action: 'accept' })}>
              I have been there
            </Button>
            {refusals}
          </div>
        </>
      )}
    </section>
  );
}

function PageLink({ url, host }: { url: string; host: string }) {
  const link = safeLink(url);
  if (link === null) return <p class="text">{url}</p>;
  return (
    <p>
      It wants you to visit <strong class="text">{host}</strong>:{' '}
      <a class="text" href={link.href} target="_blank" rel="noopener noreferrer">
        {url}
      </a>
    </p>
  );
}
