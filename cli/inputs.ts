import type { InputSpec } from '../src/api/contract.ts';
import { McpdError } from '../src/errors.ts';
import type { Context } from './context.ts';
import { fromCaller, type GivenVariables, type Variables } from './environment-flags.ts';
import { askInput } from './prompt/ask.ts';
import { judged, missingInputs } from './prompt/questions.ts';

/**
 * Every input with its value: from the flags, else from the person, else from its default.
 * `quick` asks only for what has no default and cannot be left out.
 * @throws McpdError INPUT_MISSING with the names of all that are missing, INPUT_INVALID
 */
export async function collectInputs(
  inputs: readonly InputSpec[],
  flags: GivenVariables,
  command: string,
  quick: boolean,
  context: Pick<Context, 'keyboard' | 'output' | 'env'>,
): Promise<Variables> {
  const { keyboard, output } = context;
  const given = keyboard === null ? fromCaller(flags, context.env) : flags;
  const named = new Set(inputs.map((input) => input.name));
  const others = [...given.keys()].filter((name) => !named.has(name));
  const wanted = [
    ...inputs,
    ...others.map(
      (name): InputSpec => ({ name, description: '', required: true, secret: true, default: null, choices: null }),
    ),
  ];
  // A map, and not an object to begin with: `__proto__` is a name like any other.
  const env = new Map<string, Variables[string]>();
  const missing: InputSpec[] = [];
  for (const input of wanted) {
    const flag = given.get(input.name);
    const isAsked = keyboard !== null && (flag === null || !quick || (input.required && input.default === null));
    let value: string | null = null;
    if (typeof flag === 'string') value = named.has(input.name) ? fitting(input, flag) : flag;
    else if (isAsked) value = await askInput(input, keyboard, output);
    else if (input.default !== null) value = input.default;
    else if (input.required || flag === null) missing.push(input);
    if (value !== null) env.set(input.name, { value, secret: input.secret });
  }
  if (missing.length > 0) throw missingInputs(command, missing);
  return Object.fromEntries(env);
}

// — internal —

function fitting(input: InputSpec, text: string): string {
  const answer = judged(input, text);
  if (answer.kind === 'value') return text;
  if (answer.kind === 'left-out') return '';
  throw new McpdError('INPUT_INVALID', {
    what: `--env ${input.name} does not fit`,
    why: answer.why,
    fix: `--env ${input.name}=${input.choices?.[0] ?? '…'}`,
  });
}
