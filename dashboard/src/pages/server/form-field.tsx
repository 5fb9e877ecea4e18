import { Field } from '../../ui/field.tsx';
import { type Complete, CompletedInput } from './completed-input.tsx';
import type { FieldValue, FormField } from './schema-fields.ts';

interface FormFieldViewProps {
  field: FormField;
  value: FieldValue;
  fault: string | undefined;
  complete?: Complete | undefined;
  onChange: (value: FieldValue) => void;
}

/** One field of a form made from a schema, with the control that suits its type. */
export function FormFieldView({ field, value, fault, complete, onChange }: FormFieldViewProps) {
  const { control, label, hint, required } = field;
  const text = typeof value === 'string' ? value : '';
  if (control.kind === 'choice' && control.many) return <Many {...{ field, value, fault, onChange }} />;
  return (
    <Field label={label} hint={hint} error={fault} required={required}>
      {(ids) => {
        const typed = { ...ids, value: text, spellcheck: false };
        switch (control.kind) {
          case 'text':
            if (complete !== undefined && !control.long)
              return <CompletedInput {...{ ...typed, complete, onChange }} />;
            return control.long ? (
              <textarea {...typed} rows={4} onInput={(event) => onChange(event.currentTarget.value)} />
            ) : (
              <input
                {...typed}
                type="text"
                autocomplete="off"
                onInput={(event) => onChange(event.currentTarget.value)}
              />
            );
          case 'number':
            return (
              <input
                {...typed}
                type="text"
                inputMode={control.integer ? 'numeric' : 'decimal'}
                autocomplete="off"
                onInput={(event) => onChange(event.currentTarget.value)}
              />
            );
          case 'boolean':
            return <OneOf {...typed} options={YES_NO} onChange={onChange} />;
          case 'choice':
            return <OneOf {...typed} options={control.options} onChange={onChange} />;
          case 'lines':
            return (
              <textarea
                {...typed}
                rows={3}
                placeholder="one a line"
                onInput={(event) => onChange(event.currentTarget.value)}
              />
            );
          case 'json':
            return (
              <textarea
                {...typed}
                rows={3}
                placeholder="JSON"
                onInput={(event) => onChange(event.currentTarget.value)}
              />
            );
        }
      }}
    </Field>
  );
}

// — internal —

const YES_NO = [
  { json: 'true', label: 'yes' },
  { json: 'false', label: 'no' },
];

interface OneOfProps {
  id: string;
  value: string;
  options: readonly { json: string; label: string }[];
  onChange: (value: string) => void;
}

function OneOf({ value, options, onChange, ...ids }: OneOfProps) {
  return (
    <select {...ids} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
      <option value="">–</option>
      {options.map(({ json, label }) => (
        <option key={json} value={json}>
          {label}
        </option>
      ))}
    </select>
  );
}

/** Any number of a few: as boxes, in the order of the schema. */
function Many({ field, value, fault, onChange }: FormFieldViewProps) {
  const { control, label, hint } = field;
  if (control.kind !== 'choice') return null;
  const chosen = typeof value === 'string' ? [] : value;
  const toggle = (json: string) =>
    onChange(control.options.map((one) => one.json).filter((one) => (one === json) !== chosen.includes(one)));
  return (
    <fieldset class="many" data-faulty={fault === undefined ? undefined : true}>
      <legend>{label}</legend>
      {control.options.map((option) => (
        <label key={option.json}>
          <input type="checkbox" checked={chosen.includes(option.json)} onChange={() => toggle(option.json)} />
          {option.label}
        </label>
      ))}
      {hint === '' ? null : <p class="note">{hint}</p>}
      {fault === undefined ? null : (
        <p class="note" data-tone="bad">
          {fault}
        </p>
      )}
    </fieldset>
  );
}
