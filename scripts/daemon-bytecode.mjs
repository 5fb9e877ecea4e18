// node scripts/daemon-bytecode.mjs DIST TARGET OPTION…: lets the daemon of DIST start in an empty home, with these options of V8, serve one
// host and end, and writes the bytecode of all that ran. What a start does not need is not in it.
import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { Script } from 'node:vm';

/** The build gives up the whole after some seconds. */
const LISTENS_AGAIN_MS = 20;

const [dist, target] = process.argv.slice(2, 4).map((path) => resolve(path));
for (const option of process.argv.slice(4)) setFlagsFromString(option);
const program = join(dist, 'daemon-main.cjs');
const home = mkdtempSync(join(tmpdir(), 'mcpd-bytecode-'));
process.env.MCPD_HOME = home;
process.env.MCPD_PORT = '0';
process.argv.splice(2, Number.POSITIVE_INFINITY, '--engine', 'direct');

// Letter by letter as in src/bytecode.ts: bytecode belongs to one text.
const source = `(function(require,__dirname){${readFileSync(program, 'utf8')}\n})`;
const script = new Script(source, { filename: program });
process.on('exit', () => {
  // The daemon keeps its files to itself; this one is for whoever installed mcpd.
  process.umask(0o022);
  writeFileSync(target, script.createCachedData());
  // A thread may still write its last file on a busy machine.
  rmSync(home, { recursive: true, force: true, maxRetries: 5 });
});
script.runInThisContext()(createRequire(program), dist);

// A host that finds no daemon would start another one, which nobody ends.
while (!existsSync(join(home, 'mcpd.sock'))) await delay(LISTENS_AGAIN_MS);
const host = spawn(process.execPath, [join(dist, 'stdio.cjs')], { stdio: ['inherit', 'ignore', 'inherit'] });
host.on('exit', () => process.kill(process.pid, 'SIGTERM'));
