import type { InstallEvent, InstallStep } from '../api/contract.ts';
import { asMcpdError, errnoOf, McpdError } from '../errors.ts';

/** The course of one install: which step it is at, what people are told, and how to undo what was done so far. */
export class Steps {
  readonly signal: AbortSignal;
  /** The last lines of a server that failed its trial. */
  stderrTail: string[] = [];
  readonly #report: (event: InstallEvent) => void;
  #undo: { what: string; act: () => Promise<unknown> }[] = [];
  #step: InstallStep = 'resolve';

  constructor(report: (event: InstallEvent) => void, signal: AbortSignal) {
    this.#report = report;
    this.signal = signal;
  }

  /** @throws McpdError INSTALL_CANCELLED */
  begin(step: InstallStep, detail: string): void {
    if (this.signal.aborted) throw cancelled(this.signal);
    this.#step = step;
    this.detail(detail);
  }

  detail(detail: string): void {
    this.#report({ type: 'step', step: this.#step, detail });
  }

  warn(...texts: readonly string[]): void {
    for (const text of texts) this.#report({ type: 'warning', text });
  }

  /** `act` runs when a later step fails; the last one added first. */
  onUndo(what: string, act: () => Promise<unknown>): void {
    this.#undo.push({ what, act });
  }

  /** It is in the registry now: nothing of it may be undone any more. */
  settle(): void {
    this.#undo = [];
  }

  /** Runs `work`; when it fails, what was done is undone before anybody hears of it. What cannot be undone is a warning. */
  async undoing(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (thrown) {
      for (const { what, act } of this.#undo.splice(0).reverse()) {
        try {
          await act();
        } catch (reason) {
          this.warn(`${what} could not be undone: ${reason instanceof Error ? reason.message : String(reason)}`);
        }
      }
      throw thrown;
    }
  }

  /** Tells why it failed, as the last event. */
  fail(thrown: unknown): McpdError {
    const error = this.signal.aborted ? cancelled(this.signal) : faultOf(thrown, this.#step);
    this.#report({ type: 'failed', step: this.#step, error: error.report(), stderrTail: this.stderrTail });
    return error;
  }
}

// — internal —

/** An end of the daemon comes with its own words. */
function cancelled({ reason }: AbortSignal): McpdError {
  if (reason instanceof McpdError) return reason;
  return new McpdError('INSTALL_CANCELLED', { what: 'the install was cancelled', why: 'nothing of it was kept' });
}

function faultOf(thrown: unknown, step: InstallStep): McpdError {
  const errno = thrown instanceof McpdError ? undefined : errnoOf(thrown);
  const reason = thrown instanceof Error ? thrown.message : String(thrown);
  if (errno === 'ENOSPC' || errno === 'EDQUOT') {
    return new McpdError('DISK_FULL', { what: 'the disk is full', why: reason, fix: 'free some space and try again' });
  }
  if (errno === 'EMFILE' || errno === 'ENFILE') {
    return new McpdError('OUT_OF_FILES', {
      what: 'no more files can be opened',
      why: reason,
      fix: 'raise the limit: ulimit -n',
    });
  }
  return asMcpdError(thrown, 'INTERNAL', `the install failed at the step "${step}"`);
}
