import { signal } from '@preact/signals';
import { useEffect, useState } from 'preact/hooks';
import type { LoginEvent } from '../../../src/api/contract/logins.ts';
import { linesOf, wasAborted } from '../api.ts';
import { durationText } from '../duration.ts';
import { now } from '../live/store.ts';
import { counted } from '../text.ts';
import { Button } from '../ui/button.tsx';
import { CodeBlock } from '../ui/code.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { ErrorNote } from '../ui/notes.tsx';
import { Pairs } from '../ui/pairs.tsx';
import { afterLoginEvent, brokenOff, type LoginProgress } from './progress.ts';
import './login.css';

/** A button that begins the login at a remote server. */
export function LogIn({ server }: { server: string }) {
  return (
    <Button label={`Log in at ${server}`} onPress={() => (loggingIn.value = server)}>
      Log in…
    </Button>
  );
}

/** The login that a person has begun; once, in the shell of the page: what asked for it is gone as soon as it has succeeded. */
export function LoginInProgress() {
  const server = loggingIn.value;
  if (server === null) return null;
  return <LoginDialog key={server} server={server} onClose={() => (loggingIn.value = null)} />;
}

// — internal —

const loggingIn = signal<string | null>(null);

/** Closing it calls off what has not ended. */
function LoginDialog({ server, onClose }: { server: string; onClose: () => void }) {
  const [attempt, setAttempt] = useState(1);
  const progress = useLogin(server, attempt);
  const isOpen = progress.state === 'asking' || progress.state === 'waiting';
  return (
    <Dialog
      title={`Log in at ${server}`}
      onClose={onClose}
      actions={
        <>
          {progress.state === 'failed' ? <Button onPress={() => setAttempt(attempt + 1)}>Try again</Button> : null}
          <Button onPress={onClose}>{isOpen ? 'Cancel' : 'Close'}</Button>
        </>
      }
    >
      <p role="status">{statusText(server, progress)}</p>
      {progress.state === 'waiting' ? <Where waiting={progress} /> : null}
      {progress.state === 'done' ? <Outcome done={progress} /> : null}
      {progress.state === 'failed' ? <ErrorNote thrown={progress.thrown} /> : null}
    </Dialog>
  );
}

/** One login, as the daemon carries it out; another `attempt` begins another one. */
function useLogin(server: string, attempt: number): LoginProgress {
  const [progress, setProgress] = useState<LoginProgress>({ state: 'asking' });
  useEffect(() => {
    const leaving = new AbortController();
    const follow = async () => {
      setProgress({ state: 'asking' });
      const asking = { method: 'POST', body: {}, signal: leaving.signal } as const;
      for await (const event of linesOf<LoginEvent>(`/api/servers/${server}/login`, asking)) {
        const next = afterLoginEvent(event, Date.now());
        setProgress(next);
        if (next.state === 'done' || next.state === 'failed') return;
      }
      setProgress(brokenOff(null));
    };
    follow().catch((thrown: unknown) => {
      if (!wasAborted(thrown) && !leaving.signal.aborted) setProgress(brokenOff(thrown));
    });
    return () => leaving.abort();
  }, [server, attempt]);
  return progress;
}

function statusText(server: string, progress: LoginProgress): string {
  switch (progress.state) {
    case 'asking':
      return `mcpd asks ${server} how to log in …`;
    case 'waiting':
      return 'mcpd waits until you have logged in there.';
    case 'done':
      return 'You are logged in.';
    case 'failed':
      return 'Nobody was logged in.';
  }
}

/** The address is read before it is opened: it was named by a stranger. */
function Where({ waiting: { place, until, joined } }: { waiting: Extract<LoginProgress, { state: 'waiting' }> }) {
  return (
    <div class="log-in">
      {joined ? (
        <p class="note">
          This login waits already, in a terminal or in another window. Whoever cancels leaves it to the others.
        </p>
      ) : null}
      <Pairs
        pairs={[
          ['You log in at', <strong>{place.host}</strong>],
          ['mcpd asks it for', place.scopes.length === 0 ? 'no scope by name' : place.scopes.join(' ')],
        ]}
      />
      <CodeBlock text={place.href} label="the whole address" />
      <p>
        <a class="button" data-kind="main" href={place.href} target="_blank" rel="noopener noreferrer">
          Open {place.host}
        </a>
      </p>
      <TimeLeft until={until} />
    </div>
  );
}

/** Of its own, as it changes with each second. */
function TimeLeft({ until }: { until: number }) {
  return <p class="note">It waits for {durationText(until - now.value)}.</p>;
}

function Outcome({ done: { login, server } }: { done: Extract<LoginProgress, { state: 'done' }> }) {
  const { tools } = server.counts;
  return (
    <>
      <p>
        {server.name} lets mcpd in by <strong class="text">{login.issuer}</strong>
        {login.scopes.length === 0 ? null : (
          <>
            {' '}
            for <span class="text">{login.scopes.join(' ')}</span>
          </>
        )}
        .
      </p>
      {server.listed ? <p>{counted(tools, 'tool')} for your hosts.</p> : null}
      {server.state === 'failed' || server.state === 'backoff' ? (
        <p class="note text" data-tone="bad">
          But it does not run: {server.reason ?? 'it did not say why'}
        </p>
      ) : null}
    </>
  );
}
