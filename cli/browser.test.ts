import { expect, test } from 'vitest';
import { browserCommand } from './browser.ts';

const url = 'http://127.0.0.1:7077/#code=a&b';

test('each platform opens the address as one word of a command', () => {
  expect(browserCommand(url, 'darwin', {})).toEqual(['open', url]);
  expect(browserCommand(url, 'win32', {})).toEqual(['rundll32', 'url.dll,FileProtocolHandler', url]);
  expect(browserCommand(url, 'linux', { WAYLAND_DISPLAY: 'wayland-0' })).toEqual(['xdg-open', url]);
});

test('without a screen nothing is opened', () => {
  expect(browserCommand(url, 'linux', { DISPLAY: '' })).toBeNull();
});
