/**
 * What a call passes on its way, for the history. Each call has a few, so they are numbers in one array: what it was, and how many
 * milliseconds after its arrival, in turn. A call whose host was answered with a wish for input keeps them when the host comes back.
 */

export const MARK = {
  /** Its server does not run: it waits for the start. */
  starting: 0,
  started: 1,
  /** To the server; once more with each round of input of a modern one. */
  sent: 2,
  /** The first progress after the sending. */
  progress: 3,
  /** Its host is asked something; further questions at the same time make no difference. */
  asked: 4,
  /** All questions are answered. */
  resumed: 5,
  answered: 6,
} as const;
export type Mark = (typeof MARK)[keyof typeof MARK];

/** Several rounds of input, each with its asking, answer and sending; what comes after that is not worth the memory. */
export const MARKS_KEPT = 40;

interface Marked {
  firstAt: number;
  marks: number[];
}

export function mark(call: Marked, what: Mark, now: number): void {
  if (call.marks !== TAKEN && call.marks.length < 2 * MARKS_KEPT) call.marks.push(what, now - call.firstAt);
}

/** The server's first sign of life is marked, later ones are not. */
export function markProgress(call: Marked, now: number): void {
  if (call.marks[call.marks.length - 2] === MARK.sent) mark(call, MARK.progress, now);
}

/** For whoever keeps them: what the call still meets (a question that others wait for too is answered) is not added. */
export function takeMarks(call: Marked): number[] {
  const { marks } = call;
  call.marks = TAKEN;
  return marks;
}

/** Milliseconds from arrival to the first sending; null when it was never sent. */
export function sentAfter(marks: readonly number[]): number | null {
  for (let at = 0; at < marks.length; at += 2) if (marks[at] === MARK.sent) return marks[at + 1] ?? null;
  return null;
}

// — internal —

const TAKEN: number[] = [];
