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
  /** By the secret as it was given. */
  readonly #references = new Map<string, string>();

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
    if (given === undefined && input.value !== null) return this.filled({ ...input, value: input.value });
    const text = this.#text(input, resolveInput(input, given, this.#place));
    if (given !== undefined && text !== null && input.secret) this.#references.set(given.value, text);
    return text;
  }

  /** What stands in the launch for a secret that was given as `text`; undefined where that is none. */
  referenceFor(text: string): string | undefined {
    return this.#references.get(text);
  }

  /** As `textOf`, for a value that stands somewhere else than under its name. */
  textFor(input: PublishedInput, value: string): string | null {
    const text = this.#text(input, resolveInput(input, { value, secret: input.secret }, this.#place));
    if (text !== null && input.secret) this.#references.set(value, text);
    return text;
  }

  /** What was given under that name, or as it is typed; it is taken then. */
  given(name: string): GivenValue | undefined {
    const key = [name, secretNameOf(name)].find((each) => each !== '' && this.#given.has(each));
    if (key === undefined || name === '') return undefined;
    this.#taken.add(key);
    return this.#given.get(key);
  }

  /**
   * The words of an argument; none when it is left out. A repeated one takes a value from each line.
   * @throws McpdError INPUT_INVALID
   */
  wordsOf({ flag, repeated, input }: PublishedArgument): string[] {
    const before = flag === null ? [] : [flag];
    if (input === null) return before;
    const given = this.given(input.name)?.value ?? (input.value === null ? input.default : null);
    const lines = repeated ? given?.split('\n').filter((line) => line !== '') : undefined;
    const texts = lines?.map((line) => this.textFor(input, line)) ?? [this.textOf(input)];
    return texts.flatMap((text) => (text === null ? [] : [...before, text]));
  }

  /** Variables that no input took. @throws McpdError INPUT_INVALID */
  others(): [name: string, text: string][] {
    const others = [...this.#given].filter(([name]) => !this.#taken.has(name));
    return others.map(([name, { value, secret }]) => {
      checkVariableName(name);
      checkNoNul(value, `the value of ${name}`);
      if (!secret) return [name, value];
      const reference = this.kept(name, value);
      this.#references.set(value, reference);
      return [name, reference];
    });
  }

  /**
   * A template with its variables filled, each by `part` where that is given; what it names and does not describe stays. Null when it is
   * left out, as a variable of it is.
   */
  filled(
    template: Pick<PublishedInput, 'variables' | 'required'> & { value: string; secret?: boolean },
    part: (value: string, offset: number) => string = (value) => value,
  ): string | null {
    let isLeftOut = false;
    const told = [template.value];
    const { variables, required, secret = false } = template;
    const text = template.value.replace(TEMPLATE, (whole, name: string, offset: number) => {
      const variable = variables.find((each) => each.name === name);
      if (variable === undefined) return whole;
      const within = { secret: variable.secret || secret, required: variable.required || required };
      const value = this.textOf({ ...variable, ...within });
      if (value === null) isLeftOut = true;
      else told.push(value);
      return value === null || hasReference(value) ? (value ?? '') : part(value, offset);
    });
    checkNoneComposed(text, told);
    return isLeftOut ? null : text;
  }

  /** The reference to a secret that has no input. */
  kept(name: string, value: string): string {
    return hasReference(value) ? value : this.#keep(secretNameOf(name), value);
  }

  // — internal —

  #text(input: PublishedInput, resolved: Resolved): string | null {
    switch (resolved.kind) {
      case 'absent':
        return null;
      case 'value':
        return resolved.secret === null ? resolved.text : this.#keep(resolved.secret.name, resolved.secret.value);
      case 'missing':
        return this.#placeholder(inputSpec(input));
    }
  }

  #placeholder(spec: InputSpec): string {
    if (!this.missing.some(({ name }) => name === spec.name)) this.missing.push(spec);
    return `<${spec.name}>`;
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
