/** Where two values differ first, for people: `result.tools.3.name: "a" ≠ "b"`. Undefined: they are equal. */
export function differenceOf(one: unknown, other: unknown, path = ''): string | undefined {
  if (isPlain(one) && isPlain(other)) {
    for (const key of new Set([...Object.keys(one), ...Object.keys(other)])) {
      const found = differenceOf(one[key], other[key], path === '' ? key : `${path}.${key}`);
      if (found !== undefined) return found;
    }
    return undefined;
  }
  return JSON.stringify(one) === JSON.stringify(other) ? undefined : `${path}: ${shown(one)} ≠ ${shown(other)}`;
}

// — internal —

const SHOWN_MAX = 300;

/** Arrays too: their members by number, and `length` is seen as a missing member. */
function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, SHOWN_MAX);
}
