import { useState } from 'preact/hooks';
import type { SearchHit } from '../../../src/api/contract/search.ts';
import type { InstallPlan } from '../../../src/api/contract.ts';
import { reportOf } from '../api.ts';
import { withQuery } from '../route.ts';
import { Button } from '../ui/button.tsx';
import { Field } from '../ui/field.tsx';
import { ErrorNote } from '../ui/notes.tsx';
import { Pairs } from '../ui/pairs.tsx';
import { useAnswer } from '../use-answer.ts';
import { useSettled } from '../use-settled.ts';
import { InputField } from './input-field.tsx';
import { type Filled, missingInputs, specOf } from './install-request.ts';
import { Link } from './link.tsx';
import { planFacts } from './plan-facts.ts';

/** While somebody types a name, the plan is not asked for with each letter. */
const NAME_TYPING_MS = 300;

interface SetupProps {
  hit: SearchHit;
  filled: Filled;
  onFill: (filled: Filled) => void;
  onDone: () => void;
  onBack: (() => void) | null;
}

/** What an install would run, and a form for what it needs to know. */
export function Setup({ hit, filled, onFill, onDone, onBack }: SetupProps) {
  const [isTried, setTried] = useState(false);
  const name = useSettled(filled.name, NAME_TYPING_MS);
  const { answer, thrown } = useAnswer<InstallPlan>(withQuery('/api/plans', { spec: specOf(hit), name }), 0);
  const plan = thrown === null ? answer : null;
  const missing = missingInputs(hit.inputs, filled.values);
  const nameFault = thrown !== null && isAboutName(reportOf(thrown).code) ? reportOf(thrown).what : undefined;
  const submit = (event: Event) => {
    event.preventDefault();
    setTried(true);
    if (missing.length === 0 && plan !== null) onDone();
  };
  return (
    <form class="stack" onSubmit={submit} noValidate>
      {hit.description === '' ? null : <p class="text">{hit.description}</p>}
      <Deprecation hit={hit} />
      {thrown === null || nameFault !== undefined ? null : <ErrorNote thrown={thrown} />}
      {answer === null && thrown === null ? <p class="soft">Looking what it would run …</p> : null}
      {plan === null ? null : <Plan hit={hit} plan={plan} />}
      {plan === null && nameFault === undefined ? null : (
        <Field
          label="Name"
          hint="What it is called here; hosts see it before the names of its tools."
          error={nameFault}
        >
          {(ids) => (
            <input
              {...ids}
              autocomplete="off"
              spellcheck={false}
              value={filled.name ?? ''}
              placeholder={plan?.name ?? ''}
              onInput={({ currentTarget: { value } }) =>
                onFill({ ...filled, name: value.trim() === '' ? null : value })
              }
            />
          )}
        </Field>
      )}
      {hit.inputs.length === 0 ? null : <p>It needs to know:</p>}
      {hit.inputs.map((input) => (
        <InputField
          key={input.name}
          input={input}
          value={filled.values.get(input.name) ?? ''}
          error={isTried && missing.includes(input.name) ? 'It needs a value' : undefined}
          onChange={(value) => onFill({ ...filled, values: new Map(filled.values).set(input.name, value) })}
        />
      ))}
      <div class="toolbar">
        <button type="submit" class="button" data-kind="main" disabled={plan === null}>
          Install
        </button>
        {onBack === null ? null : <Button onPress={onBack}>Back</Button>}
      </div>
    </form>
  );
}

// — internal —

function Plan({ hit, plan }: { hit: SearchHit; plan: InstallPlan }) {
  return (
    <>
      <Pairs
        pairs={[
          ...planFacts(hit, plan),
          ...(hit.repository === null
            ? []
            : [['Repository', <Link key="repository" text={hit.repository} />] as const]),
        ]}
      />
      <div>
        <p class="soft">
          {plan.versionIs === 'none' && /^https?:/.test(plan.commandLine) ? 'It is reached at' : 'It runs, as you'}
        </p>
        <code class="command-line">{plan.commandLine}</code>
      </div>
      {plan.warnings.map((warning) => (
        <p key={warning} class="note" data-tone="busy">
          {warning}
        </p>
      ))}
    </>
  );
}

function Deprecation({ hit: { status, statusMessage } }: { hit: SearchHit }) {
  if (status === 'active') return null;
  return (
    <p class="note" data-tone="busy">
      Deprecated{statusMessage === null ? '.' : `: ${statusMessage}`}
    </p>
  );
}

function isAboutName(code: string): boolean {
  return code === 'NAME_TAKEN' || code === 'NAME_INVALID';
}
