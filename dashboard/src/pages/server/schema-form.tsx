import type { ComponentChildren } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { Button } from '../../ui/button.tsx';
import { Field } from '../../ui/field.tsx';
import { FormFieldView } from './form-field.tsx';
import { argumentsOf, objectOf } from './form-values.ts';
import { type FieldValue, fieldsOf } from './schema-fields.ts';

interface SchemaFormProps {
  label: string;
  schema: unknown;
  /** Word of the button that hands it in. */
  action: string;
  onSubmit: (given: Record<string, unknown>) => void;
  /** More buttons. */
  children?: ComponentChildren;
}

/** A form made from a JSON schema, which can be filled in as raw JSON too. */
export function SchemaForm({ label, schema, action, onSubmit, children }: SchemaFormProps) {
  const fields = useMemo(() => fieldsOf(schema), [schema]);
  const [values, setValues] = useState<readonly FieldValue[]>(() => (fields ?? []).map(({ initial }) => initial));
  const [faults, setFaults] = useState<ReadonlyMap<number, string>>(new Map());
  /** Null while the fields are used. */
  const [raw, setRaw] = useState<string | null>(fields === null ? '{}' : null);
  const [rawFault, setRawFault] = useState<string | undefined>(undefined);

  const submit = () => {
    if (raw !== null) {
      const read = objectOf(raw);
      setRawFault('fault' in read ? read.fault : undefined);
      if ('arguments' in read) onSubmit(read.arguments);
      return;
    }
    const read = argumentsOf(fields ?? [], values);
    setFaults('faults' in read ? read.faults : new Map());
    if ('arguments' in read) onSubmit(read.arguments);
  };
  const toRaw = () => {
    const read = argumentsOf(fields ?? [], values);
    setRaw(JSON.stringify('arguments' in read ? read.arguments : {}, null, 2));
  };

  return (
    <form
      class="schema-form"
      aria-label={label}
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      {raw === null ? (
        (fields ?? []).map((field, at) => (
          <FormFieldView
            key={field.path.join('\0')}
            field={field}
            value={values[at] ?? ''}
            fault={faults.get(at)}
            onChange={(value) => setValues(values.with(at, value))}
          />
        ))
      ) : (
        <Field label="Arguments as JSON" error={rawFault}>
          {(ids) => (
            <textarea
              {...ids}
              rows={8}
              spellcheck={false}
              value={raw}
              onInput={(event) => setRaw(event.currentTarget.value)}
            />
          )}
        </Field>
      )}
      <div class="toolbar">
        <button type="submit" class="button" data-kind="main">
          {action}
        </button>
        {children}
        {fields === null || (fields.length === 0 && raw === null) ? null : (
          <Button kind="quiet" onPress={() => (raw === null ? toRaw() : setRaw(null))}>
            {raw === null ? 'As JSON' : 'As a form'}
          </Button>
        )}
      </div>
    </form>
  );
}
