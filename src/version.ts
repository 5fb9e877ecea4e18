/** Set by the bundler; without it (tests, types run as they are) it is a development build. */
declare const MCPD_VERSION: string | undefined;

/** The version of this program, from package.json. */
export const VERSION: string = typeof MCPD_VERSION === 'string' ? MCPD_VERSION : '0.0.0-dev';

/**
 * Of the control API. It grows when an old CLI could misread a new daemon or the other way round; new fields and routes do not count.
 */
export const CONTROL_PROTOCOL = 1;

/**
 * Negative when `a` is older than `b`, 0 when they are equal, positive when it is newer, by semver precedence: `1.0.0-rc.1` comes
 * before `1.0.0`, build metadata is ignored. Whatever is not a version counts as the oldest.
 */
export function compareVersions(a: string, b: string): number {
  const left = parse(a);
  const right = parse(b);
  for (let i = 0; i < 3; i++) {
    const difference = (left.numbers[i] ?? -1) - (right.numbers[i] ?? -1);
    if (difference !== 0) return difference;
  }
  if (left.pre.length === 0 || right.pre.length === 0) return right.pre.length - left.pre.length;
  return comparePre(left.pre, right.pre);
}

// — internal —

function parse(version: string): { numbers: number[]; pre: string[] } {
  const match = /^v?(\d+)\.(\d+)\.(\d+)(?:-([0-9A-Za-z.-]+))?(?:\+[0-9A-Za-z.-]+)?$/.exec(version);
  if (match === null) return { numbers: [], pre: [] };
  return { numbers: match.slice(1, 4).map(Number), pre: match[4]?.split('.') ?? [] };
}

/** Field by field: numbers by value and before words, words by their characters, a shorter list before a longer one. */
function comparePre(left: string[], right: string[]): number {
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const [l, r] = [left[i], right[i]];
    if (l === undefined || r === undefined) return l === undefined ? -1 : 1;
    if (l === r) continue;
    const [lNumeric, rNumeric] = [/^\d+$/.test(l), /^\d+$/.test(r)];
    if (lNumeric && rNumeric) return Number(l) - Number(r);
    if (lNumeric !== rNumeric) return lNumeric ? -1 : 1;
    return l < r ? -1 : 1;
  }
  return 0;
}
