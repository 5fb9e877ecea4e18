import type { Message } from './messages.ts';

export interface SimulatedProcess {
  instance: string;
  generation: number;
  pid: number;
  spawned: boolean;
  /** What it was asked and has not answered. */
  inbox: Message[];
  received: Message[];
  /** The same as text, for what objects do not show. */
  lines: string[];
  stopping: 'no' | 'asked' | 'killed';
}

export function newProcess(instance: string, generation: number, pid: number): SimulatedProcess {
  return { instance, generation, pid, spawned: false, inbox: [], received: [], lines: [], stopping: 'no' };
}
