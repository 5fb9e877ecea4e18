import { isAbsolute, join, resolve } from 'node:path';
import type { PublishedInput } from '../../registry/published.ts';
import type { InputSpec } from '../api/contract.ts';
import { McpdError } from '../errors.ts';
import { hasReference, secretReference } from '../secret-references.ts';
import { checkNoNul } from './variables.ts';

/** Values of a server's inputs: which one counts, whether it will do, and what stands in its place when it is secret. */

export interface GivenValue {
  value: string;
  secret: boolean;
}

/** Where relative file names are meant from; null where the caller named no folder. */
export interface CallerPlace {
  cwd: string | null;
  userHome: string;
}

export type Resolved =
  /** `text` goes into the launch as it is; a secret is a reference in `text`, and its value is in `secret`. */
  | { kind: 'value'; text: string; secret: { name: string; value: string } | null }
  | { kind: 'missing' }
  /** Optional, and nobody gave it. */
  | { kind: 'absent' };

/**
 * A person's own value counts first, then the fixed one, then the default. A value that consists of references to secrets is kept as it is.
 * @throws McpdError INPUT_INVALID
 */
export function resolveInput(input: PublishedInput, given: GivenValue | undefined, place: CallerPlace): Resolved {
  if (given !== undefined) {
    const text = checkedValue(input, given.value, place);
    if (!input.secret || hasReference(text)) return { kind: 'value', text, secret: null };
    const name = secretNameOf(input.name);
    return { kind: 'value', text: secretReference(name), secret: { name, value: text } };
  }
  const own = input.value ?? input.default;
  if (own !== null) return { kind: 'value', text: own, secret: null };
  return input.required ? { kind: 'missing' } : { kind: 'absent' };
}

/** The value as the server will get it: file names absolute, booleans in lower case. @throws McpdError INPUT_INVALID */
function checkedValue(input: PublishedInput, value: string, place: CallerPlace): string {
  checkNoNul(value, `the value of ${input.name}`);
  if (hasReference(value)) return value;
  const refuse = (why: string) =>
    new McpdError('INPUT_INVALID', {
      what: `the value of ${input.name} will not do`,
      why: input.secret ? why : `${why}, and "${value.slice(0, 80)}" is not`,
      fix: `--env ${secretNameOf(input.name)}=${input.choices?.[0] ?? input.placeholder ?? 'VALUE'}`,
    });
  if (input.choices !== null && !input.choices.includes(value))
    throw refuse(`it must be one of ${input.choices.join(', ')}`);
  switch (input.format) {
    case 'string':
      return value;
    case 'number':
      if (value.trim() === '' || !Number.isFinite(Number(value))) throw refuse('it must be a number');
      if (Number(value) < (input.min ?? Number.NEGATIVE_INFINITY)) throw refuse(`it must be at least ${input.min}`);
      if (Number(value) > (input.max ?? Number.POSITIVE_INFINITY)) throw refuse(`it must be at most ${input.max}`);
      return value.trim();
    case 'boolean':
      if (!/^(true|false)$/i.test(value)) throw refuse('it must be true or false');
      return value.toLowerCase();
    case 'filepath': {
      const path = absolutePath(value, place);
      if (path === null) throw refuse('it must be an absolute path');
      return path;
    }
  }
}

/** Secrets are named as variables are: `database-url` becomes `database_url`. */
export function secretNameOf(input: string): string {
  return input.replace(/[^A-Za-z0-9_]/g, '_').replace(/^(?=\d|$)/, '_');
}

/** Under the name that a person types: `--env api_key=…` for `--api-key`. */
export function inputSpec(input: PublishedInput): InputSpec {
  const { description, required, secret, choices } = input;
  return { name: secretNameOf(input.name), description, required, secret, default: input.default, choices };
}

/** @throws McpdError INPUT_MISSING naming each with its flag */
export function checkNothingMissing(server: string, spec: string, missing: readonly InputSpec[]): void {
  if (missing.length === 0) return;
  const lines = missing.map(({ name, description }) => (description === '' ? name : `${name}: ${description}`));
  throw new McpdError('INPUT_MISSING', {
    what: `${server} needs ${missing.map(({ name }) => name).join(' and ')}`,
    why: lines.join('; '),
    fix: `mcpd install ${spec} ${missing.map(({ name }) => `--env ${name}=VALUE`).join(' ')}`,
  });
}

// — internal —

function absolutePath(value: string, place: CallerPlace): string | null {
  // Placeholders such as `${dataDir}` are filled in at the start of the server.
  if (isAbsolute(value) || value.startsWith('${')) return value;
  if (value === '~' || value.startsWith('~/')) return join(place.userHome, value.slice(1));
  return value === '' || place.cwd === null ? null : resolve(place.cwd, value);
}
