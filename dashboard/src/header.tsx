import { durationText } from './duration.ts';
import { type Connection, connection, now, servers, status } from './live/store.ts';
import { isInTrouble } from './pages/servers/row.ts';
import { helpIsOpen } from './shortcuts.ts';
import { counted } from './text.ts';
import { Button } from './ui/button.tsx';
import { StateDot } from './ui/state-dot.tsx';
import type { Tone } from './ui/tone.ts';

const CONNECTIONS: Record<Connection, { text: string; tone: Tone }> = {
  connecting: { text: 'connecting', tone: 'busy' },
  live: { text: 'live', tone: 'good' },
  reconnecting: { text: 'reconnecting', tone: 'bad' },
  stopping: { text: 'daemon is stopping', tone: 'busy' },
  'signed-out': { text: 'not signed in', tone: 'idle' },
};

/** Stays at the top: what this is, how all is, and whether the page is live. */
export function Header() {
  const { text, tone } = CONNECTIONS[connection.value];
  return (
    <header class="header">
      <a class="brand" href="#/servers" aria-label="mcpd, all servers">
        <img src="/icon.svg" alt="" width="24" height="24" />
        <span>mcpd</span>
      </a>
      <Facts />
      <span class="connection" role="status" aria-label="Connection">
        <StateDot tone={tone}>{text}</StateDot>
      </span>
      <Button kind="quiet" icon="question" label="Keyboard shortcuts" onPress={() => (helpIsOpen.value = true)} />
    </header>
  );
}

// — internal —

function Facts() {
  const daemon = status.value;
  if (daemon === null) return <p class="facts" />;
  const all = [...servers.value.values()];
  const running = all.filter(({ state }) => state === 'running').length;
  const troubled = all.filter(isInTrouble).length;
  return (
    <p class="facts">
      <span>
        {running} of {counted(all.length, 'server')} running
      </span>
      {troubled > 0 ? <span data-tone="bad">{troubled} in trouble</span> : null}
      <span class="wide-only">up {durationText(now.value - daemon.startedAt)}</span>
    </p>
  );
}
