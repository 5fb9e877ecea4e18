import { useEffect, useId, useRef } from 'preact/hooks';
import type uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import './plot.css';
import { timeText } from '../text.ts';
import { systemIsDark, theme } from '../theme.ts';
import { isLonely, type PlotUnit, plotData, STEPS, timeTicks } from './plot-axis.ts';
import { failed } from './toasts.tsx';

interface PlotSeries {
  label: string;
  /** One for each of `times`; null is a gap. */
  values: readonly (number | null)[];
  /** A colour of the page: `accent`, `good`, `bad`, `busy`, `soft`. */
  colour: 'accent' | 'good' | 'bad' | 'busy' | 'soft';
  /** Filled below the line. */
  filled?: boolean;
}

interface PlotProps {
  title: string;
  /** Milliseconds since 1970, oldest first. */
  times: readonly number[];
  series: readonly PlotSeries[];
  unit: PlotUnit;
  /** How a value is written, on the axis and under the pointer. */
  format: (value: number) => string;
  height?: number;
}

/** A plot over time. Readers get its last values as text. */
export function Plot({ title, times, series, unit, format, height = 160 }: PlotProps) {
  const place = useRef<HTMLDivElement>(null);
  const plot = useRef<uPlot | null>(null);
  const titleId = useId();
  const data = plotData(
    times,
    series.map(({ values }) => values),
  ) as uPlot.AlignedData;
  const latest = useRef(data);
  latest.current = data;
  const shape = series.map(({ label, colour, filled }) => `${label}/${colour}/${filled}`).join('|');
  const colours = `${theme.value}/${systemIsDark.value}`;

  // Made anew for another shape or other colours, not for new data
  useEffect(() => {
    const element = place.current;
    if (element === null) return;
    let isGone = false;
    const width = () => Math.max(120, element.clientWidth);
    const observer = new ResizeObserver(() => plot.current?.setSize({ width: width(), height }));
    import('./plot-library.ts')
      .then(({ Plotter }) => {
        if (isGone) return;
        plot.current = new Plotter(
          optionsOf({ series, unit, format, height, width: width() }),
          latest.current,
          element,
        );
        observer.observe(element);
      })
      .catch(failed);
    return () => {
      isGone = true;
      observer.disconnect();
      plot.current?.destroy();
      plot.current = null;
    };
  }, [shape, height, colours]);

  useEffect(() => plot.current?.setData(latest.current));

  return (
    <figure class="plot" aria-labelledby={titleId}>
      <figcaption id={titleId}>
        {title}
        <span class="soft">
          {series.map(({ label, values }) => ` · ${label} ${textOf(values.at(-1), format)}`).join('')}
        </span>
      </figcaption>
      <div ref={place} class="plot-place" aria-hidden="true" />
    </figure>
  );
}

// — internal —

function textOf(value: number | null | undefined, format: (value: number) => string): string {
  return value === null || value === undefined ? '–' : format(value);
}

function optionsOf(plot: {
  series: readonly PlotSeries[];
  unit: PlotUnit;
  format: (value: number) => string;
  height: number;
  width: number;
}): uPlot.Options {
  const style = getComputedStyle(document.documentElement);
  const colourOf = (name: string) => resolved(style.getPropertyValue(`--${name}`));
  const axis = { stroke: colourOf('soft'), grid: { stroke: colourOf('line'), width: 1 }, ticks: { show: false } };
  return {
    width: plot.width,
    height: plot.height,
    cursor: { drag: { x: false, y: false }, points: { size: 6 } },
    legend: { show: plot.series.length > 1 },
    scales: {
      y: { range: (_plot, _min, max) => [0, Math.max(1, max * 1.1)] },
    },
    axes: [
      {
        ...axis,
        size: 30,
        space: 70,
        values: (_plot, ticks, _axis, _space, step) => timeTicks(ticks, step),
      },
      { ...axis, size: 64, space: 32, incrs: STEPS[plot.unit], values: (_plot, ticks) => ticks.map(plot.format) },
    ],
    series: [
      { label: 'at', value: (_plot, at: number | null) => (at === null ? '–' : timeText(at * 1000, Date.now())) },
      ...plot.series.map(({ label, colour, filled }) => ({
        label,
        stroke: colourOf(colour),
        width: 1.5,
        points: { show: (drawn: uPlot, at: number) => isLonely([...(drawn.data[at] ?? [])] as (number | null)[]) },
        ...(filled ? { fill: colourOf(colour).replace(/^rgb\((.*)\)$/, 'rgba($1, 0.15)') } : {}),
        value: (_plot: uPlot, value: number | null) => textOf(value, plot.format),
      })),
    ],
  };
}

/** `light-dark()` as the one colour that it is at this moment: a canvas knows no other. */
function resolved(colour: string): string {
  const probe = document.createElement('span');
  probe.style.color = colour;
  document.body.append(probe);
  const { color } = getComputedStyle(probe);
  probe.remove();
  return color;
}
