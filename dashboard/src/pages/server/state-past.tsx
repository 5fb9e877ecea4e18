import type { ServerInfo } from '../../../../src/api/contract.ts';
import type { State } from '../../../../src/core/model.ts';
import { durationText } from '../../duration.ts';
import { now } from '../../live/store.ts';
import { countedSince } from '../../since-start.ts';
import { latencyText, timeText } from '../../text.ts';
import { CodeBlock } from '../../ui/code.tsx';
import { StateDot } from '../../ui/state-dot.tsx';
import type { Tone } from '../../ui/tone.ts';
import {
  type DaemonMark,
  momentsOf,
  NO_DAEMON,
  type Past,
  STRIP_MS,
  stretchesOf,
  type Transition,
  totalsOf,
} from './timeline.ts';

/** Rows of the table; older ones are in the history of the daemon. */
const ROWS_MAX = 20;

/** The states it was in, under this daemon and those before it: a strip of the last hour, and the changes themselves with their reasons. */
export function StateTimeline({ past }: { past: Past }) {
  if (past.transitions.length === 0) return <p class="soft">It was never started.</p>;
  const newest = momentsOf(past).slice(0, ROWS_MAX);
  return (
    <>
      <Strip past={past} />
      <div class="table-box changes" {...{ tabIndex: 0, role: 'group', 'aria-label': 'Changes of state' }}>
        <table aria-label="Changes of state">
          <thead>
            <tr>
              <th scope="col">When</th>
              <th scope="col">State</th>
              <th scope="col">Why</th>
            </tr>
          </thead>
          <tbody>
            {newest.map((moment, place) =>
              moment.kind === 'change' ? (
                <ChangeRow key={`${moment.at} ${place}`} change={moment.change} />
              ) : (
                <BreakRow key={`${moment.at} ${place}`} mark={moment.mark} />
              ),
            )}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** How it ended, the last time first, with what it printed before. */
export function Exits({ exits }: { exits: ServerInfo['exits'] }) {
  const [last, ...earlier] = exits.toReversed();
  if (last === undefined) return <p class="soft">It has not ended {countedSince()}.</p>;
  return (
    <div class="stack">
      <Exit exit={last} />
      {earlier.length === 0 ? null : (
        <details>
          <summary>{earlier.length} before</summary>
          <div class="stack">
            {earlier.map((exit) => (
              <Exit key={exit.at} exit={exit} />
            ))}
          </div>
        </details>
      )}
    </div>
  );
}

// — internal —

const TONES: Record<State, Tone> = {
  running: 'good',
  starting: 'busy',
  stopping: 'busy',
  stopped: 'idle',
  backoff: 'bad',
  failed: 'bad',
};

function ChangeRow({ change: { at, from, to, reason } }: { change: Transition }) {
  return (
    <tr>
      <td class="when">{timeText(at, now.peek())}</td>
      <td>
        <StateDot tone={toneOf(to)}>{to}</StateDot>
        <span class="note">from {from}</span>
      </td>
      <td class="text">{reason}</td>
    </tr>
  );
}

const MARKS: Readonly<Record<DaemonMark['mark'], string>> = {
  began: 'mcpd began',
  ended: 'mcpd ended',
  lost: 'mcpd was lost',
};

function BreakRow({ mark: { at, mark, reason } }: { mark: DaemonMark }) {
  return (
    <tr class="break">
      <td class="when">{timeText(at, now.peek())}</td>
      <td>{MARKS[mark]}</td>
      <td class="text">{reason}</td>
    </tr>
  );
}

function toneOf(state: string): Tone {
  return TONES[state as State] ?? 'idle';
}

/** Changes with each second. */
function Strip({ past }: { past: Past }) {
  const stretches = stretchesOf(past, now.value);
  const whole = stretches.reduce((sum, { ms }) => sum + ms, 0);
  const totals = totalsOf(stretches).map(({ state, ms }) => `${state} ${durationText(ms)}`);
  return (
    <figure class="strip">
      <div class="strip-bar" aria-hidden="true">
        {stretches.map(({ state, share }, at) => (
          <span
            key={at}
            data-tone={state === NO_DAEMON ? 'none' : toneOf(state)}
            title={state}
            style={{ flexGrow: String(share) }}
          />
        ))}
      </div>
      <figcaption class="note">
        {whole >= STRIP_MS ? 'Last hour' : `Last ${durationText(whole)}`}: {totals.join(', ')}
      </figcaption>
    </figure>
  );
}

function Exit({ exit: { at, uptimeMs, cause, stderrTail } }: { exit: ServerInfo['exits'][number] }) {
  return (
    <div class="exit">
      <p>
        <strong class="text">{cause}</strong>
        <span class="note">
          {timeText(at, now.peek())}, after {uptimeMs < 1000 ? latencyText(uptimeMs) : durationText(uptimeMs)}
        </span>
      </p>
      {stderrTail.length === 0 ? null : (
        <CodeBlock text={stderrTail.join('\n')} label={`its last lines on stderr, ${timeText(at, now.peek())}`} />
      )}
    </div>
  );
}
