import { hrefOf } from '../route.ts';
import { shown } from '../text.ts';
import { Button } from '../ui/button.tsx';
import type { Trial } from './trial.ts';
import { cancel, see, shownTry, tries } from './tries.ts';
import './open-tries.css';

/** Tries that go on, or have ended, while the page shows something else: how they are, and the way back. */
export function OpenTries() {
  const elsewhere = [...tries.value].filter(
    ([key, { trial, isSeen }]) => key !== shownTry.value && (trial.state === 'running' || !isSeen),
  );
  return (
    <div class="open-tries" role="status" aria-label="Tries elsewhere">
      {elsewhere.map(([key, { place, trial }]) => (
        <p key={key} class="open-try">
          <span class="text">
            <strong>{shown(place.raw)}</strong> of {place.server} {wordsOf(trial)}
          </span>
          <a href={hrefOf('servers', place.server, place.tab, place.raw)} aria-label={`Show ${shown(place.raw)}`}>
            Show
          </a>
          {trial.state === 'running' ? (
            <Button label={`Cancel ${shown(place.raw)}`} onPress={() => cancel(place)}>
              Cancel
            </Button>
          ) : (
            <Button
              kind="quiet"
              icon="close"
              label={`Close the note about ${shown(place.raw)}`}
              onPress={() => see(place)}
            />
          )}
        </p>
      ))}
    </div>
  );
}

// — internal —

function wordsOf({ state, questions, isCancelled, result, failed, thrown }: Trial): string {
  if (state === 'running') return questions.length > 0 ? 'asks you something' : 'is running';
  if (isCancelled) return 'was cancelled';
  return failed !== null || thrown !== null || result?.isError ? 'has failed' : 'is done';
}
