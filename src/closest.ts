/** How many names an error offers at most: more is a list, not a hint. */
const OFFERED_MAX = 3;

/**
 * The candidates that a person who wrote `word` most likely meant, nearest first, at most three; empty when none is near.
 * Near is: contained in one another, or within a third of the word's letters (at least two) by insertions, deletions, replacements and
 * swaps of neighbours (optimal string alignment distance).
 */
export function closest(word: string, candidates: Iterable<string>): string[] {
  const wanted = word.toLowerCase();
  const reach = Math.max(2, Math.floor(wanted.length / 3));
  const near: { name: string; distance: number }[] = [];
  for (const name of candidates) {
    const candidate = name.toLowerCase();
    const distance = distanceOf(wanted, candidate);
    const contained = wanted.length >= 3 && (candidate.includes(wanted) || wanted.includes(candidate));
    if (contained && candidate !== '') near.push({ name, distance: Math.min(distance, reach) });
    else if (distance <= reach && distance < candidate.length) near.push({ name, distance });
  }
  near.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  return near.slice(0, OFFERED_MAX).map((entry) => entry.name);
}

/** `did you mean weather or todo?`, or undefined when nothing is near. */
export function didYouMean(word: string, candidates: Iterable<string>): string | undefined {
  const names = closest(word, candidates);
  const last = names.pop();
  if (last === undefined) return undefined;
  return `did you mean ${names.length === 0 ? last : `${names.join(', ')} or ${last}`}?`;
}

// — internal —

/** Above this the word is no typing error of a name; comparing it would only cost time. */
const COMPARED_MAX = 128;

function distanceOf(a: string, b: string): number {
  if (a.length > COMPARED_MAX || b.length > COMPARED_MAX) return Number.POSITIVE_INFINITY;
  let beforeLast: number[] = [];
  let last = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const row = [i];
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      const swapped = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1];
      row.push(
        Math.min(
          at(last, j) + 1,
          at(row, j - 1) + 1,
          at(last, j - 1) + (same ? 0 : 1),
          swapped ? at(beforeLast, j - 2) + 1 : Number.POSITIVE_INFINITY,
        ),
      );
    }
    beforeLast = last;
    last = row;
  }
  return at(last, b.length);
}

function at(row: number[], index: number): number {
  return row[index] ?? Number.POSITIVE_INFINITY;
}
