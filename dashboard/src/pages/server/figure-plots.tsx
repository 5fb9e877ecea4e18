import type { ServerFigures } from '../../../../src/api/contract/figures.ts';
import { bytesText, latencyText, numberText } from '../../text.ts';
import { Plot } from '../../ui/plot.tsx';

const MINUTE_MS = 60_000;

/** Calls, memory and CPU over time. */
export function FigurePlots({ figures }: { figures: ServerFigures }) {
  const { perMinute, tree } = figures;
  const { calls, errors, lastAt } = perMinute;
  const minutes = calls.map((_, at) => lastAt - (calls.length - 1 - at) * MINUTE_MS);
  const { at: times, rssBytes, cpuPercent } = tree.samples;
  return (
    <section class="plots" aria-label="Figures">
      <div class="panel-box">
        <Plot
          title="Calls a minute"
          unit="whole"
          times={minutes}
          series={[
            { label: 'calls', values: calls, colour: 'accent', filled: true },
            { label: 'errors', values: errors, colour: 'bad' },
          ]}
          format={numberText}
        />
      </div>
      {times.length === 0 ? (
        <div class="panel-box">
          <h2>Memory and CPU</h2>
          <p class="soft">{tree.state === 'unknown' ? tree.reason : 'Not looked at yet'}</p>
        </div>
      ) : (
        <>
          <div class="panel-box">
            <Plot
              title="Memory of all its processes"
              unit="bytes"
              times={times}
              series={[{ label: 'memory', values: rssBytes, colour: 'good', filled: true }]}
              format={bytesText}
            />
          </div>
          <div class="panel-box">
            <Plot
              title="CPU of all its processes"
              unit="whole"
              times={times}
              series={[{ label: 'CPU', values: cpuPercent, colour: 'busy', filled: true }]}
              format={(percent) => `${Math.round(percent)} %`}
            />
          </div>
        </>
      )}
    </section>
  );
}

/** How long half, and nearly all, of the calls took. */
export function Latency({ latency: { count, p50, p95, p99 } }: { latency: ServerFigures['latency'] }) {
  if (count === 0) return <p class="soft">No call was answered since mcpd started.</p>;
  const shares: [string, string, number | null][] = [
    ['p50', 'half of them', p50],
    ['p95', '95 of 100', p95],
    ['p99', '99 of 100', p99],
  ];
  return (
    <>
      <dl class="percentiles">
        {shares.map(([name, meaning, ms]) => (
          <div key={name}>
            <dt>
              {name} <span class="soft">{meaning}</span>
            </dt>
            <dd>{ms === null ? '–' : `≤ ${latencyText(ms)}`}</dd>
          </div>
        ))}
      </dl>
      <p class="note">
        Of {numberText(count)} answered in about the last hour, from their arrival on. Calls of nearly the same length
        are counted together: the true value is at most a tenth below.
      </p>
    </>
  );
}
