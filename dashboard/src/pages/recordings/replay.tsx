import { useEffect, useRef, useState } from 'preact/hooks';
import type { ReplayEvent, ReplayOutcome, ReplayStep } from '../../../../src/api/contract/recordings.ts';
import { ApiError, linesOf, wasAborted } from '../../api.ts';
import { latencyText } from '../../text.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorNote } from '../../ui/notes.tsx';
import { StateDot } from '../../ui/state-dot.tsx';
import type { Tone } from '../../ui/tone.ts';

const WORDS: Record<ReplayOutcome, { tone: Tone; label: string }> = {
  equal: { tone: 'good', label: 'equal' },
  different: { tone: 'bad', label: 'different' },
  unanswered: { tone: 'bad', label: 'no answer' },
  uncompared: { tone: 'idle', label: 'asked, not compared' },
  skipped: { tone: 'idle', label: 'left out' },
};
const OUTCOMES = Object.keys(WORDS) as ReplayOutcome[];

/** Asks a fresh process of the server everything again, and compares what it answers. */
export function Replay({ server }: { server: string }) {
  const [steps, setSteps] = useState<readonly ReplayStep[]>([]);
  const [done, setDone] = useState<Extract<ReplayEvent, { type: 'done' }> | null>(null);
  const [thrown, setThrown] = useState<unknown>(null);
  const [isRunning, setRunning] = useState(false);
  const running = useRef<AbortController | null>(null);
  useEffect(() => () => running.current?.abort(), []);

  const run = async () => {
    const stop = new AbortController();
    running.current = stop;
    setSteps([]);
    setDone(null);
    setThrown(null);
    setRunning(true);
    try {
      const path = `/api/servers/${server}/recording/replay`;
      for await (const event of linesOf<ReplayEvent>(path, { method: 'POST', body: {}, signal: stop.signal })) {
        if (event.type === 'step') setSteps((before) => [...before, event]);
        if (event.type === 'done') setDone(event);
        if (event.type === 'failed') setThrown(new ApiError(event.error));
      }
    } catch (error) {
      if (!wasAborted(error) && !stop.signal.aborted) setThrown(error);
    }
    setRunning(false);
  };

  return (
    <section class="panel-box stack" aria-label="Replay">
      <div class="toolbar">
        <h2>Replay</h2>
        {isRunning ? (
          <Button onPress={() => running.current?.abort()}>Stop</Button>
        ) : (
          <Button onPress={() => void run()}>Ask a fresh process again</Button>
        )}
        <span class="note" role="status">
          {done === null
            ? null
            : OUTCOMES.filter((one) => done[one] > 0)
                .map((one) => `${done[one]} ${WORDS[one].label}`)
                .join(', ')}
        </span>
      </div>
      <p class="note">It begins with an empty data folder; what its tools change elsewhere changes again.</p>
      {thrown === null ? null : <ErrorNote thrown={thrown} />}
      {steps.length === 0 ? null : (
        <ul class="steps" aria-label="Steps">
          {steps.map((step) => (
            <Step key={step.seq} step={step} />
          ))}
        </ul>
      )}
    </section>
  );
}

// — internal —

function Step({ step }: { step: ReplayStep }) {
  const { tone, label } = WORDS[step.outcome];
  const times = [step.recordedMs, step.replayedMs].map((ms) => (ms === null ? '–' : latencyText(ms)));
  return (
    <li>
      <StateDot tone={tone}>{label}</StateDot>{' '}
      <span class="text">
        {step.method} {step.target ?? ''}
      </span>{' '}
      <span class="note">
        {times.join(' → ')}
        {step.why === null ? '' : `; ${step.why}`}
      </span>
      {step.differences.map(({ path, recorded, replayed }) => (
        <p key={path} class="note text">
          {path}: {recorded ?? 'not there'} → {replayed ?? 'not there'}
        </p>
      ))}
      {step.moreDifferences === 0 ? null : <p class="note">and {step.moreDifferences} more</p>}
    </li>
  );
}
