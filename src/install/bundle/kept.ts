import { BUNDLE_KEPT_MS, BUNDLES_KEPT_MAX } from '../../bundle-limits.ts';
import type { Bundle } from './bundles.ts';

/** Bundles that were read for a plan, for the install that follows it: what was shown is what is unpacked, and is fetched once. */
export class KeptBundles {
  readonly #discard: (bundle: Bundle) => Promise<void>;
  readonly #kept = new Map<Bundle, NodeJS.Timeout>();

  constructor(discard: (bundle: Bundle) => Promise<void>) {
    this.#discard = discard;
  }

  keep(bundle: Bundle): void {
    clearTimeout(this.#kept.get(bundle));
    this.#kept.delete(bundle);
    const [oldest] = this.#kept.keys();
    if (oldest !== undefined && this.#kept.size >= BUNDLES_KEPT_MAX) this.#drop(oldest);
    this.#kept.set(bundle, setTimeout(() => this.#drop(bundle), BUNDLE_KEPT_MS).unref());
  }

  /** Takes one out. */
  take(isMeant: (bundle: Bundle) => boolean): Bundle | null {
    const bundle = [...this.#kept.keys()].find(isMeant);
    if (bundle === undefined) return null;
    clearTimeout(this.#kept.get(bundle));
    this.#kept.delete(bundle);
    return bundle;
  }

  clear(): void {
    for (const bundle of [...this.#kept.keys()]) this.#drop(bundle);
  }

  // — internal —

  #drop(bundle: Bundle): void {
    clearTimeout(this.#kept.get(bundle));
    this.#kept.delete(bundle);
    // What cannot be removed now is swept with the first bundle of the next daemon.
    this.#discard(bundle).catch(() => undefined);
  }
}
