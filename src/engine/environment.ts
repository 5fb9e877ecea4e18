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
  'HTTP_PROXY',
  'HTTPS_PROXY',
  'NO_PROXY',
  'http_proxy',
  'https_proxy',
  'no_proxy',
  'NODE_EXTRA_CA_CERTS',
  'SSL_CERT_FILE',
  'REQUESTS_CA_BUNDLE',
];
const PREFIXES = ['LC_', 'XDG_', 'MCPD_'];

const WINDOWS_NAMES = [
  'SystemRoot',
  'SystemDrive',
  'windir',
  'ComSpec',
  'PATHEXT',
  'TEMP',
  'TMP',
  'USERNAME',
  'USERDOMAIN',
  'USERPROFILE',
  'HOMEDRIVE',
  'HOMEPATH',
  'APPDATA',
  'LOCALAPPDATA',
  'ProgramData',
  'ProgramFiles',
  'ProgramFiles(x86)',
  'ProgramW6432',
  'CommonProgramFiles',
  'CommonProgramFiles(x86)',
  'PUBLIC',
  'NUMBER_OF_PROCESSORS',
  'PROCESSOR_ARCHITECTURE',
  'OS',
];

/** The named variables of `env`, and `set` on top. On Windows names have no case. */
export function daemonEnvironment(
  env: NodeJS.ProcessEnv,
  platform: NodeJS.Platform,
  set: Readonly<Record<string, string>>,
): Record<string, string> {
  const windows = platform === 'win32';
  const fold = (name: string) => (windows ? name.toUpperCase() : name);
  const names = new Set([...NAMES, ...(windows ? WINDOWS_NAMES : [])].map(fold));
  const chosen: Record<string, string> = {};
  for (const [name, value] of Object.entries(env)) {
    if (value === undefined) continue;
    if (names.has(fold(name)) || PREFIXES.some((prefix) => fold(name).startsWith(prefix))) chosen[name] = value;
  }
  return { ...chosen, ...set };
}
