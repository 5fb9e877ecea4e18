/**
 * `mcpd stdio [--host ID]`: what a host starts. Built as one CommonJS file that loads almost nothing, because every host pays for it at
 * each start, and it outlives daemons. Standard output carries MCP and nothing else.
 */
import { join } from 'node:path';
import { encodeControl, PREAMBLE_VERSION } from '../src/protocol/preamble.ts';
import { VERSION } from '../src/version.ts';
import { homeOf, socketNameOf } from './stdio/home.ts';
import { hostNamed } from './stdio/host-option.ts';
import type { Session } from './stdio/session.ts';
import { Shim } from './stdio/shim.ts';

/** Loaded when it is needed, which for most shims is never. */
function sha256(...pieces: readonly (string | Uint8Array)[]): string {
  const hash = process.getBuiltinModule('node:crypto').createHash('sha256');
  for (const piece of pieces) hash.update(piece);
  return hash.digest('hex');
}

function workingFolder(): string | null {
  try {
    return process.cwd();
  } catch {
    // It was deleted under the host; nothing depends on it.
    return null;
  }
}

function run(host: string | null): void {
  const cwd = workingFolder();
  const home = homeOf(process.env, () => process.getBuiltinModule('node:os').homedir());
  const exit = () => process.exit(0);
  process.on('SIGTERM', exit);
  process.on('SIGINT', exit);
  const hello = (session: Session) =>
    encodeControl({
      word: 'hello',
      preamble: PREAMBLE_VERSION,
      version: VERSION,
      pid: process.pid,
      host,
      cwd,
      resume: session.resume((bytes) => sha256(...bytes)),
    });
  new Shim({
    get stdin() {
      return process.stdin;
    },
    get stdout() {
      return process.stdout;
    },
    home,
    socketName: socketNameOf(home, process.platform, sha256),
    program: join(__dirname, 'daemon.cjs'),
    hello,
    complain: (text) => process.stderr.write(`mcpd: ${text}\n`),
    exit,
  }).start();
}

const named = hostNamed(process.argv.slice(2));
if ('wrong' in named) {
  process.stderr.write(`mcpd: ${named.wrong}\n  try  mcpd stdio [--host ID]\n`);
  process.exitCode = 2;
} else {
  run(named.host);
}
