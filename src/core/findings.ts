import { LIST_FINDINGS_KEPT } from '../limits.ts';

/** What is wrong with one list: each sentence once, the first few of them, and how many there were. */
export class Findings {
  readonly #kept = new Set<string>();
  #left = 0;

  add(finding: string): void {
    if (this.#kept.has(finding)) return;
    if (this.#kept.size < LIST_FINDINGS_KEPT) this.#kept.add(finding);
    else this.#left += 1;
  }

  get all(): string[] {
    return this.#left === 0 ? [...this.#kept] : [...this.#kept, `and ${this.#left} more`];
  }
}
