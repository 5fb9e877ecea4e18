/**
 * Starts a process that outlives it, and serves like process.mjs.
 *   --detached   the other process has a session of its own
 *   --stubborn   it ignores SIGTERM and SIGHUP
 *   --hold       it inherits stdout and stderr, so that these pipes do not end with the server
 *   --bare       its environment is empty
 */
import { spawn } from 'node:child_process';
import { flags, record } from './base.mjs';

const { detached, stubborn, hold, bare } = flags();
const ignoring = "process.on('SIGTERM',()=>{});process.on('SIGHUP',()=>{});";
const code = `${stubborn ? ignoring : ''}setInterval(()=>{},1<<30)`;
const child = spawn(process.execPath, ['-e', code], {
  detached: detached === true,
  stdio: ['ignore', hold ? 'inherit' : 'ignore', hold ? 'inherit' : 'ignore'],
  ...(bare && { env: {} }),
});
child.unref();
record('child', { child: child.pid });
await import('./process.mjs');
