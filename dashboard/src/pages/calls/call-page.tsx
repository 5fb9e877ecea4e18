import type { ComponentChildren } from 'preact';
import type { CallDetail, CallMoment } from '../../../../src/api/contract/calls.ts';
import { now } from '../../live/store.ts';
import { hrefOf, withQuery } from '../../route.ts';
import { bytesText, latencyText, timeText } from '../../text.ts';
import { ErrorNote } from '../../ui/notes.tsx';
import { Pairs } from '../../ui/pairs.tsx';
import { StateDot } from '../../ui/state-dot.tsx';
import { useAnswer } from '../../use-answer.ts';
import { OUTCOME_WORDS } from './outcome.ts';
import { barsOf } from './waterfall.ts';

const MOMENT_WORDS: Record<CallMoment['name'], string> = {
  received: 'the host asked',
  starting: 'its server began to start',
  started: 'the server was up',
  sent: 'sent to the server',
  progress: 'first sign of life',
  asked: 'the host was asked for input',
  resumed: 'the host came back with it',
  cancelled: 'the host called it off',
  answered: 'the server answered',
  delivered: 'handed to the host',
};

/** One call: where its time went. */
export function CallPage({ id }: { id: string }) {
  // What has ended never changes.
  const { answer: call, thrown } = useAnswer<CallDetail>(`/api/calls/${encodeURIComponent(id)}`, null);
  return (
    <>
      <p class="crumbs">
        <a href={hrefOf('calls')}>All calls</a>
      </p>
      {thrown === null ? null : <ErrorNote thrown={thrown} />}
      {call === null ? null : <Call call={call} />}
    </>
  );
}

// — internal —

function Call({ call }: { call: CallDetail }) {
  const { tone, label } = OUTCOME_WORDS[call.outcome];
  const facts: [string, ComponentChildren][] = [
    ['Host', <a href={withQuery(hrefOf('calls'), { host: call.host })}>{call.host}</a>],
    ['Server', <a href={hrefOf('servers', call.server)}>{call.server}</a>],
    ['Method', call.method],
    ['When', timeText(call.at, now.peek())],
    ['Took', latencyText(call.totalMs)],
    ['Request', bytesText(call.requestBytes)],
    ['Answer', bytesText(call.responseBytes)],
    ['Rounds of input', String(call.rounds)],
    ['Process', call.instance === '' ? 'not recorded' : call.instance],
    ['Session', call.session],
    ...(call.errorCode === null ? [] : [['Error code', String(call.errorCode)] as [string, string]]),
  ];
  return (
    <>
      <div class="page-head">
        <h1 class="text">{call.target === '' ? call.method : call.target}</h1>
        <StateDot tone={tone}>{label}</StateDot>
      </div>
      <div class="stack">
        {call.error === null ? null : (
          <p class="error-note">
            <span>{call.error}</span>
          </p>
        )}
        <section class="panel-box" aria-label="Where the time went">
          <h2>Where the time went</h2>
          <Waterfall call={call} />
          <Moments moments={call.moments} />
        </section>
        <section class="panel-box" aria-label="Facts">
          <h2>Facts</h2>
          <Pairs pairs={facts} />
        </section>
      </div>
    </>
  );
}

/** The list beside the picture says the same in words, so a reader needs the list only. */
function Waterfall({ call }: { call: CallDetail }) {
  return (
    <ol class="waterfall">
      {barsOf(call).map((bar) => (
        <li key={`${bar.label}-${bar.fromMs}`}>
          <span class="lane">{bar.lane}</span>
          <span class="track" aria-hidden="true">
            <span class="bar" data-lane={bar.lane} style={{ left: `${bar.left}%`, width: `${bar.width}%` }} />
          </span>
          <span>
            {bar.label}: {latencyText(bar.toMs - bar.fromMs)}
          </span>
        </li>
      ))}
    </ol>
  );
}

function Moments({ moments }: { moments: readonly CallMoment[] }) {
  if (moments.length === 0) return null;
  return (
    <table aria-label="Moments">
      <thead>
        <tr>
          <th scope="col">After</th>
          <th scope="col">What happened</th>
        </tr>
      </thead>
      <tbody>
        {moments.map(({ name, atMs }) => (
          <tr key={`${name}-${atMs}`}>
            <td>{latencyText(atMs)}</td>
            <td>{MOMENT_WORDS[name]}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
