import { createHash } from 'node:crypto';
import { posix, win32 } from 'node:path';
import { PROXIES_AND_CAS } from '../src/inherited-names.ts';

/**
 * What starts the daemon when its user logs in: a file in the user's own folders, and the commands that make the system read it. No
 * rights of an administrator are needed, and nothing outside the user's folders is touched.
 */
export interface BootEntry {
  path: string;
  content: string;
  /** Programs to run after the file is written, and before it is removed. */
  afterWriting: string[][];
  beforeRemoving: string[][];
  /** What a person may want to know besides, a sentence each. */
  hints: string[];
}

export interface BootFacts {
  platform: NodeJS.Platform;
  /** The user's home folder, name and id. */
  userHome: string;
  user: string;
  uid: number;
  env: NodeJS.ProcessEnv;
  /** The node and the `dist/mcpd.js` to run. */
  node: string;
  script: string;
  /** mcpd's home; `isDefault` when it is `~/.mcpd`. */
  home: string;
  isDefault: boolean;
}

export function bootEntry(facts: BootFacts): BootEntry {
  const kept = settingsOf(facts);
  const entry = entryFor(facts, kept.settings);
  return { ...entry, hints: [...entry.hints, ...kept.hints] };
}

// — internal —

type Settings = [name: string, value: string][];

const SECRET_KEY = 'MCPD_SECRET_KEY';
/** What the daemon reads of its environment besides its home. */
const SETTINGS = [
  'MCPD_PORT',
  'MCPD_SECRET_STORE',
  SECRET_KEY,
  'MCPD_CLIENT_METADATA_URL',
  'MCPD_REGISTRIES',
  ...PROXIES_AND_CAS,
];

/**
 * A login knows nothing of the terminal in which the entry is made, so what is set there for the daemon goes into it. A password does not:
 * the file is read by others.
 */
function settingsOf({ home, env, platform }: BootFacts): { settings: Settings; hints: string[] } {
  const given = SETTINGS.flatMap((name): Settings => {
    const value = env[name];
    return value === undefined || value === '' ? [] : [[name, value]];
  });
  // On Windows a lower-case name is the same variable.
  const names = new Set<string>();
  const distinct = given.filter(([name]) => {
    const key = platform === 'win32' ? name.toUpperCase() : name;
    return !names.has(key) && names.add(key);
  });
  const secret = distinct.filter(([name, value]) => mayHavePassword(name, value)).map(([name]) => name);
  const settings = distinct.filter(([name]) => !secret.includes(name));
  const hints = secret.map(
    (name) => `${name} is not in this file, as it holds a secret: ${PLACES[platform] ?? SYSTEMD_PLACE}`,
  );
  return { settings: [['MCPD_HOME', home], ...settings], hints };
}

const SYSTEMD_PLACE = 'set it in a file of yours in ~/.config/environment.d (environment.d(5))';
/** Where the system itself keeps variables for what it starts at a login. */
const PLACES: Partial<Record<NodeJS.Platform, string>> = {
  darwin: 'set it with launchctl setenv before the daemon starts',
  win32: 'set it among your environment variables (setx)',
};

/** The password of a proxy may be written with letters that end an address elsewhere, so there any @ will do. */
function mayHavePassword(name: string, value: string): boolean {
  if (name === SECRET_KEY) return true;
  return /_proxy$/i.test(name) ? value.includes('@') : /^(?:[a-z][a-z0-9+.-]*:\/\/)?[^/?#]*@/i.test(value);
}

function entryFor(facts: BootFacts, settings: Settings): BootEntry {
  if (facts.platform === 'darwin') return launchAgent(facts, settings);
  return facts.platform === 'win32' ? startupFile(facts, settings) : systemdUnit(facts, settings);
}

/** One entry per home. */
function nameOf({ home, isDefault }: BootFacts): string {
  return isDefault ? 'mcpd' : `mcpd-${createHash('sha256').update(home).digest('hex').slice(0, 8)}`;
}

function systemdUnit(facts: BootFacts, settings: Settings): BootEntry {
  const name = `${nameOf(facts)}.service`;
  const given = facts.env['XDG_CONFIG_HOME'] ?? '';
  // The XDG specification: what is not absolute is to be passed over.
  const folder = posix.isAbsolute(given) ? given : posix.join(facts.userHome, '.config');
  const run = (command: string) => [facts.node, facts.script, command].map(systemdWord).join(' ');
  return {
    path: posix.join(folder, 'systemd', 'user', name),
    // `mcpd up` returns once the daemon runs, and pm2 looks after it from then on: so a oneshot that counts as active until it is stopped.
    content: [
      '[Unit]',
      'Description=mcpd, the daemon of all MCP servers of this user',
      '',
      '[Service]',
      'Type=oneshot',
      'RemainAfterExit=yes',
      ...settings.map(([key, value]) => `Environment=${systemdValue(`${key}=${value}`)}`),
      `ExecStart=${run('up')}`,
      `ExecStop=${run('down')}`,
      '',
      '[Install]',
      'WantedBy=default.target',
      '',
    ].join('\n'),
    afterWriting: [
      ['systemctl', '--user', 'daemon-reload'],
      ['systemctl', '--user', 'enable', name],
    ],
    beforeRemoving: [['systemctl', '--user', 'disable', name]],
    hints: [`it starts when ${facts.user} logs in; to have it without a login: loginctl enable-linger ${facts.user}`],
  };
}

/** systemd reads quotes and backslashes as C does, and expands %. */
function systemdValue(text: string): string {
  return `"${text.replace(/[\\"]/g, '\\$&').replaceAll('%', '%%').replaceAll('\n', '\\n')}"`;
}

/** In a command line it expands $ too; in `Environment=` that is a letter like any other (systemd.exec(5)). */
function systemdWord(word: string): string {
  return systemdValue(word).replaceAll('$', '$$$$');
}

function launchAgent(facts: BootFacts, settings: Settings): BootEntry {
  const label = `mcpd.${nameOf(facts)}`;
  const path = posix.join(facts.userHome, 'Library', 'LaunchAgents', `${label}.plist`);
  const variables = settings.map(([key, value]) => `    <key>${key}</key>\n    <string>${xmlText(value)}</string>`);
  const strings = [facts.node, facts.script, 'up'].map((word) => `    <string>${xmlText(word)}</string>`);
  return {
    path,
    content: [
      '<?xml version="1.0" encoding="UTF-8"?>',
      '<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">',
      '<plist version="1.0">',
      '<dict>',
      `  <key>Label</key>\n  <string>${xmlText(label)}</string>`,
      `  <key>ProgramArguments</key>\n  <array>\n${strings.join('\n')}\n  </array>`,
      `  <key>EnvironmentVariables</key>\n  <dict>\n${variables.join('\n')}\n  </dict>`,
      '  <key>RunAtLoad</key>\n  <true/>',
      // Else launchd ends the daemon together with `mcpd up`.
      '  <key>AbandonProcessGroup</key>\n  <true/>',
      '</dict>',
      '</plist>',
      '',
    ].join('\n'),
    afterWriting: [['launchctl', 'bootstrap', `gui/${facts.uid}`, path]],
    beforeRemoving: [['launchctl', 'bootout', `gui/${facts.uid}/${label}`]],
    hints: [],
  };
}

function xmlText(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function startupFile(facts: BootFacts, settings: Settings): BootEntry {
  const roaming = facts.env['APPDATA'] ?? win32.join(facts.userHome, 'AppData', 'Roaming');
  const word = (text: string) => `"${text.replaceAll('%', '%%')}"`;
  return {
    path: win32.join(roaming, 'Microsoft', 'Windows', 'Start Menu', 'Programs', 'Startup', `${nameOf(facts)}.cmd`),
    content: [
      '@echo off',
      ...settings.map(([key, value]) => `set ${word(`${key}=${value}`)}`),
      `start "" /min ${word(facts.node)} ${word(facts.script)} up`,
      '',
    ].join('\r\n'),
    afterWriting: [],
    beforeRemoving: [],
    hints: [],
  };
}
