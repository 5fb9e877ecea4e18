import type { Browser } from 'playwright-core';

/** A browser that starts here. */
export interface ChromiumPlace {
  executable: string;
  /** On top of what this process has. */
  env: Record<string, string>;
}

/** Plain JavaScript, since the benchmark, which runs as it is, takes the same browser; what it has is described there. */
export const { findChromium, launch } = (await import(new URL('chromium-start.mjs', import.meta.url).href)) as {
  findChromium(): Promise<ChromiumPlace>;
  launch(place: ChromiumPlace, args?: readonly string[]): Promise<Browser>;
};
