/** The exit code of a program ended by Ctrl-C, as shells have it (128 + SIGINT). */
export const INTERRUPTED_EXIT = 130;

/** Thrown where a person pressed Ctrl-C: not an error, the end that was asked for. */
export class Interrupted extends Error {
  constructor() {
    super('interrupted');
    this.name = 'Interrupted';
  }
}
