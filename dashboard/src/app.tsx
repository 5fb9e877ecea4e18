import { useEffect, useRef } from 'preact/hooks';
import { Header } from './header.tsx';
import { connection, servers, status } from './live/store.ts';
import { LoginInProgress } from './login/login-dialog.tsx';
import { ENTRIES } from './pages/entries.ts';
import { PAGES } from './pages/pages.ts';
import { isInTrouble } from './pages/servers/row.ts';
import { route } from './route.ts';
import { ShortcutHelp } from './shortcut-help.tsx';
import { OpenTries } from './trying/open-tries.tsx';
import { Command } from './ui/code.tsx';
import { focusMain } from './ui/focus.ts';
import { Icon } from './ui/icon.tsx';
import { Empty } from './ui/notes.tsx';
import { Toasts } from './ui/toasts.tsx';

/** The frame of every page: head, navigation, and the place where the page stands. */
export function App() {
  return (
    <>
      {/* Not `href="#main"`: what follows the # is the address of a page. */}
      <button type="button" class="skip" onClick={() => document.getElementById('main')?.focus()}>
        Skip to the content
      </button>
      <Header />
      <Navigation />
      <main id="main" tabIndex={-1}>
        <OpenTries />
        <Content />
      </main>
      <LoginInProgress />
      <Toasts />
      <TroubleAnnouncer />
      <ShortcutHelp />
    </>
  );
}

// — internal —

/** For readers of the screen: a server that comes into trouble, or out of it, wherever on the page they are. */
function TroubleAnnouncer() {
  const troubled = useRef<ReadonlySet<string>>(new Set());
  const news: string[] = [];
  const now = new Set<string>();
  for (const server of servers.value.values()) {
    if (isInTrouble(server)) now.add(server.name);
    if (now.has(server.name) !== troubled.current.has(server.name))
      news.push(
        now.has(server.name)
          ? `${server.name} is in trouble: ${server.reason ?? server.health}`
          : `${server.name} is well again`,
      );
  }
  const said = useRef('');
  if (news.length > 0) said.current = news.join('. ');
  troubled.current = now;
  return (
    <p class="unseen" aria-live="polite">
      {said.current}
    </p>
  );
}

function Navigation() {
  const here = route.value.page;
  return (
    <nav class="navigation" aria-label="Pages">
      <ul>
        {ENTRIES.map(({ path, title, icon, shortcut }) => (
          <li key={path}>
            <a
              href={`#/${path}`}
              aria-current={path === here ? 'page' : undefined}
              title={`${title} (g ${shortcut})`}
              aria-keyshortcuts={`g ${shortcut}`}
            >
              <Icon name={icon} />
              <span>{title}</span>
            </a>
          </li>
        ))}
      </ul>
    </nav>
  );
}

function Content() {
  const { page, parts } = route.value;
  const entry = ENTRIES.find(({ path }) => path === page);
  const known = status.value !== null;
  const place = [page, ...parts.slice(0, 1)].join('/');
  const before = useRef(place);
  useEffect(() => {
    document.title = `${parts[0] ?? entry?.title ?? 'Nothing here'} · mcpd`;
    if (before.current === place) return;
    before.current = place;
    // As a new page would: at its top, and heard by a reader.
    scrollTo(0, 0);
    focusMain();
  }, [place, parts, entry]);
  if (connection.value === 'signed-out') return <SignedOut />;
  if (!known) return <Waiting />;
  if (entry === undefined) {
    return (
      <Empty icon="question" title="There is no such page">
        <p>
          <a href="#/servers">All servers</a>
        </p>
      </Empty>
    );
  }
  const Page = PAGES[entry.path];
  return <Page parts={parts} />;
}

function SignedOut() {
  return (
    <Empty title="Open this page from a terminal">
      <p>It needs a link that works once. This command prints and opens one:</p>
      <Command text="mcpd dashboard" />
    </Empty>
  );
}

function Waiting() {
  if (connection.value === 'connecting') return <p class="soft waiting">Connecting …</p>;
  return (
    <Empty title="mcpd does not answer">
      <p>The page goes on trying. Is the daemon running?</p>
      <Command text="mcpd up" />
    </Empty>
  );
}
