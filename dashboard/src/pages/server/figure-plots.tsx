import type { ServerFigures } from '../../../../src/api/contract/figures.ts';
import { status } from '../../live/store.ts';
import { countedSince } from '../../since-start.ts';
import { bytesText, latencyText, numberText } from '../../text.ts';
import { Plot } from '../../ui/plot.tsx';

const MINUTE_MS = 60_000;

/** The columns without the minutes in which this daemon did not count yet: those are not known, and not none. */
function countedMinutes({ calls, errors, lastAt }: ServerFigures['perMinute'], startedAt: number) {
  const at = (place: number) => lastAt - (calls.length - 1 - place) * MINUTE_MS;
  const known = (values: readonly number[]) =>
    values.map((value, place) => (at(place) + MINUTE_MS <= startedAt ? null : value));
  return { times: calls.map((_, place) => at(place)), calls: known(calls), errors: known(errors) };
}

/** Calls, memory and CPU over time. */
export function FigurePlots({ figures }: { figures: ServerFigures }) {
  const { perMinute, tree } = figures;
  const minutes = countedMinutes(perMinute, status.value?.startedAt ?? 0);
  const { at: times, rssBytes, cpuPercent } = tree.samples;
  return (
    <section class="plots" aria-label="Figures">
      <div class="panel-box">
        <Plot
          title="Calls a minute"
          unit="whole"
          times={minutes.times}
          series={[
            { label: 'calls', values: minutes.calls, colour: 'accent', filled: true },
            { label: 'errors', values: minutes.errors, colour: 'bad' },
          ]}
          format={numberText}
        />
        {minutes.calls.includes(null) ? <p class="note">Counted {countedSince()}.</p> : null}
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
  if (count === 0) return <p class="soft">No call was answered {countedSince()}.</p>;
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
