import type { Edges } from './runtime.ts';

type Recorder = Edges['history'];

/** Every ended call and every change of a state goes to the history, which gives a call its number, and to those who count. */
export function toEach(
  history: Recorder,
  ...counting: { [K in keyof Recorder]: (what: Parameters<Recorder[K]>[0]) => void }[]
): Recorder {
  return {
    recordCall: (record) => {
      for (const one of counting) one.recordCall(record);
      return history.recordCall(record);
    },
    recordTransition: (transition) => {
      for (const one of counting) one.recordTransition(transition);
      history.recordTransition(transition);
    },
  };
}
