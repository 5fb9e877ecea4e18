import { shown } from '../../text.ts';
import { UNBOUNDED } from './field-bounds.ts';
import type { FormField } from './schema-fields.ts';

/** URI templates (RFC 6570, all four levels, without associative arrays): taken apart into fields, and filled in. Pure. */

export type UriTemplate = readonly (string | Expression)[];

interface Expression {
  operator: Operator;
  variables: readonly Variable[];
}

interface Variable {
  name: string;
  /** So many characters of its value are used. */
  prefix: number | null;
  /** Takes a list, each value for itself. */
  explode: boolean;
}

/** Null for what is no template: then nobody can say what to fill in. */
export function parseTemplate(template: string): UriTemplate | null {
  const parts: (string | Expression)[] = [];
  let rest = template;
  for (;;) {
    const open = rest.indexOf('{');
    const literal = open < 0 ? rest : rest.slice(0, open);
    if (literal.includes('}')) return null;
    if (literal !== '') parts.push(literal);
    if (open < 0) return parts;
    const close = rest.indexOf('}', open);
    const expression = close < 0 ? null : parseExpression(rest.slice(open + 1, close));
    if (expression === null) return null;
    parts.push(expression);
    rest = rest.slice(close + 1);
  }
}

/** One field a variable, in their order. What is a part of the path must be given; the rest may be left out. */
export function fieldsOfTemplate(template: UriTemplate): FormField[] {
  const fields = new Map<string, FormField>();
  for (const part of template) {
    if (typeof part === 'string') continue;
    for (const { name, prefix, explode } of part.variables)
      if (!fields.has(name))
        fields.set(name, {
          path: [name],
          label: shown(name),
          hint: prefix === null ? '' : `its first ${prefix} characters are used`,
          required: PATH_OPERATORS.includes(part.operator),
          control: explode ? { kind: 'lines', bounds: UNBOUNDED } : { kind: 'text', long: false, bounds: UNBOUNDED },
          initial: '',
        });
  }
  return [...fields.values()];
}

/** The URI. A variable without a value is left out as the RFC has it. */
export function expand(template: UriTemplate, values: Readonly<Record<string, unknown>>): string {
  return template.map((part) => (typeof part === 'string' ? literal(part) : expression(part, values))).join('');
}

// — internal —

type Operator = '' | '+' | '#' | '.' | '/' | ';' | '?' | '&';

/** Appendix A of the RFC: what comes first, what stands between, whether names are written, what an empty value is, what stays as it is. */
const OPERATORS: Record<
  Operator,
  { first: string; between: string; named: boolean; empty: string; reserved: boolean }
> = {
  '': { first: '', between: ',', named: false, empty: '', reserved: false },
  '+': { first: '', between: ',', named: false, empty: '', reserved: true },
  '#': { first: '#', between: ',', named: false, empty: '', reserved: true },
  '.': { first: '.', between: '.', named: false, empty: '', reserved: false },
  '/': { first: '/', between: '/', named: false, empty: '', reserved: false },
  ';': { first: ';', between: ';', named: true, empty: '', reserved: false },
  '?': { first: '?', between: '&', named: true, empty: '=', reserved: false },
  '&': { first: '&', between: '&', named: true, empty: '=', reserved: false },
};
const PATH_OPERATORS: readonly Operator[] = ['', '+', '.', '/'];

const VARIABLE =
  /^((?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2})(?:\.?(?:[A-Za-z0-9_]|%[0-9A-Fa-f]{2}))*)(?:(\*)|:([1-9]\d{0,3}))?$/;
const UNRESERVED = /^[A-Za-z0-9._~-]$/;
const RESERVED = /^[:/?#[\]@!$&'()*+,;=]$/;

function parseExpression(text: string): Expression | null {
  const sign = text[0] ?? '';
  const operator = sign !== '' && Object.hasOwn(OPERATORS, sign) ? (sign as Operator) : '';
  const variables: Variable[] = [];
  for (const spec of text.slice(operator.length).split(',')) {
    const [, name, star, prefix] = VARIABLE.exec(spec) ?? [];
    if (name === undefined) return null;
    variables.push({ name, prefix: prefix === undefined ? null : Number(prefix), explode: star !== undefined });
  }
  return { operator, variables };
}

function expression({ operator, variables }: Expression, values: Readonly<Record<string, unknown>>): string {
  const { first, between } = OPERATORS[operator];
  const filled = variables.flatMap((variable) => written(operator, variable, values[variable.name]));
  return filled.length === 0 ? '' : first + filled.join(between);
}

/** The pieces that a variable makes; none without a value. */
function written(operator: Operator, { name, prefix, explode }: Variable, value: unknown): string[] {
  const { named, empty, reserved } = OPERATORS[operator];
  const list = Array.isArray(value) ? value.map(String) : null;
  if (value === undefined || list?.length === 0) return [];
  const withName = (text: string) => (named ? `${name}${text === '' ? empty : `=${text}`}` : text);
  if (list === null) {
    const whole = String(value);
    return [withName(encoded(prefix === null ? whole : [...whole].slice(0, prefix).join(''), reserved))];
  }
  const each = list.map((one) => encoded(one, reserved));
  return explode ? each.map(withName) : [withName(each.join(','))];
}

function literal(text: string): string {
  return encoded(text, true);
}

/** With `reserved`, those characters and what is escaped already pass. */
function encoded(text: string, reserved: boolean): string {
  const parts = reserved ? text.split(/(%[0-9A-Fa-f]{2})/) : [text];
  return parts
    .map((part, at) => (at % 2 === 1 ? part : [...part].map((char) => escaped(char, reserved)).join('')))
    .join('');
}

function escaped(char: string, reserved: boolean): string {
  if (UNRESERVED.test(char) || (reserved && RESERVED.test(char))) return char;
  return [...new TextEncoder().encode(char)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`)
    .join('');
}
