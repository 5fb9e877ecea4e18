import { useState } from 'preact/hooks';
import type { Check, HealthReport, Verdict } from '../../../../src/api/contract/health.ts';
import { connection, now } from '../../live/store.ts';
import { counted, timeText } from '../../text.ts';
import { Button } from '../../ui/button.tsx';
import { Command } from '../../ui/code.tsx';
import { Empty, ErrorNote } from '../../ui/notes.tsx';
import { StateDot } from '../../ui/state-dot.tsx';
import type { Tone } from '../../ui/tone.ts';
import { useAnswer } from '../../use-answer.ts';
import { suggestionsIn } from '../servers/suggestion.ts';
import { SuggestionList } from '../servers/suggestions.tsx';
import './health.css';

const WORDS: Record<Verdict, { tone: Tone; title: string }> = {
  failure: { tone: 'bad', title: 'Hurts now' },
  warning: { tone: 'busy', title: 'Will hurt some day' },
  note: { tone: 'idle', title: 'Worth knowing' },
  ok: { tone: 'good', title: 'Well' },
};
const WORST_FIRST: readonly Verdict[] = ['failure', 'warning', 'note', 'ok'];

/** What `mcpd doctor` finds, with what helps. */
export function HealthPage() {
  const [looks, setLooks] = useState(0);
  // After a lost connection the daemon may be another one.
  const version = `${connection.value === 'live'} ${looks}`;
  const { answer: report, thrown } = useAnswer<HealthReport>('/api/health', version);

  return (
    <>
      <div class="page-head">
        <h1>Health</h1>
        {report === null ? null : <span class="note">looked at {timeText(report.checkedAt, now.value)}</span>}
        <Button icon="restart" onPress={() => setLooks(looks + 1)}>
          Look again
        </Button>
      </div>
      {thrown === null ? null : <ErrorNote thrown={thrown} />}
      {report === null && thrown === null ? <p class="soft">Looking …</p> : null}
      {report === null ? null : <Report report={report} />}
    </>
  );
}

// — internal —

function Report({ report }: { report: HealthReport }) {
  const isWell = report.verdict === 'ok' || report.verdict === 'note';
  return (
    <div class="stack">
      {isWell ? (
        <Empty icon="check" title="All is well">
          <p>{counted(report.checks.length, 'thing')} looked at.</p>
        </Empty>
      ) : null}
      {WORST_FIRST.map((verdict) => {
        const checks = report.checks.filter((check) => check.verdict === verdict);
        return checks.length === 0 ? null : <Group key={verdict} verdict={verdict} checks={checks} />;
      })}
    </div>
  );
}

function Group({ verdict, checks }: { verdict: Verdict; checks: readonly Check[] }) {
  const { tone, title } = WORDS[verdict];
  return (
    <section class="panel-box" aria-label={title}>
      <h2>
        <StateDot tone={tone}>{title}</StateDot>
      </h2>
      <ul class="checks">
        {checks.map(({ topic, text, fix }) => (
          <li key={`${topic} ${text}`}>
            <span class="soft text">{topic}</span>
            <span class="text">{text}</span>
            {fix === null ? null : <Fix fix={fix} topic={topic} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

/** What to type, and beside it what of that the page can do itself. */
function Fix({ fix, topic }: { fix: string; topic: string }) {
  const [, server] = /^server (\S+)$/.exec(topic) ?? [];
  const here = server === undefined ? [] : suggestionsIn(fix, server).filter(({ kind }) => kind !== 'type');
  return (
    <div class="fix">
      <Command text={fix} />
      {server === undefined ? null : <SuggestionList suggestions={here} name={server} />}
    </div>
  );
}
