import { setImmediate as nextTurn } from 'node:timers/promises';
import { type Metric, Registry } from 'prom-client';
import type { Durations, Labels, Measure } from './measures.ts';

/**
 * The text that Prometheus reads, by its own library. A module that the build makes a file of its own, and that is loaded with the first
 * scrape: `import('./prometheus.ts')`, never from the top.
 */
export async function prometheusText(measures: readonly Measure[]): Promise<{ type: string; text: string }> {
  const registry = new Registry();
  const parts: string[] = [];
  for (const measure of measures) {
    registry.registerMetric(asMetric(measure));
    parts.push(await registry.getSingleMetricAsString(measure.name));
    // A hundred servers are thousands of lines: calls go first in between.
    await nextTurn();
  }
  return { type: registry.contentType, text: `${parts.join('\n\n')}\n` };
}

// — internal —

interface Value {
  labels: Labels | Record<string, string | number>;
  value: number;
  metricName?: string;
}

/** The library's own metrics count for themselves; these were counted before it was loaded, and have only to be written. */
function asMetric({ name, help, kind, points }: Measure): Metric {
  const values =
    kind === 'histogram' ? points.flatMap((point) => histogramValues(name, point.labels, point.value)) : points;
  return { name, help, type: kind, get: async () => ({ name, help, type: kind, values }) } as unknown as Metric;
}

function histogramValues(name: string, labels: Labels, { bounds, counts, sum, count }: Durations): Value[] {
  let below = 0;
  const buckets = bounds.map((le, place) => {
    below += counts[place] ?? 0;
    return { metricName: `${name}_bucket`, labels: { ...labels, le }, value: below };
  });
  return [
    ...buckets,
    { metricName: `${name}_bucket`, labels: { ...labels, le: '+Inf' }, value: count },
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: count },
  ];
}
