import { createHash } from 'node:crypto';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';

/** Every path and socket of one home. Nothing else in mcpd builds a path inside it. */
export interface Paths {
  home: string;
  /** Held under `BEGIN EXCLUSIVE` by the one daemon. Nobody else may ever open it: closing a second handle frees the lock. */
  daemonLock: string;
  /** Held around every pm2 call and every replacement of a daemon. */
  startLock: string;
  registry: string;
  history: string;
  /** Encrypted. */
  secrets: string;
  /** What it is encrypted with, where no keyring has that. */
  secretKey: string;
  /** Where earlier versions kept them as they are; read once, and removed. */
  plainSecrets: string;
  /** What was agreed to of each server: versions, command lines, digests of lists. Nothing secret. */
  lock: string;
  token: string;
  /** The token that reads `/metrics` and nothing else; made when a person asks for it. */
  scrapeToken: string;
  /** A hint only: pid, version and port of the running daemon. */
  daemonInfo: string;
  /** Written when a person ended the daemon; its time says when. */
  endMark: string;
  /** Written by the guardian of its servers when a daemon died without a word; its time says when. */
  lostMark: string;
  /** stdout and stderr of the daemon's process, whoever started it: what went wrong before its own log was open, and crashes. */
  startLog: string;
  logs: string;
  /** Installed packages: `packages/<server>/<version>/`. */
  packages: string;
  /** Answers of MCP registries, which may be removed at any time. */
  registryAnswers: string;
  /** Ids of the containers that run. */
  containers: string;
  /** Working folders and data of servers: `data/<server>/`. */
  data: string;
  pm2Home: string;
  /** Socket names are relative: Node cuts a path silently at 108 bytes, so both ends `chdir` to the home and use the bare name. */
  hostSocket: string;
  apiSocket: string;
  logOf(server: string): string;
  dataOf(server: string): string;
  packageOf(server: string): string;
}

/** `MCPD_HOME`, else `~/.mcpd`; always absolute. */
export function homePath(env: NodeJS.ProcessEnv = process.env): string {
  const given = env['MCPD_HOME'];
  return given === undefined || given === '' ? join(homedir(), '.mcpd') : resolve(given);
}

/** What leads a browser to the dashboard; `id` has 12 letters. */
export function openerOf(home: string, id: string): string {
  return join(home, `open-${id}.html`);
}

/** The names of those files. */
export const OPENER_NAME = /^open-[\w-]{12}\.html$/;

export function pathsOf(home: string): Paths {
  const inHome = (...parts: string[]) => join(home, ...parts);
  return {
    home,
    daemonLock: inHome('lock.db'),
    startLock: inHome('start-lock.db'),
    registry: inHome('registry.db'),
    history: inHome('history.db'),
    secrets: inHome('secrets.enc'),
    secretKey: inHome('secrets.key'),
    plainSecrets: inHome('secrets.json'),
    lock: inHome('mcpd.lock'),
    token: inHome('token'),
    scrapeToken: inHome('metrics-token'),
    daemonInfo: inHome('daemon.json'),
    endMark: inHome('ended'),
    lostMark: inHome('lost'),
    startLog: inHome('start.log'),
    logs: inHome('logs'),
    packages: inHome('packages'),
    registryAnswers: inHome('registry-answers'),
    containers: inHome('containers'),
    data: inHome('data'),
    pm2Home: inHome('pm2'),
    hostSocket: process.platform === 'win32' ? pipeName(home, 'hosts') : 'mcpd.sock',
    apiSocket: process.platform === 'win32' ? pipeName(home, 'api') : 'api.sock',
    logOf: (server) => inHome('logs', `${server}.log`),
    dataOf: (server) => inHome('data', server),
    packageOf: (server) => inHome('packages', server),
  };
}

const DEFAULT_PORT = 7077;
const OTHER_PORTS = { first: 10_240, count: 20_000 };

/**
 * The HTTP port of a home: 7077 for the default home, and for any other a fixed one derived from its path, below the range from
 * which systems hand out ephemeral ports. So two homes (two users, a test) do not compete, and a bookmark stays true.
 */
export function portOf(home: string, env: NodeJS.ProcessEnv = process.env): number {
  const given = env['MCPD_PORT'];
  if (given !== undefined && isPort(given)) return Number(given);
  if (home === join(homedir(), '.mcpd')) return DEFAULT_PORT;
  return OTHER_PORTS.first + (createHash('sha256').update(home).digest().readUInt32BE(0) % OTHER_PORTS.count);
}

/** Why MCPD_PORT is passed over, or null. */
export function portFinding(env: NodeJS.ProcessEnv = process.env): string | null {
  const given = env['MCPD_PORT'];
  if (given === undefined || given === '' || isPort(given)) return null;
  return `MCPD_PORT is passed over: "${given}" is no port (1 to 65535)`;
}

// — internal —

function isPort(text: string): boolean {
  return /^\d{1,5}$/.test(text) && Number(text) <= 65_535;
}

function pipeName(home: string, end: string): string {
  return `\\\\.\\pipe\\mcpd-${createHash('sha256').update(home.toLowerCase()).digest('hex').slice(0, 16)}-${end}`;
}
