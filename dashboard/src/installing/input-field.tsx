import type { InputSpec } from '../../../src/api/contract.ts';
import { Field, type FieldIds } from '../ui/field.tsx';

interface InputFieldProps {
  input: InputSpec;
  value: string;
  error: string | undefined;
  onChange: (value: string) => void;
}

/** One input of a server, as its kind wants it. What is secret is not shown while it is typed. */
export function InputField({ input, value, error, onChange }: InputFieldProps) {
  const { name, description, required, secret, default: usual, choices } = input;
  const typed = {
    autocomplete: 'off',
    value,
    placeholder: usual ?? '',
    onInput: (event: { currentTarget: HTMLInputElement }) => onChange(event.currentTarget.value),
  };
  const control = (ids: FieldIds) => {
    if (secret) return <input {...ids} {...typed} type="password" />;
    if (choices === null) return <input {...ids} {...typed} type="text" />;
    return (
      <select {...ids} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        <option value="">{usual ?? 'choose'}</option>
        {choices.map((choice) => (
          <option key={choice}>{choice}</option>
        ))}
      </select>
    );
  };
  return (
    <Field label={name} hint={description} error={error} required={required && usual === null}>
      {control}
    </Field>
  );
}
