import type { ComponentChildren } from 'preact';
import { useEffect, useRef, useState } from 'preact/hooks';
import type { Completion } from '../../../../src/api/contract/offers.ts';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { FormFieldView } from './form-field.tsx';
import { argumentsOf, filledSoFar, objectOf } from './form-values.ts';
import { keep, keptOf } from './kept-forms.ts';
import type { FormField } from './schema-fields.ts';

export type Given = Record<string, unknown>;

/** The same by hand, as one text: what it says instead of the fields, and what is made of it. */
export interface RawWay {
  /** Of the button that leads there: `As JSON`. */
  name: string;
  label: string;
  rows: number;
  write: (given: Given) => string;
  /** Hands it in; or says what is wrong with it. */
  submit: (text: string) => string | undefined;
}

interface SchemaFormProps {
  label: string;
  /** Null: no fields suit, and there is the raw way only. */
  fields: readonly FormField[] | null;
  raw: RawWay;
  /** Word of the button that hands it in. */
  action: string;
  onSubmit: (given: Given) => void;
  /** It was handed in, and is not to be again before that has ended. */
  isBusy?: boolean;
  /** What was filled in is found again under this name. */
  keepAs?: string;
  /** How the value of an argument, which was typed so far, may go on. */
  complete?: ((argument: string, value: string, soFar: Given, signal: AbortSignal) => Promise<Completion>) | undefined;
  /** What comes of what was filled in so far. */
  preview?: (given: Given) => ComponentChildren;
  /** More buttons. */
  children?: ComponentChildren;
}

/** A form of fields, which can be filled in as one raw text too. Other fields are another form: values go by their places. */
export function SchemaForm(props: SchemaFormProps) {
  const shape = JSON.stringify(props.fields?.map(({ path, control }) => [path, control]) ?? null);
  const keepAs = props.keepAs === undefined ? undefined : `${props.keepAs}\0${shape}`;
  return <FilledForm key={shape} {...props} keepAs={keepAs} />;
}

/** By hand as JSON, for arguments of any shape. */
export function jsonWay(onSubmit: (given: Given) => void): RawWay {
  return {
    name: 'As JSON',
    label: 'Arguments as JSON',
    rows: 8,
    write: (given) => JSON.stringify(given, null, 2),
    submit: (text) => {
      const read = objectOf(text);
      if ('arguments' in read) onSubmit(read.arguments);
      return 'fault' in read ? read.fault : undefined;
    },
  };
}

// — internal —

function FilledForm(props: Omit<SchemaFormProps, 'keepAs'> & { keepAs: string | undefined }) {
  const { label, raw: way, action, onSubmit, isBusy = false, keepAs, complete, preview, children } = props;
  const fields = props.fields ?? [];
  const [form, setForm] = useState(
    () =>
      keptOf(keepAs) ?? {
        values: fields.map(({ initial }) => initial),
        raw: props.fields === null ? way.write({}) : null,
      },
  );
  const [faults, setFaults] = useState<ReadonlyMap<number, string>>(new Map());
  const [rawFault, setRawFault] = useState<string | undefined>(undefined);
  useEffect(() => keep(keepAs, form), [keepAs, form]);
  const place = useRef<HTMLFormElement>(null);
  // In a long form the first fault is out of sight of the button, which would seem to do nothing.
  useEffect(() => place.current?.querySelector<HTMLElement>('[aria-invalid], [data-faulty] input')?.focus(), [faults]);

  const { values, raw } = form;
  const read = argumentsOf(fields, values);
  const soFar = filledSoFar(fields, values);
  const submit = () => {
    if (isBusy) return;
    if (raw !== null) return setRawFault(way.submit(raw));
    setFaults('faults' in read ? read.faults : new Map());
    if ('arguments' in read) onSubmit(read.arguments);
  };
  const toggle = () => setForm({ values, raw: raw === null ? way.write(soFar) : null });

  return (
    <form
      class="schema-form"
      aria-label={label}
      ref={place}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {raw === null ? (
        fields.map((field, at) => (
          <FormFieldView
            key={field.path.join('\0')}
            field={field}
            value={values[at] ?? ''}
            fault={faults.get(at)}
            complete={
              complete === undefined
                ? undefined
                : (value, signal) => complete(field.path[0] ?? '', value, soFar, signal)
            }
            onChange={(value) => setForm({ values: values.with(at, value), raw: null })}
          />
        ))
      ) : (
        <Field label={way.label} error={rawFault}>
          {(ids) => (
            <textarea
              {...ids}
              rows={way.rows}
              spellcheck={false}
              value={raw}
              onInput={(event) => setForm({ values, raw: event.currentTarget.value })}
            />
          )}
        </Field>
      )}
      {raw === null ? preview?.(soFar) : null}
      <div class="toolbar">
        <button type="submit" class="button" data-kind="main" aria-disabled={isBusy}>
          {action}
        </button>
        {children}
        {fields.length === 0 ? null : (
          <Button kind="quiet" onPress={toggle}>
            {raw === null ? way.name : 'As a form'}
          </Button>
        )}
      </div>
    </form>
  );
}
