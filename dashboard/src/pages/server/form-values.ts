import { boundsFault, changedNumber, type FieldBounds } from './field-bounds.ts';
import type { FieldValue, FormField } from './schema-fields.ts';

/** From what a person filled in to arguments. Pure. */

/** By the place of a field in its form. */
export type FormValues = readonly FieldValue[];

export type Filled = { arguments: Record<string, unknown> } | { faults: ReadonlyMap<number, string> };

/** The arguments, or what is wrong with which field (by its place). What was left empty is left out. */
export function argumentsOf(fields: readonly FormField[], values: FormValues): Filled {
  const { faults, result } = readAll(fields, values);
  return faults.size > 0 ? { faults } : { arguments: result };
}

/** What can be read already. */
export function filledSoFar(fields: readonly FormField[], values: FormValues): Record<string, unknown> {
  return readAll(fields, values).result;
}

/** A JSON object that was typed, or what is wrong with it. */
export function objectOf(json: string): { arguments: Record<string, unknown> } | { fault: string } {
  const read = json.trim() === '' ? { value: {} } : parsed(json);
  if ('fault' in read) return read;
  const { value } = read;
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { fault: 'an object is needed: { … }' };
  return { arguments: value as Record<string, unknown> };
}

// — internal —

function readAll(fields: readonly FormField[], values: FormValues) {
  const faults = new Map<number, string>();
  const result = emptyObject();
  for (const [at, field] of fields.entries()) {
    const read = valueFrom(field, values[at] ?? '');
    if ('fault' in read) faults.set(at, read.fault);
    else if (read.value !== undefined) put(result, field.path, read.value);
    else if (field.required) faults.set(at, 'this is needed');
  }
  return { faults, result };
}

type Read = { value: unknown } | { fault: string };

function valueFrom({ control }: FormField, value: FieldValue): Read {
  if (typeof value !== 'string') {
    if (value.length === 0 || control.kind !== 'choice' || !control.many) return { value: undefined };
    return within(
      value,
      control.bounds,
      value.map((one) => JSON.parse(one) as unknown),
    );
  }
  if (value === '') return { value: undefined };
  switch (control.kind) {
    case 'text':
      return within(value, control.bounds, value);
    case 'lines': {
      const lines = value.split('\n').filter((line) => line !== '');
      return within(lines, control.bounds, lines);
    }
    case 'number':
      return numberOf(value, control);
    case 'boolean':
    case 'choice':
      return { value: JSON.parse(value) as unknown };
    case 'json':
      return parsed(value);
  }
}

function numberOf(
  text: string,
  { integer, min, max }: { integer: boolean; min: number | null; max: number | null },
): Read {
  const value = Number(text);
  if (text.trim() === '' || !Number.isFinite(value)) return { fault: 'this is no number' };
  if (integer && !Number.isInteger(value)) return { fault: 'a whole number is needed' };
  const changed = changedNumber(text);
  if (changed !== null) return { fault: changedFault(changed) };
  if (min !== null && value < min) return { fault: `at least ${min}` };
  if (max !== null && value > max) return { fault: `at most ${max}` };
  return { value };
}

/** `read`, unless what was given is out of bounds. */
function within(given: FieldValue, bounds: FieldBounds, read: unknown): Read {
  const fault = boundsFault(given, bounds);
  return fault === null ? { value: read } : { fault };
}

function changedFault({ given, read }: { given: string; read: string }): string {
  return `a browser would send ${read} instead of ${given}: mcpd call sends it as it is`;
}

function parsed(json: string): Read {
  try {
    const value = JSON.parse(json) as unknown;
    const changed = changedNumber(json);
    return changed === null ? { value } : { fault: changedFault(changed) };
  } catch (thrown) {
    return { fault: `this is no JSON: ${thrown instanceof Error ? thrown.message : String(thrown)}` };
  }
}

/** Without a prototype: a property may be called `__proto__`. */
function emptyObject(): Record<string, unknown> {
  return Object.create(null) as Record<string, unknown>;
}

function put(target: Record<string, unknown>, path: readonly string[], value: unknown): void {
  const [name = '', ...rest] = path;
  if (rest.length === 0) {
    target[name] = value;
    return;
  }
  target[name] ??= emptyObject();
  put(target[name] as Record<string, unknown>, rest, value);
}
