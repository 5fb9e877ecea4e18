import { keepLive } from './live.ts';
import { show, showConnection, showNotice } from './page.ts';
import { forgetToken, takeToken } from './session.ts';
import { afterEvent, NOTHING } from './view.ts';

/** Uptimes and waits are told to the second. */
const REFRESH_MS = 1000;

let view = NOTHING;

async function start(): Promise<void> {
  const token = await takeToken();
  if (token === null) needsCode();
  else keepLive(token, { event: onEvent, lost: onLost, refused: onRefused });
}

function onEvent(event: Parameters<typeof afterEvent>[1]): void {
  view = afterEvent(view, event);
  show(view, Date.now());
  if (view.status?.state === 'stopping') showConnection('stopping', 'busy');
  else showConnection('live', 'good');
}

function onLost(): void {
  showConnection('no connection, trying again', 'bad');
  if (view.status === null)
    showNotice('mcpd does not answer', 'The page goes on trying. Is the daemon running?', 'mcpd up');
}

function onRefused(): void {
  forgetToken();
  needsCode();
}

function needsCode(): void {
  showConnection('not signed in', 'idle');
  showNotice(
    'Open this page from a terminal',
    'It needs a link that works once. This command prints and opens one:',
    'mcpd dashboard',
  );
}

setInterval(() => show(view, Date.now()), REFRESH_MS);
// `mcpd dashboard` may open its link in a tab that shows this page already.
addEventListener('hashchange', () => location.reload());
start().catch(() => {
  showConnection('no connection', 'bad');
  showNotice('mcpd does not answer', 'Is the daemon running? Then reload this page.', 'mcpd up');
});
