import type { TestProject } from 'vitest/node';
import { type ChromiumPlace, findChromium } from '../harness/chromium.ts';

declare module 'vitest' {
  interface ProvidedContext {
    chromium: ChromiumPlace;
  }
}

export async function setup(project: TestProject): Promise<void> {
  project.provide('chromium', await findChromium());
}
