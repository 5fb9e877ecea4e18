import { basename, dirname } from 'node:path';
import { DAEMON_START_TIMEOUT_MS, PM2_KILL_TIMEOUT_MS, PM2_RESTART_DELAY_FIRST_MS } from '../operation-limits.ts';
import { ENDED_EXIT_CODE, FATAL_EXIT_CODE } from '../start-report.ts';
import type { DaemonProgram } from './program.ts';

/** The text of pm2's configuration for one daemon. Paths and arguments are JSON, which is JavaScript, so nothing in them is code. */
export function ecosystemText(program: DaemonProgram, node: string): string {
  const app = {
    name: 'mcpd',
    // By its bare name: pm2 gives a script whose path has a space to a shell. The daemon itself changes into its home.
    script: basename(program.script),
    args: program.args,
    cwd: dirname(program.script),
    interpreter: node,
    exec_mode: 'fork',
    instances: 1,
    // `pm2 start` returns when the daemon says `ready`, or when this time is over.
    wait_ready: true,
    listen_timeout: DAEMON_START_TIMEOUT_MS,
    // The daemon ends its servers itself, each as its own group; it only needs the time.
    kill_timeout: PM2_KILL_TIMEOUT_MS,
    treekill: false,
    exp_backoff_restart_delay: PM2_RESTART_DELAY_FIRST_MS,
    // Ended on purpose, or unable to start: then starting it again is wrong.
    stop_exit_codes: [ENDED_EXIT_CODE, FATAL_EXIT_CODE],
    out_file: program.paths.startLog,
    error_file: program.paths.startLog,
    merge_logs: true,
    // With pmx the daemon would die together with pm2.
    pmx: false,
    vizion: false,
    automation: false,
  };
  return `module.exports = ${JSON.stringify({ apps: [app] }, null, 2)};\n`;
}
