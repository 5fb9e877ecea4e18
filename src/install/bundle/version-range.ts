/** Ranges of versions, as bundles write them: `>=3.10.0 <4.0.0`, `^20.1`, `18 || 20`. Pure. */

/** Whether the version is in the range; null where the range cannot be read. Prereleases count as their version. */
export function satisfies(version: string, range: string): boolean | null {
  const have = numbersOf(version);
  if (have === null) return null;
  const alternatives = range.split('||').map((alternative) => within(have, alternative));
  if (alternatives.includes(true)) return true;
  return alternatives.includes(null) ? null : false;
}

// — internal —

type Numbers = [major: number, minor: number, patch: number];

const COMPARATOR = /^(>=|<=|>|<|=|\^|~=?|)v?(\d+|[x*])(?:\.(\d+|[x*]))?(?:\.(\d+|[x*]))?(?:[-+].*)?$/i;

function numbersOf(text: string): Numbers | null {
  const found = /(\d+)(?:\.(\d+))?(?:\.(\d+))?/.exec(text);
  return found === null ? null : [Number(found[1]), Number(found[2] ?? 0), Number(found[3] ?? 0)];
}

function within(have: Numbers, alternative: string): boolean | null {
  const words = alternative
    .replace(/([<>=^~])\s+/g, '$1')
    .split(/[\s,]+/)
    .filter((word) => word !== '');
  let isIn = true;
  for (const word of words) {
    const found = COMPARATOR.exec(word);
    if (found === null) return null;
    const [, operator = '', ...parts] = found;
    isIn &&= holds(have, operator, parts);
  }
  return isIn;
}

/** A version of fewer parts stands for all that begin so. */
function holds(have: Numbers, operator: string, written: readonly (string | undefined)[]): boolean {
  const known = written.findIndex((part) => part === undefined || /[x*]/i.test(part));
  const count = known === -1 ? 3 : known;
  const want = written.slice(0, count).map(Number);
  const least = [0, 1, 2].map((index) => want[index] ?? 0);
  const fixed = fixedParts(operator, want, count);
  switch (operator) {
    case '>=':
      return compare(have, least) >= 0;
    case '<':
      return compare(have, least) < 0;
    case '>':
      return compare(have.slice(0, count), want) > 0;
    case '<=':
      return compare(have.slice(0, count), want) <= 0;
    default:
      return compare(have, least) >= 0 && compare(have.slice(0, fixed), want.slice(0, fixed)) === 0;
  }
}

/** How many parts may not change. */
function fixedParts(operator: string, want: readonly number[], count: number): number {
  if (operator === '^') {
    const first = want.findIndex((part) => part !== 0);
    return first === -1 ? count : first + 1;
  }
  if (operator === '~') return Math.min(count, 2);
  return operator === '~=' ? Math.max(1, count - 1) : count;
}

function compare(one: readonly number[], other: readonly number[]): number {
  for (const [index, part] of one.entries()) {
    const difference = part - (other[index] ?? 0);
    if (difference !== 0) return difference;
  }
  return 0;
}
