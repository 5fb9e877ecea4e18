import type { InputSpec } from '../../src/api/contract.ts';
import { McpdError } from '../../src/errors.ts';
import { showable } from '../../src/text.ts';

/** The line that asks for an input: `GITHUB_TOKEN (secret, not shown): `. */
export function questionOf(input: InputSpec): string {
  const facts = [
    input.choices === null ? null : `one of ${input.choices.join(', ')}`,
    input.default === null ? null : `default ${input.default}`,
    input.secret ? 'secret, not shown' : null,
    input.required || input.default !== null ? null : 'Enter to leave it out',
  ].filter((fact) => fact !== null);
  return showable(`${input.name}${facts.length === 0 ? '' : ` (${facts.join('; ')})`}: `);
}

export type Judged = { kind: 'value'; value: string } | { kind: 'left-out' } | { kind: 'wrong'; why: string };

/** What an answer means for this input. White space around it is a slip of the fingers or of a paste. */
export function judged(input: InputSpec, answer: string): Judged {
  const value = answer.trim();
  if (value === '') {
    if (input.default !== null) return { kind: 'value', value: input.default };
    return input.required ? { kind: 'wrong', why: `${input.name} is needed` } : { kind: 'left-out' };
  }
  if (input.choices !== null && !input.choices.includes(value))
    return { kind: 'wrong', why: `${value} is not one of ${input.choices.join(', ')}` };
  return { kind: 'value', value };
}

/** The error for inputs that nobody can be asked for. */
export function missingInputs(command: string, missing: readonly InputSpec[]): McpdError {
  const names = missing.map((input) => input.name);
  const described = missing.flatMap(({ name, description }) => (description === '' ? [] : `${name} (${description})`));
  return new McpdError('INPUT_MISSING', {
    what: `${names.join(', ')} ${names.length === 1 ? 'is' : 'are'} needed and there is no terminal to ask on`,
    ...(described.length === 0 ? {} : { why: described.join('; ') }),
    fix: `${command} ${names.map((name) => `--env ${name}=…`).join(' ')}`,
  });
}
