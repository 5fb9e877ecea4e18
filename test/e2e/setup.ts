import { mkdtempSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestProject } from 'vitest/node';
import { installedPackage } from '../harness/installed-package.ts';

declare module 'vitest' {
  interface ProvidedContext {
    /** The folder of an installed mcpd, built from what is checked out. */
    installedPackage: string;
  }
}

let folder = '';

export async function setup(project: TestProject): Promise<void> {
  folder = realpathSync(mkdtempSync(join(tmpdir(), 'mcpd-installed-')));
  project.provide('installedPackage', await installedPackage(folder));
}

export function teardown(): void {
  rmSync(folder, { recursive: true, force: true });
}
