interface SparkSize {
  width: number;
  height: number;
  /** The value at the top. */
  max: number;
}

/** Room for the thickness of the line. */
const MARGIN = 1.5;

/** An SVG path through all values, the oldest at the left. Pure. A single value is a level line. */
export function lineOf(values: readonly number[], size: SparkSize): string {
  const points = values.length === 1 ? [...values, ...values] : values;
  const step = size.width / Math.max(1, points.length - 1);
  return points
    .map((value, at) => `${at === 0 ? 'M' : 'L'}${short(at * step)} ${short(heightOf(value, size))}`)
    .join('');
}

/** The same, closed along the bottom. */
export function areaOf(values: readonly number[], size: SparkSize): string {
  const line = lineOf(values, size);
  return line === '' ? '' : `${line}L${size.width} ${size.height}L0 ${size.height}Z`;
}

// — internal —

function heightOf(value: number, { height, max }: SparkSize): number {
  const share = max <= 0 ? 0 : Math.max(0, Math.min(1, value / max));
  return height - MARGIN - share * (height - 2 * MARGIN);
}

function short(value: number): number {
  return Math.round(value * 10) / 10;
}
