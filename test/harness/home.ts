import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { alive, gone, killPid, procExists, processesOf, startOf } from './processes.ts';

export interface TemporaryHome {
  /** The folder that holds everything else; `cleanup` removes it. */
  root: string;
  /** MCPD_HOME */
  mcpdHome: string;
  /** HOME of whatever is started. */
  userHome: string;
  /** An HTTP port that was free a moment ago. */
  port: number;
  /** The environment for the CLI, the shim and the daemon: nothing of the developer's own settings reaches them. */
  env: NodeJS.ProcessEnv;
  /** A folder inside, made at once. */
  folder(name: string): string;
  /** Remembers a process that `cleanup` has to end. */
  track(pid: number | undefined): void;
  /** Everything alive that was started for this home. */
  processes(): number[];
  /** Ends, by pid, what is left of this home, and removes its files. Resolves with the pids it had to end. */
  cleanup(): Promise<number[]>;
}

/** A fresh home of its own, mode 0700, with its own HOME, PM2_HOME, TMPDIR and HTTP port. */
export async function temporaryHome(extraEnv: NodeJS.ProcessEnv = {}): Promise<TemporaryHome> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), 'mcpd-test-')));
  const folder = (name: string) => {
    const path = join(root, name);
    mkdirSync(path, { recursive: true, mode: 0o700 });
    return path;
  };
  const mcpdHome = folder('mcpd');
  const userHome = folder('home');
  const port = await freePort();
  const tracked = new Map<number, string | undefined>();
  const env: NodeJS.ProcessEnv = {
    PATH: process.env['PATH'],
    LANG: 'C.UTF-8',
    // A plain shell: the developer's own start files must not decide what servers see.
    SHELL: '/bin/sh',
    HOME: userHome,
    TMPDIR: folder('tmp'),
    MCPD_HOME: mcpdHome,
    MCPD_PORT: String(port),
    PM2_HOME: folder('pm2'),
    // A keyring of this machine would get keys that nobody removes.
    MCPD_SECRET_STORE: 'file',
    // No test depends on what somebody published today.
    MCPD_REGISTRIES: 'none',
    ...extraEnv,
  };
  const processes = () => {
    const ours = [...tracked].filter(([pid, start]) => startOf(pid) === start).map(([pid]) => pid);
    return [...new Set([...ours, ...namedIn(root, mcpdHome), ...processesOf(root)])].filter(alive);
  };
  return {
    root,
    mcpdHome,
    userHome,
    port,
    env,
    folder,
    processes,
    track: (pid) => {
      if (pid !== undefined) tracked.set(pid, startOf(pid));
    },
    cleanup: async () => {
      const ended = await endAll(processes);
      rmSync(root, { recursive: true, force: true, maxRetries: 5 });
      return ended;
    },
  };
}

export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() => {
        if (typeof address === 'object' && address !== null) resolve(address.port);
        else reject(new RangeError('a TCP server has a port'));
      });
    });
  });
}

// — internal —

/** A supervisor may start its child again while we kill: look again until nothing is left. */
const ROUNDS_MAX = 10;

async function endAll(processes: () => number[]): Promise<number[]> {
  const ended = new Set<number>();
  for (let round = 0; round < ROUNDS_MAX; round++) {
    const left = processes();
    if (left.length === 0) break;
    for (const pid of left) {
      ended.add(pid);
      killPid(pid);
    }
    await Promise.all(left.map((pid) => gone(pid)));
  }
  return [...ended];
}

/**
 * The pids that the daemon and pm2 wrote down: only for systems on which processes cannot be found by what they belong to, because the
 * pid in an old file may be a stranger's by now.
 */
function namedIn(root: string, mcpdHome: string): number[] {
  if (procExists()) return [];
  return [join(root, 'pm2', 'pm2.pid'), join(mcpdHome, 'pm2', 'pm2.pid'), join(mcpdHome, 'daemon.json')].flatMap(pidIn);
}

function pidIn(file: string): number[] {
  try {
    const content: unknown = JSON.parse(readFileSync(file, 'utf8'));
    const pid = typeof content === 'number' ? content : (content as { pid?: unknown }).pid;
    return typeof pid === 'number' && Number.isInteger(pid) && pid > 1 ? [pid] : [];
  } catch {
    return []; // Not there: the daemon or pm2 was never started.
  }
}
