import { fileURLToPath } from 'node:url';
import { INTERRUPT_GRACE_MS } from '../src/operation-limits.ts';
import { homePath, pathsOf } from '../src/paths.ts';
import { COMMANDS } from './command-table.ts';
import type { Context } from './context.ts';
import { connectionTo } from './daemon.ts';
import { INTERRUPTED_EXIT } from './interrupt.ts';
import { outputTo } from './output.ts';
import { keyboardOf } from './prompt/ask.ts';
import { run } from './run.ts';

/** Runs the command line of this very process. `dist` is the folder of the built files. */
export async function runProcess(dist: URL): Promise<void> {
  endQuietlyWhenNobodyReads(process.stdout);
  endQuietlyWhenNobodyReads(process.stderr);
  const interrupts = catchInterrupts();
  const paths = pathsOf(homePath());
  const output = outputTo(process.stdout, process.stderr, process.env);
  const folder = fileURLToPath(dist);
  const context: Context = {
    env: process.env,
    cwd: process.cwd(),
    paths,
    dist: folder,
    output,
    screen: process.stderr,
    keyboard: keyboardOf(process.stdin, process.stderr),
    signal: interrupts.signal,
    releaseSignals: interrupts.release,
    ...connectionTo(paths, folder, process.env, output),
    commands: COMMANDS,
  };
  // Not process.exit: what is still in a pipe must get out.
  process.exitCode = await run(process.argv.slice(2), context);
}

// — internal —

/** `mcpd list | head -1`: the reader has gone, and that is no fault. */
function endQuietlyWhenNobodyReads(stream: NodeJS.WriteStream): void {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'EPIPE') process.exit(0);
    throw error;
  });
}

/** The first Ctrl-C lets the command end cleanly, within a bound; the second ends it at once. */
function catchInterrupts(): { signal: AbortSignal; release: () => void } {
  const controller = new AbortController();
  const leave = () => process.exit(INTERRUPTED_EXIT);
  const onInterrupt = () => {
    if (controller.signal.aborted) leave();
    controller.abort();
    setTimeout(leave, INTERRUPT_GRACE_MS).unref();
  };
  process.on('SIGINT', onInterrupt);
  return { signal: controller.signal, release: () => void process.off('SIGINT', onInterrupt) };
}
