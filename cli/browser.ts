import { spawn } from 'node:child_process';

/**
 * The command that opens an address in the person's browser, as words and never as a shell line; null where there is no screen to open
 * it on.
 */
export function browserCommand(
  url: string,
  platform: NodeJS.Platform,
  env: NodeJS.ProcessEnv,
): [command: string, ...args: string[]] | null {
  if (platform === 'darwin') return ['open', url];
  // `start` belongs to the shell of Windows, and an ampersand in an address would end it there.
  if (platform === 'win32') return ['rundll32', 'url.dll,FileProtocolHandler', url];
  const hasScreen = (env['DISPLAY'] ?? '') !== '' || (env['WAYLAND_DISPLAY'] ?? '') !== '';
  return hasScreen ? ['xdg-open', url] : null;
}

/** False when the program could not be started; how it ends is its own affair. */
export function startBrowser([command, ...args]: [string, ...string[]]): Promise<boolean> {
  return new Promise((resolve) => {
    const child = spawn(command, args, { stdio: 'ignore', detached: true });
    child.once('spawn', () => resolve(true));
    child.once('error', () => resolve(false));
    child.unref();
  });
}
