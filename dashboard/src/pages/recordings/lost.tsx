import { useEffect, useState } from 'preact/hooks';
import type { LostRecording, RecordingState } from '../../../../src/api/contract/recordings.ts';
import { get } from '../../api.ts';
import { now, status } from '../../live/store.ts';
import { hrefOf } from '../../route.ts';
import { counted, timeText } from '../../text.ts';
import { Icon } from '../../ui/icon.tsx';
import { failed } from '../../ui/toasts.tsx';

/** What an earlier daemon took along. */
export function Lost({ lost: { startedAt, endsAt, endedAt, frames } }: { lost: LostRecording }) {
  const from = timeText(startedAt, now.peek());
  const end = endedAt === null ? 'mcpd was killed or crashed' : `mcpd ended at ${timeText(endedAt, now.peek())}`;
  const kept = frames === null ? 'What was kept' : counted(frames, 'message');
  const are =
    frames === null || frames === 1 ? 'was in memory alone, and is lost.' : 'were in memory alone, and are lost.';
  return (
    <p class="lost" role="status">
      <Icon name="warning" />
      <span>
        <strong>The last recording ended with mcpd.</strong> It went on from {from}
        {endsAt === null ? '; it was off when ' : ' until '}
        {end}. {kept} {are}
      </span>
    </p>
  );
}

/** The way to other servers of which something is kept, or was: who comes after a crash does not know where to look. */
export function OtherRecordings({ server }: { server: string }) {
  const [states, setStates] = useState<readonly RecordingState[]>([]);
  const daemon = status.value?.startedAt ?? 0;
  useEffect(() => {
    const stop = new AbortController();
    get<RecordingState[]>('/api/recordings', { signal: stop.signal }).then(setStates).catch(failed);
    return () => stop.abort();
  }, [server, daemon]);
  const others = states.filter((state) => state.server !== server);
  if (others.length === 0) return null;
  return (
    <p class="note">
      Other recordings:{' '}
      {others.map((state, at) => (
        <span key={state.server}>
          {at === 0 ? '' : ', '}
          <a href={hrefOf('recordings', state.server)}>{state.server}</a> ({wordFor(state)})
        </span>
      ))}
    </p>
  );
}

// — internal —

function wordFor({ on, frames }: RecordingState): string {
  if (on) return 'recording';
  return frames > 0 ? counted(frames, 'message') : 'lost with mcpd';
}
