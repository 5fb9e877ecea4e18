import type { FieldValue } from './schema-fields.ts';

/** What was filled in, for as long as the page is open: who looks at another tool meanwhile finds it again. */
export interface FilledIn {
  values: readonly FieldValue[];
  /** Null while the fields are used. */
  raw: string | null;
}

export function keptOf(name: string | undefined): FilledIn | undefined {
  return name === undefined ? undefined : kept.get(name);
}

export function keep(name: string | undefined, form: FilledIn): void {
  if (name === undefined) return;
  kept.delete(name);
  kept.set(name, form);
  for (const oldest of kept.keys()) {
    if (kept.size <= FORMS_KEPT_MAX) return;
    kept.delete(oldest);
  }
}

// — internal —

const FORMS_KEPT_MAX = 50;
const kept = new Map<string, FilledIn>();
