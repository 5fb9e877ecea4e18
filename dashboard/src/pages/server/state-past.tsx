import type { ServerInfo } from '../../../../src/api/contract.ts';
import type { State } from '../../../../src/core/model.ts';
import { durationText } from '../../duration.ts';
import { now } from '../../live/store.ts';
import { latencyText, timeText } from '../../text.ts';
import { CodeBlock } from '../../ui/code.tsx';
import { StateDot } from '../../ui/state-dot.tsx';
import type { Tone } from '../../ui/tone.ts';
import { STRIP_MS, stretchesOf, type Transition, totalsOf } from './timeline.ts';

/** Rows of the table; older ones are in the history of the daemon. */
const ROWS_MAX = 20;

/** The states it was in, and why it changed: a strip of the last hour, and the changes themselves. */
export function StateTimeline({ transitions }: { transitions: readonly Transition[] }) {
  if (transitions.length === 0) return <p class="soft">It was never started.</p>;
  const newest = transitions.toSorted((a, b) => b.at - a.at).slice(0, ROWS_MAX);
  return (
    <>
      <Strip transitions={transitions} />
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
            {newest.map(({ at, from, to, reason }, place) => (
              <tr key={`${at} ${to} ${place}`}>
                <td class="when">{timeText(at, now.peek())}</td>
                <td>
                  <StateDot tone={toneOf(to)}>{to}</StateDot>
                  <span class="note">from {from}</span>
                </td>
                <td class="text">{reason}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** How it ended, the last time first, with what it printed before. */
export function Exits({ exits }: { exits: ServerInfo['exits'] }) {
  const [last, ...earlier] = exits.toReversed();
  if (last === undefined) return <p class="soft">It has not ended since mcpd started.</p>;
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

function toneOf(state: string): Tone {
  return TONES[state as State] ?? 'idle';
}

/** Changes with each second. */
function Strip({ transitions }: { transitions: readonly Transition[] }) {
  const stretches = stretchesOf(transitions, now.value);
  const whole = stretches.reduce((sum, { ms }) => sum + ms, 0);
  const totals = totalsOf(stretches).map(({ state, ms }) => `${state} ${durationText(ms)}`);
  return (
    <figure class="strip">
      <div class="strip-bar" aria-hidden="true">
        {stretches.map(({ state, share }, at) => (
          <span key={at} data-tone={toneOf(state)} title={state} style={{ flexGrow: String(share) }} />
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
