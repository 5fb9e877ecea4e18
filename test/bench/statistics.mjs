/** The middle value; of an even number, the mean of the middle two. */
export function median(values) {
  const sorted = [...values].sort((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

/** The smallest value that at least `share` of all values do not exceed (nearest rank). */
export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(share * sorted.length) - 1)];
}

/** `values[i] / others[i]`: both were measured in the same round. */
export function ratios(values, others) {
  return values.map((value, round) => value / others[round]);
}

/** How much `values` added to `base`, in relation to what `others` added, round by round. Rounds in which these added nothing say nothing. */
export function addedRatios(values, others, base) {
  return values
    .map((value, round) => ({ ours: value - base[round], theirs: others[round] - base[round] }))
    .filter(({ theirs }) => theirs > 0)
    .map(({ ours, theirs }) => ours / theirs);
}
