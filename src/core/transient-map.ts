/** From so many entries added on, a fresh Map takes over. */
const ADDED_MIN = 64;
/** And only when at least so many were added for each that is left: moving these then costs next to nothing. */
const ADDED_PER_ENTRY = 4;

/**
 * A Map for entries that come and go all the time. V8's own Map moves to a new table whenever deleted entries have filled the old one, and
 * the old one keeps pointing to the new one. Once a table has become old, all its successors are kept with it, and everything that was
 * ever in them, until a full collection: measured, 30 MB in 100 000 calls. Here a fresh Map takes over before the chain grows long.
 */
export class TransientMap<K, V> {
  #map = new Map<K, V>();
  #added = 0;

  get size(): number {
    return this.#map.size;
  }

  get(key: K): V | undefined {
    return this.#map.get(key);
  }

  has(key: K): boolean {
    return this.#map.has(key);
  }

  set(key: K, value: V): void {
    if (++this.#added > Math.max(ADDED_MIN, ADDED_PER_ENTRY * this.#map.size)) {
      this.#map = new Map(this.#map);
      this.#added = 0;
    }
    this.#map.set(key, value);
  }

  delete(key: K): boolean {
    return this.#map.delete(key);
  }

  /** In the order in which they were added. What is added meanwhile may be missing. */
  values(): Iterable<V> {
    return this.#map.values();
  }
}
