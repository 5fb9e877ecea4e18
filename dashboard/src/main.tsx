import { render } from 'preact';
import './style/tokens.css';
import './style/base.css';
import './style/parts.css';
import './style/shell.css';
import './style/touch.css';
import { App } from './app.tsx';
import { goLive } from './live/store.ts';
import { followAddress } from './route.ts';
import { takeToken } from './session.ts';
import { followShortcuts } from './shortcuts.ts';
import { applyKeptTheme } from './theme.ts';

async function start(place: HTMLElement): Promise<void> {
  applyKeptTheme();
  const token = takeToken();
  followAddress();
  followShortcuts();
  render(<App />, place);
  // Without an answer there is no token, and the page says how to come to one.
  goLive(await token.catch(() => null));
}

const place = document.getElementById('app');
if (place !== null) void start(place);
