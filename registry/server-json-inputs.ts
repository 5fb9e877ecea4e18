import type { PublishedArgument, PublishedInput } from './published.ts';
import type { Argument, InputMembers, KeyedInput, Variable } from './server-json-shape.ts';

/** The inputs of a `server.json`: its arguments, variables and headers. Pure; what will not do is thrown as a `Fault`. */

/** Why a document will not do, said of the place where it is. */
export class Fault extends Error {}

export interface ArgumentPlace {
  /** `packageArguments[2]` */
  at: string;
  /** Runtimes are given flags alone more often than values to ask for. */
  isOfRuntime: boolean;
}

/** @throws Fault */
export function argumentOf(argument: Argument, { at, isOfRuntime }: ArgumentPlace): PublishedArgument {
  const { name, valueHint, isRepeated = false } = argument;
  const isNamed = argument.type === 'named' || (argument.type === undefined && name !== undefined);
  if (!isNamed) {
    if (argument.value === undefined && (valueHint ?? '') === '' && argument.default === undefined)
      throw new Fault(`${at} has neither a value nor a valueHint`);
    return { flag: null, repeated: isRepeated, input: inputOf(label(valueHint ?? '', at), argument, at) };
  }
  const flag = (name ?? '').trim();
  if (!FLAG.test(flag)) throw new Fault(`${at} is named "${flag.slice(0, SHOWN)}", which is no flag`);
  if (isAlone(argument, isOfRuntime)) return { flag, repeated: isRepeated, input: null };
  return { flag, repeated: isRepeated, input: inputOf(flag.replace(/^-+/, ''), argument, at) };
}

/** @throws Fault for a name that no process can be given */
export function variableOf(input: KeyedInput, at: string): PublishedInput {
  if (!VARIABLE.test(input.name))
    throw new Fault(`${at} is named "${input.name.slice(0, SHOWN)}", which is no variable`);
  return inputOf(input.name, input, at);
}

/** @throws Fault */
export function headerOf(input: KeyedInput, at: string): PublishedInput {
  if (!HEADER.test(input.name)) throw new Fault(`${at} is named "${input.name.slice(0, SHOWN)}", which is no header`);
  return inputOf(input.name, input, at);
}

/** @throws Fault */
export function variablesOf(variables: Record<string, Variable> | undefined, at: string): PublishedInput[] {
  return Object.entries(variables ?? {}).map(([name, variable]) => {
    const place = `${at}.variables.${name.slice(0, SHOWN)}`;
    return inputOf(label(name, place), { ...variable, variables: undefined }, place);
  });
}

/** With what a template for a remote server names and nothing describes, as before 2025-12-11: no address works with `{tenant}` in it. */
export function withUntold(template: string, variables: readonly PublishedInput[]): PublishedInput[] {
  const known = new Set(variables.map(({ name }) => name));
  const untold = [...template.matchAll(TEMPLATE)].map(([, name = '']) => name).filter((name) => !known.has(name));
  return [...variables, ...[...new Set(untold)].map((name) => inputOf(name, { isRequired: true }, name))];
}

/** Text for people: one line of what can be shown. */
export function plainLine(text: string | undefined): string {
  return (text ?? '')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
    .slice(0, DESCRIPTION_MAX);
}

/** @throws Fault for what no argument, variable or header can hold, or what mcpd would fill with values of its own */
export function checkText(text: string, at: string): string {
  if (/[^\P{Cc}\t\n]/u.test(text)) throw new Fault(`${at} holds a control character`);
  if (/\$\{(secret|env):/.test(text))
    throw new Fault(`${at} refers to values of this machine (\${secret:…}, \${env:…})`);
  return text;
}

/** `{name}`, and not `${name}`, which is mcpd's own. */
export const TEMPLATE = /(?<!\$)\{([\w.-]{1,255})\}/g;

// — internal —

const SHOWN = 60;
const DESCRIPTION_MAX = 1000;
const LABEL_MAX = 255;
const FLAG = /^[^\s\p{Cc}=]{1,255}$/u;
const VARIABLE = /^[A-Za-z_][A-Za-z0-9_]{0,254}$/;
const HEADER = /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,255}$/;

function inputOf(name: string, members: InputMembers, at: string): PublishedInput {
  const text = (member: 'value' | 'default' | 'placeholder') => {
    const given = members[member];
    return given === undefined ? null : checkText(given, `${at}.${member}`);
  };
  const choices = (members.choices ?? []).map((choice) => checkText(choice, `${at}.choices`));
  return {
    name,
    description: plainLine(members.description),
    required: members.isRequired ?? false,
    secret: members.isSecret ?? false,
    // A format that is not known yet restricts nothing.
    format:
      FORMATS.find((format) => format === members.format) ?? (members.format === 'file_path' ? 'filepath' : 'string'),
    value: text('value'),
    default: text('default'),
    placeholder: text('placeholder'),
    choices: choices.length === 0 ? null : choices,
    variables: variablesOf(members.variables, at),
  };
}

const FORMATS = ['string', 'number', 'boolean', 'filepath'] as const;

/** What a person types to give it. */
function label(name: string, at: string): string {
  const line = plainLine(name);
  if (line !== name.trim() || line.length > LABEL_MAX) throw new Fault(`${at} has a name that cannot be typed`);
  return line;
}

/** Whether a named argument is a flag without a value: nothing in it speaks of one. */
function isAlone(argument: Argument, isOfRuntime: boolean): boolean {
  const { value, placeholder, valueHint, format, choices, isSecret, isRequired, description, variables } = argument;
  const speaks = [value, argument.default, placeholder, valueHint, format, choices, variables].some(
    (member) => member !== undefined,
  );
  if (speaks || isSecret === true) return false;
  return isOfRuntime || (isRequired !== true && (description ?? '') === '');
}
