import { shown } from '../../text.ts';
import { boundsOf, type FieldBounds } from './field-bounds.ts';

/**
 * The fields of a form for a JSON schema. Pure. What no field suits is asked for as JSON, so every schema has a form. The schema is the
 * server's own to the letter, and so are the values that come of it; labels and hints are made safe to show here.
 */

export interface FormField {
  /** Where its value goes: `['filter', 'limit']`. */
  path: readonly string[];
  label: string;
  hint: string;
  required: boolean;
  control: Control;
  /** What the form begins with: as the control holds it. */
  initial: FieldValue;
}

type Control =
  | { kind: 'text'; long: boolean; bounds: FieldBounds }
  | { kind: 'number'; integer: boolean; min: number | null; max: number | null }
  | { kind: 'boolean' }
  /** `values` are JSON, so that numbers and null stay what they are; `many` takes any number of them. */
  | { kind: 'choice'; options: readonly { json: string; label: string }[]; many: false }
  | { kind: 'choice'; options: readonly { json: string; label: string }[]; many: true; bounds: FieldBounds }
  /** A list of texts, one a line. */
  | { kind: 'lines'; bounds: FieldBounds }
  | { kind: 'json' };

/** '' is not given; a choice of several is the list of their JSON. */
export type FieldValue = string | readonly string[];

type Schema = Record<string, unknown>;

/** Objects within objects are taken apart so deep; below, they are JSON. */
const DEPTH_MAX = 3;
const LONG_TEXT = 120;

/** The fields of an object's schema, in its order; null when it is no object with properties, and the whole is best given as JSON. */
export function fieldsOf(schema: unknown): FormField[] | null {
  if (!isSchema(schema)) return null;
  const properties = schema['properties'];
  if (properties === undefined) return schema['additionalProperties'] === false || isEmptyObject(schema) ? [] : null;
  if (!isSchema(properties)) return null;
  return objectFields(schema, [], DEPTH_MAX);
}

// — internal —

function objectFields(schema: Schema, path: readonly string[], depth: number): FormField[] {
  const properties = isSchema(schema['properties']) ? schema['properties'] : {};
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return Object.entries(properties).flatMap(([name, property]) => {
    const inner = isSchema(property) ? property : {};
    const place = [...path, name];
    const isRequired = required.includes(name);
    // Within an object that may be left out, nothing can be required before it is begun: such a one is JSON.
    if (depth > 1 && isRequired && inner['type'] === 'object' && isSchema(inner['properties']))
      return objectFields(inner, place, depth - 1);
    return [fieldOf(inner, place, isRequired)];
  });
}

function fieldOf(schema: Schema, path: readonly string[], required: boolean): FormField {
  const control = controlOf(schema);
  const title = textOf(schema['title']);
  const initial = initialOf(control, schema['default']);
  return {
    path,
    label: shown(title === '' ? path.join('.') : title),
    hint: [shown(textOf(schema['description'])), hiddenIn(initial)].filter((words) => words !== '').join(' '),
    required,
    control,
    initial,
  };
}

/** A field shows its text as it is: who could not see all of it is told. */
function hiddenIn(initial: FieldValue): string {
  if (typeof initial !== 'string' || shown(initial) === initial) return '';
  return `(begins with ${shown(initial)})`;
}

function controlOf(schema: Schema): Control {
  const choices = choicesOf(schema);
  if (choices !== null) return { kind: 'choice', options: choices, many: false };
  switch (typeOf(schema)) {
    case 'string':
      return {
        kind: 'text',
        long: Number(schema['maxLength'] ?? 0) > LONG_TEXT || hasLines(schema['default']),
        bounds: boundsOf(schema, 'text'),
      };
    case 'number':
    case 'integer':
      return {
        kind: 'number',
        integer: typeOf(schema) === 'integer',
        min: numberOf(schema['minimum']),
        max: numberOf(schema['maximum']),
      };
    case 'boolean':
      return { kind: 'boolean' };
    case 'array': {
      const items = isSchema(schema['items']) ? schema['items'] : {};
      const many = choicesOf(items);
      if (many !== null) return { kind: 'choice', options: many, many: true, bounds: boundsOf(schema, 'list') };
      return typeOf(items) === 'string' ? { kind: 'lines', bounds: boundsOf(schema, 'list') } : { kind: 'json' };
    }
    default:
      return { kind: 'json' };
  }
}

/** `["string", "null"]` is a text that may be left out. */
function typeOf(schema: Schema): string {
  const type = schema['type'];
  const types = (Array.isArray(type) ? type : [type]).filter((one) => one !== 'null');
  return types.length === 1 && typeof types[0] === 'string' ? types[0] : '';
}

/** By `enum` (with `enumNames`), `const`, or an `oneOf` or `anyOf` of titled constants. */
function choicesOf(schema: Schema): { json: string; label: string }[] | null {
  const named = schema['enum'];
  const names = Array.isArray(schema['enumNames']) ? schema['enumNames'] : [];
  if (Array.isArray(named) && named.length > 0) return named.map((value, at) => choice(value, textOf(names[at])));
  if ('const' in schema) return [choice(schema['const'], textOf(schema['title']))];
  const variants = schema['oneOf'] ?? schema['anyOf'];
  if (!Array.isArray(variants) || variants.length === 0) return null;
  if (!variants.every((one): one is Schema => isSchema(one) && 'const' in one)) return null;
  return variants.map((one) => choice(one['const'], textOf(one['title'])));
}

function choice(value: unknown, title: string): { json: string; label: string } {
  const plain = typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
  return { json: JSON.stringify(value), label: shown(title === '' ? plain : title) };
}

/** A field of one line would lose them. */
function hasLines(value: unknown): boolean {
  return typeof value === 'string' && /[\r\n]/.test(value);
}

function initialOf(control: Control, value: unknown): FieldValue {
  const isMany = control.kind === 'choice' && control.many;
  if (value === undefined) return isMany ? [] : '';
  switch (control.kind) {
    case 'text':
      return textOf(value);
    case 'lines':
      return Array.isArray(value) ? value.map(String).join('\n') : '';
    case 'choice': {
      const known = (one: unknown) => control.options.some(({ json }) => json === JSON.stringify(one));
      if (control.many) return (Array.isArray(value) ? value : []).filter(known).map((one) => JSON.stringify(one));
      return known(value) ? JSON.stringify(value) : '';
    }
    default:
      return JSON.stringify(value) ?? '';
  }
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function isEmptyObject(schema: Schema): boolean {
  return (
    schema['type'] === 'object' &&
    Object.keys(schema).every((key) => ['type', '$schema', 'description', 'title'].includes(key))
  );
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function numberOf(value: unknown): number | null {
  return typeof value === 'number' ? value : null;
}
