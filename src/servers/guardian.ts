import { type ChildProcess, spawn } from 'node:child_process';
import { Socket } from 'node:net';
import { GUARDIAN_RESTART_MS, GUARDIAN_TERM_GRACE_MS } from '../limits.ts';

/**
 * A tiny shell that outlives the daemon by a moment. It reads `+PGID`, `-PGID` and `.` (an end in order) from a pipe that only the daemon holds; the end of that
 * pipe means that the daemon is gone, however it went, and then the groups that are still registered are ended. It has a session of
 * its own, so nothing that is sent to the daemon's group or terminal reaches it.
 */
export class Guardian {
  readonly #lostMark: string;
  readonly #groups = new Set<number>();
  #shell: ChildProcess | null = null;
  #restart: NodeJS.Timeout | null = null;
  #fault: string | null = null;
  #closed = false;

  /** `lostMark`: a file that the shell writes when the daemon dies without a word, for the next one. */
  constructor(lostMark: string) {
    this.#lostMark = lostMark;
  }

  /** Watches a group from now on. The first one starts the shell. */
  add(pgid: number): void {
    if (process.platform === 'win32' || this.#closed) return;
    this.#groups.add(pgid);
    if (this.#shell === null) this.#start();
    else this.#tell(`+${pgid}\n`);
  }

  /** For a group that is empty: its number may soon belong to somebody else. */
  remove(pgid: number): void {
    if (this.#groups.delete(pgid)) this.#tell(`-${pgid}\n`);
  }

  pid(): number | null {
    return this.#shell?.pid ?? null;
  }

  finding(): string | null {
    return this.#fault;
  }

  /** Ends the pipe. The shell ends what is still registered and then itself; resolves when it has. */
  async close(): Promise<void> {
    this.#closed = true;
    if (this.#restart !== null) clearTimeout(this.#restart);
    this.#restart = null;
    const shell = this.#shell;
    if (shell === null) return;
    const exited = new Promise<void>((resolve) => shell.once('close', () => resolve()));
    shell.ref();
    shell.stdin?.end('.\n');
    await exited;
  }

  #start(): void {
    const shell = startedShell(this.#lostMark);
    if (shell instanceof Error) {
      this.#failed(shell);
      return;
    }
    this.#shell = shell;
    shell.unref();
    shell.once('error', (error) => {
      this.#failed(error);
      this.#lost(shell);
    });
    shell.once('exit', () => this.#lost(shell));
    if (shell.pid === undefined) return;
    this.#fault = null;
    shell.stdin?.on('error', () => undefined); // EPIPE: the exit event tells it
    // For Node it is a socket; unless let go, this pipe alone would keep the daemon alive.
    if (shell.stdin instanceof Socket) shell.stdin.unref();
    this.#tell(Array.from(this.#groups, (pgid) => `+${pgid}\n`).join(''));
  }

  #failed(error: Error): void {
    this.#fault = `no guardian: ${error.message}; servers would outlive a killed daemon until its next start`;
    this.#startLater();
  }

  #startLater(): void {
    if (this.#closed || this.#restart !== null) return;
    this.#restart = setTimeout(() => {
      this.#restart = null;
      if (this.#groups.size > 0 && !this.#closed && this.#shell === null) this.#start();
    }, GUARDIAN_RESTART_MS);
    this.#restart.unref();
  }

  #lost(shell: ChildProcess): void {
    if (this.#shell !== shell) return;
    this.#shell = null;
    this.#startLater();
  }

  #tell(lines: string): void {
    if (lines !== '') this.#shell?.stdin?.write(lines);
  }
}

// — internal —

function startedShell(lostMark: string): ChildProcess | Error {
  try {
    return spawn('/bin/sh', ['-c', SCRIPT, 'mcpd-guardian', lostMark], {
      detached: true,
      stdio: ['pipe', 'ignore', 'ignore'],
      cwd: '/',
      env: { PATH: '/usr/bin:/bin' },
    });
  } catch (error) {
    return error instanceof Error ? error : new RangeError(String(error)); // some shortages are thrown, others are events
  }
}

/**
 * POSIX sh. `kill -s TERM -- -PGID` is the spelling that dash takes. A group of zombies still answers signal 0: then the wait is
 * longer than needed, and KILL does nothing.
 */
const SCRIPT = `
trap '' HUP INT TERM QUIT PIPE
groups=' '
lost=yes
while IFS= read -r line; do
  id=\${line#?}
  case $line in
    +*) groups="$groups$id " ;;
    .) lost=no ;;
    -*) case $groups in *" $id "*) groups="\${groups%%" $id "*} \${groups#*" $id "}" ;; esac ;;
  esac
done
left() { for id in $groups; do kill -s 0 -- "-$id" && return 0; done; return 1; }
all() { for id in $groups; do kill -s "$1" -- "-$id"; done; }
exec 2>/dev/null
[ "$lost" = no ] || true >"$1"
all TERM
all CONT
seconds=0
while [ "$seconds" -lt ${GUARDIAN_TERM_GRACE_MS / 1000} ] && left; do
  sleep 1
  seconds=$((seconds + 1))
done
all KILL
`;
