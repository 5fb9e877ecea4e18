import { McpdError } from '../errors.ts';
import { checkNameFree } from '../server-names.ts';

/** Names that an install, a change or a removal is at work on. Of two at once, the first has the name. */
export class NamesInUse {
  readonly #busy = new Set<string>();

  /**
   * Runs `work` with the name reserved.
   * @param taken whether the registry has the name; null when it may
   * @throws McpdError NAME_TAKEN; what `work` throws
   */
  async during<T>(name: string, taken: ((name: string) => boolean) | null, work: () => Promise<T>): Promise<T> {
    if (taken === null && this.#busy.has(name)) {
      throw new McpdError('NAME_TAKEN', {
        what: `${name} is being installed, changed or removed at this moment`,
        fix: 'try again when that is done',
      });
    }
    if (taken !== null) checkNameFree(name, (each) => taken(each) || this.#busy.has(each));
    this.#busy.add(name);
    try {
      return await work();
    } finally {
      this.#busy.delete(name);
    }
  }
}
