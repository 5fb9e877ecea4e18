import type { ComponentChildren } from 'preact';
import { durationText } from '../../duration.ts';
import { now, sessions, status } from '../../live/store.ts';
import { ShortcutList } from '../../shortcut-help.tsx';
import { numberText } from '../../text.ts';
import { chooseTheme, THEMES, type Theme, theme } from '../../theme.ts';
import { Command } from '../../ui/code.tsx';
import { Pairs } from '../../ui/pairs.tsx';
import './settings.css';

const THEME_LABELS: Record<Theme, string> = { system: 'As the system', light: 'Light', dark: 'Dark' };

/** What is set for this browser, and what the daemon is. */
export function SettingsPage() {
  return (
    <>
      <div class="page-head">
        <h1>Settings</h1>
      </div>
      <div class="settings">
        <Box title="Look">
          <ThemeChoice />
        </Box>
        <Box title="Daemon">
          <DaemonFacts />
        </Box>
        <Box title="Sessions">
          <Sessions />
        </Box>
        <Box title="In the terminal">
          <p class="soft">No page alone may do these: they decide what runs as you, and who may ask.</p>
          <ul class="commands">
            {COMMANDS.map(({ command, does }) => (
              <li key={command}>
                <Command text={command} />
                <span class="note">{does}</span>
              </li>
            ))}
          </ul>
        </Box>
        <Box title="Keyboard">
          <ShortcutList />
        </Box>
      </div>
    </>
  );
}

// — internal —

const COMMANDS = [
  { command: 'mcpd install NAME', does: 'Installs a server of the catalog, a package or a folder' },
  { command: 'mcpd token add NAME', does: 'Lets a host come in by HTTP' },
  { command: 'mcpd secret list', does: 'Shows which servers need secrets, and which have them' },
  { command: 'mcpd doctor', does: 'Looks for what is wrong' },
  { command: 'mcpd restart', does: 'Restarts the daemon; hosts and this page come back by themselves' },
];

function Box({ title, children }: { title: string; children: ComponentChildren }) {
  return (
    <section class="panel-box" aria-label={title}>
      <h2>{title}</h2>
      {children}
    </section>
  );
}

function ThemeChoice() {
  return (
    <fieldset class="themes">
      <legend class="unseen">Theme</legend>
      {THEMES.map((one) => (
        <label key={one}>
          <input type="radio" name="theme" checked={theme.value === one} onChange={() => chooseTheme(one)} />
          {THEME_LABELS[one]}
        </label>
      ))}
    </fieldset>
  );
}

function DaemonFacts() {
  const daemon = status.value;
  if (daemon === null) return null;
  const facts: [string, string][] = [
    ['Version', daemon.version],
    ['State', daemon.state],
    ['Up', durationText(now.value - daemon.startedAt)],
    ['Process', String(daemon.pid)],
    ['Kept alive by', daemon.engine === 'pm2' ? 'pm2' : 'nobody: it was started directly'],
    ['Node', daemon.node],
    ['Home', daemon.home],
    ['Page', daemon.port === null ? 'off: another program has its port' : `127.0.0.1:${daemon.port}`],
  ];
  return (
    <>
      <Pairs pairs={facts} />
      {daemon.warnings.map((warning) => (
        <p key={warning} class="note" data-tone="busy">
          {warning}
        </p>
      ))}
    </>
  );
}

function Sessions() {
  const all = sessions.value;
  if (all.length === 0) return <p class="soft">No host is connected.</p>;
  return (
    <div class="table-box">
      <table aria-label="Sessions">
        <thead>
          <tr>
            <th scope="col">Host</th>
            <th scope="col">Revision</th>
            <th scope="col" class="number">
              Connected
            </th>
            <th scope="col" class="number">
              Calls
            </th>
            <th scope="col" class="number">
              Open
            </th>
          </tr>
        </thead>
        <tbody>
          {all.map((session) => (
            <tr key={session.id}>
              <th scope="row" class="text">
                {session.host}
              </th>
              <td>{session.protocolVersion ?? '–'}</td>
              <td class="number">{durationText(now.value - session.since)}</td>
              <td class="number">{numberText(session.calls)}</td>
              <td class="number">{numberText(session.openCalls)}</td>
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}
