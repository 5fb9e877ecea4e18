import type { EntryChange, UpdateOffer } from '../../../src/api/contract/updates.ts';
import { counted, shown } from '../text.ts';
import { Badge } from '../ui/state-dot.tsx';
import type { Tone } from '../ui/tone.ts';
import { lineDiff, valueText } from './line-diff.ts';
import './updating.css';

/** What an update would change in what a server lists and tells. All of it is the server's text. */
export function OfferDiff({ offer: { changes, moreChanges, instructions } }: { offer: UpdateOffer }) {
  if (changes.length === 0 && instructions === null) return <p>It lists and tells the same as before.</p>;
  return (
    <section class="offer-changes" aria-label="What changes">
      {changes.map((change) => (
        <Change key={`${change.list} ${change.key}`} change={change} />
      ))}
      {moreChanges === 0 ? null : <p class="note">And {counted(moreChanges, 'more change')}.</p>}
      {instructions === null ? null : (
        <div class="change">
          <h3>
            <Badge tone="busy">changed</Badge> what it tells models
          </h3>
          <Lines before={safe(instructions.before)} after={safe(instructions.after)} />
        </div>
      )}
    </section>
  );
}

// — internal —

const TONES: Record<EntryChange['change'], Tone> = { added: 'good', removed: 'bad', changed: 'busy' };
const NOUNS = { tools: 'tool', prompts: 'prompt', resources: 'resource', templates: 'resource template' } as const;

function Change({ change: { list, key, change, members } }: { change: EntryChange }) {
  return (
    <div class="change">
      <h3>
        <Badge tone={TONES[change]}>{change}</Badge> {NOUNS[list]} <code>{shown(key)}</code>
      </h3>
      {members.map(({ name, before, after }) => (
        <div key={name}>
          <p class="soft">{shown(name)}</p>
          <Lines before={valueText(before)} after={valueText(after)} />
        </div>
      ))}
    </div>
  );
}

/** The marks are text: colours alone would say nothing to many. */
function Lines({ before, after }: { before: string | null; after: string | null }) {
  return (
    <code class="diff">
      {lineDiff(before, after).map(({ kind, text }, at) => {
        const key = `${at} ${kind}`;
        if (kind === 'gone') return <del key={key}>{`- ${text}`}</del>;
        if (kind === 'new') return <ins key={key}>{`+ ${text}`}</ins>;
        return (
          <span key={key} data-kind={kind}>
            {kind === 'gap' ? `… ${text}` : `  ${text}`}
          </span>
        );
      })}
    </code>
  );
}

function safe(text: string | null): string | null {
  return text === null ? null : shown(text);
}
