import { PROXIES_AND_CAS, WINDOWS_BASICS } from '../inherited-names.ts';

/**
 * What the daemon gets of the environment of whoever starts it. pm2 hands its caller's whole environment on and keeps it, so a secret that
 * happened to be exported in one terminal would reach the daemon for good. Named instead: what node, npm, proxies, certificates and
 * graphical programs need, and mcpd's own settings. (What servers get of it is a list of its own, in src/servers.)
 */
const NAMES = [
  'HOME',
  'PATH',
  'USER',
  'LOGNAME',
  'SHELL',
  'LANG',
  'TERM',
  'TMPDIR',
  'SSH_AUTH_SOCK',
  'DISPLAY',
  'WAYLAND_DISPLAY',
  'DBUS_SESSION_BUS_ADDRESS',
  ...PROXIES_AND_CAS,
];
const PREFIXES = ['LC_', 'XDG_', 'MCPD_'];

/** The named variables of `env`, and `set` on top. On Windows names have no case. */
export function daemonEnvironment(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
  set: Readonly<Record<string, string>>,
): Record<string, string> {
  const windows = platform === 'win32';
  const fold = (name: string) => (windows ? name.toUpperCase() : name);
  const names = new Set([...NAMES, ...(windows ? WINDOWS_BASICS : [])].map(fold));
  const chosen: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue;
    if (names.has(fold(name)) || PREFIXES.some((prefix) => fold(name).startsWith(prefix))) chosen[name] = value;
  }
  return { ...chosen, ...set };
}
