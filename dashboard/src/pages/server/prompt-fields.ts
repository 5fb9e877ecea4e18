import { shown } from '../../text.ts';
import { UNBOUNDED } from './field-bounds.ts';
import type { PromptArgument } from './offer.ts';
import type { FormField } from './schema-fields.ts';

/** A form for the arguments of a prompt, which are texts. Pure. */
export function fieldsOfPrompt(declared: readonly PromptArgument[]): FormField[] {
  return declared.map(({ name, title, description, required }) => ({
    path: [name],
    label: shown(title === '' ? name : title),
    hint: shown(description),
    required,
    control: { kind: 'text', long: false, bounds: UNBOUNDED },
    initial: '',
  }));
}

/** Arguments that were given as JSON: what is no text is sent as its JSON. */
export function textsOf(given: Record<string, unknown>): Record<string, string> {
  const texts = Object.entries(given).map(([key, value]) => [
    key,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return Object.fromEntries(texts) as Record<string, string>;
}
