import type { PublishedArgument, PublishedInput } from '../../registry/published.ts';
import { TEMPLATE } from '../../registry/server-json-inputs.ts';
import type { InputSpec } from '../api/contract.ts';
import { McpdError } from '../errors.ts';
import { hasReference, secretReference, secretsIn, variablesIn } from '../secret-references.ts';
import { type CallerPlace, type GivenValue, inputSpec, type Resolved, resolveInput, secretNameOf } from './inputs.ts';
import { checkNoNul, checkVariableName } from './variables.ts';

/** Gathers what the values of a published server's inputs come to, while its command line is put together. */
export class Values {
  readonly secrets = new Map<string, string>();
  readonly missing: InputSpec[] = [];
  readonly #given: ReadonlyMap<string, GivenValue>;
  readonly #place: CallerPlace;
  /** Names of what was given that an input took. */
  readonly #taken = new Set<string>();

  constructor(given: ReadonlyMap<string, GivenValue>, place: CallerPlace) {
    this.#given = given;
    this.#place = place;
  }

  /**
   * What stands in the launch for it: with references to secrets, and with placeholders for what is missing, as long as it is only shown.
   * Null when it is left out: optional, and nobody gave it.
   * @throws McpdError INPUT_INVALID
   */
  textOf(input: PublishedInput): string | null {
    const given = this.given(input.name);
    if (given === undefined && input.value !== null) return this.#filled(input, input.value);
    return this.#text(input, resolveInput(input, given, this.#place));
  }

  /** As `textOf`, for a value that stands somewhere else than under its name. */
  textFor(input: PublishedInput, value: string): string | null {
    return this.#text(input, resolveInput(input, { value, secret: input.secret }, this.#place));
  }

  /** What was given under that name; it is taken then. */
  given(name: string): GivenValue | undefined {
    const value = name === '' ? undefined : this.#given.get(name);
    if (value !== undefined) this.#taken.add(name);
    return value;
  }

  /**
   * The words of an argument; none when it is left out. A repeated one takes a value from each line.
   * @throws McpdError INPUT_INVALID
   */
  wordsOf({ flag, repeated, input }: PublishedArgument): string[] {
    const before = flag === null ? [] : [flag];
    if (input === null) return before;
    const text = this.given(input.name)?.value ?? (input.value === null ? input.default : null);
    const lines = repeated ? text?.split('\n').filter((line) => line !== '') : undefined;
    const texts = lines?.map((line) => this.textFor(input, line)) ?? [this.textOf(input)];
    return texts.flatMap((text) => (text === null ? [] : [...before, text]));
  }

  /** Variables that no input took. @throws McpdError INPUT_INVALID */
  others(): [name: string, text: string][] {
    const others = [...this.#given].filter(([name]) => !this.#taken.has(name));
    return others.map(([name, { value, secret }]) => {
      checkVariableName(name);
      checkNoNul(value, `the value of ${name}`);
      return [name, secret && !hasReference(value) ? this.#keep(secretNameOf(name), value) : value];
    });
  }

  // — internal —

  #text(input: PublishedInput, resolved: Resolved): string | null {
    switch (resolved.kind) {
      case 'absent':
        return null;
      case 'value':
        return resolved.secret === null ? resolved.text : this.#keep(resolved.secret.name, resolved.secret.value);
      case 'missing':
        if (!this.missing.some(({ name }) => name === input.name)) this.missing.push(inputSpec(input));
        return `<${input.name}>`;
    }
  }

  /** A template with its variables filled; what it names and does not describe stays. Left out when a variable of it is. */
  #filled(input: PublishedInput, template: string): string | null {
    let isLeftOut = false;
    const told = [template];
    const text = template.replace(TEMPLATE, (whole, name: string) => {
      const variable = input.variables.find((each) => each.name === name);
      if (variable === undefined) return whole;
      const part = this.textOf({
        ...variable,
        secret: variable.secret || input.secret,
        required: variable.required || input.required,
      });
      if (part === null) isLeftOut = true;
      else told.push(part);
      return part ?? '';
    });
    checkNoneComposed(text, told);
    return isLeftOut ? null : text;
  }

  /** The reference to a secret, which is kept under a name that is still free. */
  #keep(wanted: string, value: string): string {
    let name = wanted;
    for (let number = 2; this.secrets.has(name) && this.secrets.get(name) !== value; number++)
      name = `${wanted}_${number}`;
    this.secrets.set(name, value);
    return secretReference(name);
  }
}

/** Parts of a publisher's that are harmless alone must not make a reference to what is the person's. @throws McpdError INPUT_INVALID */
function checkNoneComposed(text: string, parts: readonly string[]): void {
  const names = (each: string) => [
    ...secretsIn(each).map((name) => `secret:${name}`),
    ...variablesIn(each).map((name) => `env:${name}`),
  ];
  const told = new Set(parts.flatMap(names));
  const composed = names(text).find((name) => !told.has(name));
  if (composed === undefined) return;
  throw new McpdError('INPUT_INVALID', {
    what: 'its values come to a reference that nobody wrote',
    why: `put together they name ${composed}`,
    fix: 'do not install it; or give other values',
  });
}
