import { writeSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { McpdError } from '../src/errors.ts';
import { INTERRUPT_GRACE_MS } from '../src/operation-limits.ts';
import { homePath, pathsOf } from '../src/paths.ts';
import { COMMANDS } from './command-table.ts';
import type { Context } from './context.ts';
import { connectionTo } from './daemon.ts';
import { INTERRUPTED_EXIT } from './interrupt.ts';
import { errorLines, outputTo } from './output.ts';
import { keyboardOf } from './prompt/ask.ts';
import { run } from './run.ts';

/** Runs the command line of this very process. `dist` is the folder of the built files. */
export async function runProcess(dist: URL): Promise<void> {
  endWhenItCannotBeWritten(process.stdout, 'results');
  endWhenItCannotBeWritten(process.stderr, 'talk');
  const interrupts = catchInterrupts();
  const paths = pathsOf(homePath());
  const output = outputTo(process.stdout, process.stderr, process.env);
  const folder = fileURLToPath(dist);
  const context: Context = {
    env: process.env,
    get cwd() {
      return currentFolder();
    },
    paths,
    dist: folder,
    output,
    screen: process.stderr,
    input: process.stdin,
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

/** `mcpd list | head -1`: the reader has gone, and that is no fault. A full disk is one, and there is nowhere else to go on. */
function endWhenItCannotBeWritten(stream: NodeJS.WriteStream, carries: 'results' | 'talk'): void {
  stream.on('error', (thrown: NodeJS.ErrnoException) => {
    if (thrown.code === 'EPIPE') process.exit(0);
    const isFull = thrown.code === 'ENOSPC' || thrown.code === 'EDQUOT';
    const error = new McpdError(isFull ? 'DISK_FULL' : 'INTERNAL', {
      what: 'the output could not be written',
      why: thrown.message,
    });
    const { sayPaint } = outputTo(process.stdout, process.stderr, process.env);
    if (carries === 'results') writeSync(process.stderr.fd, `${errorLines(error, sayPaint).join('\n')}\n`);
    process.exit(error.exitCode);
  });
}

/** @throws McpdError FOLDER_UNKNOWN: it was removed while a shell stood in it */
function currentFolder(): string {
  try {
    return process.cwd();
  } catch (thrown) {
    throw new McpdError(
      'FOLDER_UNKNOWN',
      { what: 'the current folder is gone', why: 'it was removed, and this shell is still in it', fix: 'cd ~' },
      { cause: thrown },
    );
  }
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
