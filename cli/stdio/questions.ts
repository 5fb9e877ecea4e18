import { SHIM_QUESTIONS_MAX } from '../../src/limits.ts';
import { idKey } from '../../src/protocol/bytes.ts';
import type { Bytes, RawId } from '../../src/protocol/frame.ts';
import { cancelledNotice, unaskedAnswer } from './answers.ts';
import { answerLine, type HostLine } from './host-line.ts';

/** What servers ask of the host, by way of one daemon. An answer counts once, and only for the daemon that asked. */
export class Questions {
  /** The daemon's raw id by its value: an id that went through a parser may be spelled otherwise. */
  readonly #open = new Map<string, RawId>();
  #hostEnded = false;

  /** Some question waits for the host. */
  get open(): boolean {
    return this.#open.size > 0;
  }

  /** The daemon asks. Null: the host is asked; else what the daemon is told at once. */
  asked(id: RawId): HostLine | null {
    if (this.#hostEnded) return hostEndedAnswer(id);
    if (this.#open.size >= SHIM_QUESTIONS_MAX) {
      const why = `this host has ${SHIM_QUESTIONS_MAX} questions open already`;
      return answerLine(unaskedAnswer(id, why, 'questions-full'));
    }
    this.#open.set(idKey(id), id);
    return null;
  }

  /** The host answers. False: nobody waits for it, since its daemon has gone or took the question back. */
  answered(id: RawId): boolean {
    return this.#open.delete(idKey(id));
  }

  /** The daemon takes a question back. */
  withdrawn(id: RawId): void {
    this.#open.delete(idKey(id));
  }

  /** The daemon has gone: what the host is told. */
  lost(): Bytes[] {
    const notices = [...this.#open.values()].map(cancelledNotice);
    this.#open.clear();
    return notices;
  }

  /** The host has closed its end and will answer nothing, now or later: what the daemon is told. */
  hostEnded(): HostLine[] {
    this.#hostEnded = true;
    const answers = [...this.#open.values()].map(hostEndedAnswer);
    this.#open.clear();
    return answers;
  }
}

// — internal —

function hostEndedAnswer(id: RawId): HostLine {
  return answerLine(unaskedAnswer(id, 'the host has closed standard input and can answer nothing', 'stdin-closed'));
}
