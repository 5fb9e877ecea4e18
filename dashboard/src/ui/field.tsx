import type { ComponentChildren } from 'preact';
import { useId } from 'preact/hooks';

/** What a control needs to belong to its field. */
export interface FieldIds {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': boolean | undefined;
}

interface FieldProps {
  label: string;
  /** More words about it, below. */
  hint?: string | undefined;
  /** What is wrong with its value. */
  error?: string | undefined;
  required?: boolean;
  /** The control; it takes over what ties it to its label: `{(ids) => <input {...ids} />}`. */
  children: (ids: FieldIds) => ComponentChildren;
}

export function Field({ label, hint, error, required, children }: FieldProps) {
  const id = useId();
  const describedBy = [hint ? `${id}-hint` : '', error ? `${id}-error` : ''].filter((one) => one !== '').join(' ');
  return (
    <div class="field">
      <label for={id}>
        {label}
        {required ? <span class="soft"> (required)</span> : null}
      </label>
      {children({ id, 'aria-describedby': describedBy || undefined, 'aria-invalid': error ? true : undefined })}
      {hint ? (
        <p class="note" id={`${id}-hint`}>
          {hint}
        </p>
      ) : null}
      {error ? (
        <p class="note" data-tone="bad" id={`${id}-error`}>
          {error}
        </p>
      ) : null}
    </div>
  );
}

interface SearchProps {
  value: string;
  onChange: (value: string) => void;
  label: string;
}

/** A field to search in what is shown. `/` leads to the first of a page. */
export function SearchField({ value, onChange, label }: SearchProps) {
  return (
    <input
      type="search"
      class="search"
      data-search
      aria-label={label}
      placeholder={label}
      value={value}
      autocomplete="off"
      spellcheck={false}
      onInput={(event) => onChange(event.currentTarget.value)}
      onKeyDown={(event) => {
        // By itself a browser empties the field and tells nobody. An empty one is left, as every field is.
        if (event.key !== 'Escape' || value === '') return;
        event.preventDefault();
        event.stopPropagation();
        onChange('');
      }}
    />
  );
}

interface ChoiceProps<T extends string> {
  value: T;
  options: readonly { value: T; label: string }[];
  onChange: (value: T) => void;
  label: string;
}

/** One of a few, as a list that the browser draws. */
export function Choice<T extends string>({ value, options, onChange, label }: ChoiceProps<T>) {
  return (
    <select
      class="choice"
      aria-label={label}
      value={value}
      onChange={(event) => {
        const chosen = options[event.currentTarget.selectedIndex];
        if (chosen !== undefined) onChange(chosen.value);
      }}
    >
      {options.map((option) => (
        <option key={option.value} value={option.value}>
          {option.label}
        </option>
      ))}
    </select>
  );
}
