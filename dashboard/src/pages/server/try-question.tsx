import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import type { TryAnswer, TryQuestion } from '../../../../src/api/contract/tries.ts';
import { safeLink } from '../../text.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { failed } from '../../ui/toasts.tsx';
import { fieldsOf } from './schema-fields.ts';
import { jsonWay, SchemaForm } from './schema-form.tsx';

interface QuestionProps<T = TryQuestion> {
  params: T;
  onAnswer: (given: TryAnswer) => Promise<void>;
}

/** What the server wants of a person while it works. */
export function TryQuestionView({ params, onAnswer }: QuestionProps) {
  const place = useRef<HTMLElement>(null);
  // It may come long after the press of a button, below the form and out of sight; the focus stays where a person types.
  useEffect(() => place.current?.scrollIntoView({ block: 'nearest' }), []);
  return (
    <section class="panel-box stack question" aria-label="The server asks" ref={place}>
      <h3>The server asks{params.mode === 'sampling' ? ' a model' : ''}</h3>
      {params.mode === 'form' ? <Form {...{ params, onAnswer }} /> : null}
      {params.mode === 'url' ? <Link {...{ params, onAnswer }} /> : null}
      {params.mode === 'sampling' ? <Sampling {...{ params, onAnswer }} /> : null}
    </section>
  );
}

// — internal —

type Of<T extends TryQuestion['mode']> = QuestionProps<Extract<TryQuestion, { mode: T }>>;

function Form({ params, onAnswer }: Of<'form'>) {
  const fields = useMemo(() => fieldsOf(JSON.parse(params.schema)), [params.schema]);
  const accept = (content: Record<string, unknown>) => void onAnswer({ action: 'accept', content }).catch(failed);
  return (
    <>
      <p class="text prose">{params.message}</p>
      <SchemaForm label="Answer" fields={fields} raw={jsonWay(accept)} action="Answer" onSubmit={accept}>
        <Refusals onAnswer={onAnswer} />
      </SchemaForm>
    </>
  );
}

function Link({ params: { message, url, host }, onAnswer }: Of<'url'>) {
  const link = safeLink(url);
  return (
    <>
      <p class="text prose">{message}</p>
      {link === null ? (
        <p class="text">{url}</p>
      ) : (
        <p>
          It wants you to visit <strong class="text">{host}</strong>:{' '}
          <a class="text" href={link.href} target="_blank" rel="noopener noreferrer">
            {url}
          </a>
        </p>
      )}
      <div class="toolbar">
        <Button kind="main" onPress={() => onAnswer({ action: 'accept' })}>
          I have been there
        </Button>
        <Refusals onAnswer={onAnswer} />
      </div>
    </>
  );
}

/** There is no model here: a person may say what one would. */
function Sampling({ params: { systemPrompt, messages, maxTokens }, onAnswer }: Of<'sampling'>) {
  const [text, setText] = useState('');
  return (
    <form
      class="schema-form"
      aria-label="Answer"
      onSubmit={(event) => {
        event.preventDefault();
        void onAnswer({ action: 'accept', text }).catch(failed);
      }}
    >
      {systemPrompt === null ? null : <p class="text prose">system: {systemPrompt}</p>}
      {messages.map((message, at) => (
        <p key={at} class="text prose">
          {message.role}: {message.text}
        </p>
      ))}
      <Field
        label="What the model says"
        hint={`You answer in its place${maxTokens === null ? '' : `; at most ${maxTokens} tokens are wanted`}`}
      >
        {(ids) => <textarea {...ids} rows={4} value={text} onInput={(event) => setText(event.currentTarget.value)} />}
      </Field>
      <div class="toolbar">
        <button type="submit" class="button" data-kind="main">
          Answer
        </button>
        <Button onPress={() => onAnswer({ action: 'decline' })}>Decline</Button>
      </div>
    </form>
  );
}

function Refusals({ onAnswer }: Pick<QuestionProps, 'onAnswer'>) {
  return (
    <>
      <Button onPress={() => onAnswer({ action: 'decline' })}>Decline</Button>
      <Button kind="quiet" onPress={() => onAnswer({ action: 'cancel' })}>
        Cancel the question
      </Button>
    </>
  );
}
