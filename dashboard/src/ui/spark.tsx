import { areaOf, lineOf } from './spark-path.ts';
import './spark.css';

interface SparkProps {
  /** Oldest first. */
  values: readonly number[];
  /** What the line is, and its present value, in words: `12 calls a minute`. */
  label: string;
  tone?: 'accent' | 'bad' | 'soft';
  /** The value at the top; the largest one when absent. */
  max?: number | undefined;
}

const WIDTH = 72;
const HEIGHT = 20;

/** A line as small as a word: the shape of the last while. The words beside it say the number. */
export function Spark({ values, label, tone = 'accent', max }: SparkProps) {
  if (values.length === 0) return null;
  // A level line at nothing is no news: it is drawn as a base line, not as a colour.
  const shownTone = values.every((value) => value === 0) ? 'quiet' : tone;
  const size = { width: WIDTH, height: HEIGHT, max: max ?? Math.max(...values, 0) };
  return (
    <svg
      class="spark"
      data-tone={shownTone}
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      width={WIDTH}
      height={HEIGHT}
      role="img"
    >
      <title>{label}</title>
      <path class="area" d={areaOf(values, size)} />
      <path class="line" d={lineOf(values, size)} />
    </svg>
  );
}
