/** Draws what changes, with the next frame and not more often than every `everyMs`, however often it changes. */
export class Pace {
  readonly #everyMs: number;
  readonly #draw: () => void;
  #drawnAt = Number.NEGATIVE_INFINITY;
  #timer: ReturnType<typeof setTimeout> | null = null;
  #frame = 0;

  constructor(everyMs: number, draw: () => void) {
    this.#everyMs = everyMs;
    this.#draw = draw;
  }

  changed(): void {
    if (this.#timer !== null || this.#frame !== 0) return;
    const leftMs = this.#drawnAt + this.#everyMs - performance.now();
    if (leftMs <= 0) this.#atNextFrame();
    else this.#timer = setTimeout(() => this.#atNextFrame(), leftMs);
  }

  /** Nothing is drawn any more. */
  end(): void {
    if (this.#timer !== null) clearTimeout(this.#timer);
    cancelAnimationFrame(this.#frame);
  }

  #atNextFrame(): void {
    this.#timer = null;
    this.#frame = requestAnimationFrame(() => {
      this.#frame = 0;
      this.#drawnAt = performance.now();
      this.#draw();
    });
  }
}
